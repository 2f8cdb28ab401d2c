// SPDX-License-Identifier: Apache-2.0
#include "engine/tablet/tablet_state.h"

#include "engine/base/coding.h"
#include "engine/tablet/request_memory.h"

namespace sippar::engine {
namespace {

template <typename State>
auto AllFiles(State& state) {
  std::vector<decltype(&state.groups[0].runs[0].files[0])> files;
  for (auto& group : state.groups) {
    for (auto& run : group.runs) {
      for (auto& file : run.files) files.push_back(&file);
    }
  }
  return files;
}

}  // namespace

std::vector<uint64_t> TabletState::FileIds() const {
  std::vector<uint64_t> ids;
  for (const FileRef* file : AllFiles(*this)) ids.push_back(file->summary.file_id);
  return ids;
}

GroupState* TabletState::Group(const std::string& name) {
  for (GroupState& group : groups) {
    if (group.name == name) return &group;
  }
  groups.push_back({name, {}});
  return &groups.back();
}

std::string TabletState::Encode() const {
  std::string out;
  PutVarint(&out, tablet_id);
  PutVarint(&out, table_id);
  PutBytes(&out, range.start);
  PutBytes(&out, range.limit);
  PutVarint(&out, redo_sequence);
  PutSigned(&out, last_time_us);
  PutVarint(&out, family_births.size());
  for (const auto& [family, birth] : family_births) {
    PutBytes(&out, family);
    PutVarint(&out, birth);
  }
  PutVarint(&out, groups.size());
  for (const GroupState& group : groups) {
    PutBytes(&out, group.name);
    PutVarint(&out, group.runs.size());
    for (const RunState& run : group.runs) {
      PutVarint(&out, run.run_id);
      PutVarint(&out, run.files.size());
      for (const FileRef& file : run.files) file.summary.Encode(&out);
    }
  }
  // Bounds come after all groups, not with each file, because they were added to the format later:
  // a state that ends here was written before there were splits.
  for (const FileRef* file : AllFiles(*this)) {
    PutBytes(&out, file->rows.start);
    PutBytes(&out, file->rows.limit);
    PutVarint(&out, file->part_bytes);
  }
  PutVarint(&out, old_groups.size());
  for (const auto& [family, left] : old_groups) {
    PutBytes(&out, family);
    PutVarint(&out, left.size());
    for (const auto& [group, sequence] : left) {
      PutBytes(&out, group);
      PutVarint(&out, sequence);
    }
  }
  // Ages were added in format 2, so they too are a list at the end that older states do not have.
  for (const GroupState& group : groups) {
    for (const RunState& run : group.runs) {
      PutSigned(&out, run.made_us);
      PutVarint(&out, run.major ? 1 : 0);
    }
  }
  if (!requests.empty()) PutBytes(&out, requests);
  return out;
}

StatusOr<TabletState> TabletState::Decode(std::string_view bytes) {
  Reader reader(bytes);
  TabletState state;
  state.tablet_id = reader.Varint();
  state.table_id = reader.Varint();
  state.range.start = reader.Bytes();
  state.range.limit = reader.Bytes();
  state.redo_sequence = reader.Varint();
  state.last_time_us = reader.Signed();
  size_t births = reader.Count();
  for (size_t i = 0; i < births; ++i) {
    std::string family(reader.Bytes());
    state.family_births[family] = reader.Varint();
  }
  size_t groups = reader.Count();
  for (size_t i = 0; i < groups && reader.ok(); ++i) {
    GroupState& group = state.groups.emplace_back();
    group.name = reader.Bytes();
    size_t runs = reader.Count();
    for (size_t j = 0; j < runs && reader.ok(); ++j) {
      RunState& run = group.runs.emplace_back();
      run.run_id = reader.Varint();
      size_t files = reader.Count();
      for (size_t k = 0; k < files && reader.ok(); ++k) {
        FileSummary summary;
        summary.Decode(&reader);
        run.files.emplace_back(std::move(summary));
      }
    }
  }
  // Absent in states from before there were splits: each file then belongs wholly to the tablet.
  for (FileRef* file : reader.AtEnd() ? std::vector<FileRef*>() : AllFiles(state)) {
    file->rows.start = reader.Bytes();
    file->rows.limit = reader.Bytes();
    file->part_bytes = reader.Varint();
  }
  size_t moved = reader.AtEnd() ? 0 : reader.Count();  // absent in states of older stores
  for (size_t i = 0; i < moved && reader.ok(); ++i) {
    std::map<std::string, uint64_t>& left = state.old_groups[std::string(reader.Bytes())];
    size_t count = reader.Count();
    for (size_t j = 0; j < count && reader.ok(); ++j) {
      std::string group(reader.Bytes());
      left[group] = reader.Varint();
    }
  }
  bool has_ages = !reader.AtEnd();
  for (GroupState& group : state.groups) {
    for (RunState& run : group.runs) {
      if (!has_ages) continue;
      run.made_us = reader.Signed();
      run.major = reader.Varint() == 1;
    }
  }
  if (reader.ok() && !reader.AtEnd()) {
    state.requests = reader.Bytes();
    // Decoded once here so that damage is reported where the state is read, not when the tablet
    // opens.
    RequestMemory whole;
    if (state.requests.empty() || !whole.Add(state.requests, 0).ok()) reader.Fail();
  }
  if (!reader.AtEnd()) return DataLoss("holds a tablet state that cannot be decoded");
  return state;
}

}  // namespace sippar::engine
