// Changes of a tablet, kept for the table's change stream. A flush writes the changes that it
// covers to the archive before it moves the redo point; after that the log may go. A crash in
// between leaves an archive file whose changes are replayed and written again (change_archive.h).
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "engine/tablet/tablet.h"

namespace sippar::engine {

// apply_mutex_ held, so no freeze comes between a write and its change. The bytes count as
// memtable, so that a long tail makes the tablet due for a flush.
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
  // Of two files with the same changes, readers trust the one with the higher id. Epochs of servers
  // do not rise with each move of the tablet, those of its owners do.
  if (owner_epoch_ != 0) file_id = (owner_epoch_ << 32) | (file_id & UINT32_MAX);
  RETURN_IF_ERROR(Annotate(
      WriteChangeFile(context_->fs, Changes().directory, file_id, range_, records), "changes"));
  // Only after the file is durable: if writing failed, the next flush writes the records again.
  FreeMemory(changes_.Drop(sequence));
  return OkStatus();
}

}  // namespace sippar::engine
