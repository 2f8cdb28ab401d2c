// A flush writes the changes that it covers to the archive before it moves the redo point; after
// that the log may be removed. A crash in between leaves an archive file whose changes are replayed
// and written again (change_archive.h).
// SPDX-License-Identifier: Apache-2.0
#include "engine/tablet/kept_changes.h"

#include <fmt/format.h>

#include "engine/model/change_config.h"

namespace sippar::engine {

void KeptChanges::Keep() {
  MutexLock apply_lock(&body_->apply_mutex);
  MutexLock lock(&body_->mutex);
  if (!body_->context->change_directory.empty()) tail_.Keep(body_->visible_sequence + 1);
}

void KeptChanges::Follow(const TableSchema& schema, uint64_t next_sequence) {
  if (!ChangeStreamOf(schema).has_value()) {
    body_->memory.Free(tail_.Stop());
  } else if (!body_->context->change_directory.empty()) {
    tail_.Keep(next_sequence);
  }
}

void KeptChanges::Add(std::string* log_body) {
  // Counted as memory of memtables, so that a long tail makes the tablet due for a flush.
  body_->memory.Add(TailBytes(log_body->size()));
  tail_.Add(std::move(*log_body));
}

ChangeSource KeptChanges::Source() const {
  const TabletContext& context = *body_->context;
  return {context.fs, context.clock,
          fmt::format("{}/{}", context.change_directory, body_->table_id), body_->id, &tail_};
}

Status KeptChanges::Archive(uint64_t sequence) {
  if (!is_kept()) return OkStatus();
  std::vector<TailRecord> records = tail_.Through(sequence);
  if (records.empty()) return OkStatus();
  ASSIGN_OR_RETURN(uint64_t file_id, body_->context->next_file_id());
  // If two files have the same changes, readers use the file with the higher id. The id contains
  // the owner epoch, because the next server of the tablet always has a higher owner epoch, but its
  // own epoch may be lower than that of this server.
  if (owner_epoch_ != 0) file_id = (owner_epoch_ << 32) | (file_id & UINT32_MAX);
  RETURN_IF_ERROR(Annotate(
      WriteChangeFile(body_->context->fs, Source().directory, file_id, body_->range, records),
      fmt::format("change archive of tablet {}", body_->id)));
  // The records are dropped only after the file is durable: if writing failed, the next flush
  // writes them again.
  body_->memory.Free(tail_.Drop(sequence));
  return OkStatus();
}

Status KeptChanges::VerifyArchive() const {
  // The archive also has files of tablets that no longer exist, so one tablet, the first of the
  // table, verifies the whole archive.
  if (!is_kept() || !body_->range.start.empty()) return OkStatus();
  return VerifyChangeFiles(body_->context->fs, Source().directory);
}

}  // namespace sippar::engine
