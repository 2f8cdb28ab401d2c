// Changes of a tablet, kept for the table's change stream. A flush writes the changes that it
// covers to the archive before it moves the redo point; after that the log may go. A crash in
// between leaves an archive file whose changes are replayed and written again (change_archive.h).
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "engine/tablet/tablet.h"

namespace sippar::engine {

// body_.apply_mutex held, so no freeze comes between a write and its change. The bytes count as
// memtable, so that a long tail makes the tablet due for a flush.
void Tablet::KeepChange(std::string* log_body) {
  body_.memory.Add(TailBytes(log_body->size()));
  changes_.Add(std::move(*log_body));
}

void Tablet::KeepChanges() {
  MutexLock apply_lock(&body_.apply_mutex);
  MutexLock lock(&body_.mutex);
  if (!body_.context->change_directory.empty()) changes_.Keep(body_.visible_sequence + 1);
}

ChangeSource Tablet::Changes() const {
  return {body_.context->fs, body_.context->clock,
          fmt::format("{}/{}", body_.context->change_directory, body_.table_id), body_.id,
          &changes_};
}

Status Tablet::ArchiveChanges(uint64_t sequence) {
  if (!changes_.is_kept()) return OkStatus();
  std::vector<TailRecord> records = changes_.Through(sequence);
  if (records.empty()) return OkStatus();
  ASSIGN_OR_RETURN(uint64_t file_id, body_.context->next_file_id());
  // Of two files with the same changes, readers trust the one with the higher id. Epochs of servers
  // do not rise with each move of the tablet, those of its owners do.
  if (owner_epoch_ != 0) file_id = (owner_epoch_ << 32) | (file_id & UINT32_MAX);
  RETURN_IF_ERROR(Annotate(
      WriteChangeFile(body_.context->fs, Changes().directory, file_id, body_.range, records),
      "changes"));
  // Only after the file is durable: if writing failed, the next flush writes the records again.
  body_.memory.Free(changes_.Drop(sequence));
  return OkStatus();
}

}  // namespace sippar::engine
