// Changes of a tablet, for the table's change stream. A flush writes those that it takes out of
// need of the log to the archive, before the redo point moves; a crash in between writes them
// again. SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "engine/tablet/tablet.h"

namespace sippar::engine {

// apply_mutex_ held: no flush comes between the write and its change.
void Tablet::KeepChange(std::string* log_body) {
  int64_t bytes = TailBytes(log_body->size());
  memtable_bytes_ += bytes;
  *context_->memtable_bytes += bytes;
  changes_.Add(std::move(*log_body));
}

void Tablet::KeepChanges() {
  MutexLock apply_lock(&apply_mutex_);
  MutexLock lock(&mutex_);
  if (!context_->change_directory.empty()) changes_.Keep(visible_sequence_ + 1);
}

ChangeSource Tablet::Changes() const {
  return {context_->fs, context_->clock,
          fmt::format("{}/{}", context_->change_directory, table_id_), id_, &changes_};
}

Status Tablet::ArchiveChanges(uint64_t sequence) {
  if (!changes_.is_kept()) return OkStatus();
  std::vector<TailRecord> records = changes_.Through(sequence);
  if (records.empty()) return OkStatus();
  ASSIGN_OR_RETURN(uint64_t file_id, context_->next_file_id());
  if (owner_epoch_ != 0) file_id = (owner_epoch_ << 32) | (file_id & UINT32_MAX);
  RETURN_IF_ERROR(Annotate(
      WriteChangeFile(context_->fs, Changes().directory, file_id, range_, records), "changes"));
  FreeMemory(changes_.Drop(sequence));
  return OkStatus();
}

}  // namespace sippar::engine
