// SPDX-License-Identifier: Apache-2.0
#include "engine/tablet/tablet_body.h"

#include "engine/tablet/run_output.h"

namespace sippar::engine {

TabletBody::TabletBody(TabletContext* shared, TabletState opened)
    : context(shared),
      id(opened.tablet_id),
      table_id(opened.table_id),
      range(opened.range),
      memory(shared->memtable_bytes),
      state(std::move(opened)),
      visible_sequence(state.redo_sequence) {
  auto found = std::make_shared<TabletVersion>();
  for (const GroupState& group : state.groups) {
    GroupVersion& of_group = found->groups.emplace_back();
    of_group.name = group.name;
    of_group.active = std::make_shared<Memtable>();
    for (const RunState& run : group.runs) of_group.runs.push_back(FindRun(*context, run));
  }
  // Registers the names of the files before a reader can open and release one of them.
  context->files->Name(state.FileIds());
  version = std::move(found);
}

TabletSnapshot TabletBody::TakeSnapshot() const {
  MutexLock lock(&mutex);
  return {version, rules, schema, visible_sequence};
}

Status TabletBody::SaveState(TabletState changed) {
  if (Status saved = context->states->Save(changed); !saved.ok()) {
    // The state on disk may be the old or the new one, so a sweep may remove no file of either
    // until a later save succeeds.
    if (!unsure_.runs()) unsure_ = context->unpublished->KeepAll();
    return saved;
  }
  unsure_ = UnpublishedFiles::Job();
  // Registers the new names first: a file that both states name must not be without a name in
  // between, or the registry would remove it.
  context->files->Name(changed.FileIds());
  context->files->Unname(state.FileIds());
  state = std::move(changed);
  return OkStatus();
}

}  // namespace sippar::engine
