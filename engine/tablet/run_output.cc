// SPDX-License-Identifier: Apache-2.0
#include "engine/tablet/run_output.h"

#include <fmt/format.h>

namespace sippar::engine {

CompactionRequest NewCompactionRequest(const TabletContext& context, const TableSchema& schema,
                                       const std::string& group, bool is_final) {
  CompactionRequest request;
  request.fs = context.fs;
  const LocalityGroupSchema* settings = schema.FindGroup(group);
  if (settings != nullptr) request.options = SstableOptions::From(*settings, is_final);
  request.next_file_id = context.next_file_id;
  request.path_of = [&context](uint64_t id) { return context.files->PathOf(id); };
  return request;
}

TabletRun FindRun(const TabletContext& context, const RunState& state) {
  TabletRun run;
  run.run_id = state.run_id;
  run.made_us = state.made_us;
  run.major = state.major;
  for (const FileRef& file : state.files) {
    run.files.push_back(
        std::make_shared<TabletFile>(file, context.files->Find(file.summary.file_id)));
  }
  return run;
}

StatusOr<TabletRun> OpenOutput(const TabletContext& context, std::vector<FileSummary> files) {
  RunState state;
  for (FileSummary& file : files) state.files.emplace_back(std::move(file));
  state.run_id = state.files.front().summary.file_id;
  TabletRun run = FindRun(context, state);
  for (const auto& file : run.files) {
    Status opened = file->Reader().status();
    if (opened.ok()) continue;
    const std::string path = context.files->PathOf(file->summary().file_id);
    if (auto there = context.fs->Exists(path); there.ok() && !*there) {
      // No state names the file yet, so no data are lost: a master that takes this server for dead
      // has swept it.
      opened = Unavailable(fmt::format("sstable {}: it was removed before it was named", path));
    }
    RemoveOutput(context, run);
    return opened;
  }
  return run;
}

void RemoveOutput(const TabletContext& context, const TabletRun& run) {
  for (const auto& file : run.files) {
    (void)context.fs->Remove(context.files->PathOf(file->summary().file_id));
  }
}

}  // namespace sippar::engine
