// SPDX-License-Identifier: Apache-2.0
#include "engine/log/log_writer.h"

#include <fmt/format.h>

#include <charconv>

#include "engine/base/crash_point.h"
#include "engine/base/seeded_bug.h"

namespace sippar::engine {

std::string WholeSegment(const SegmentHeader& header, const std::vector<std::string>& bodies) {
  const uint64_t seed = SegmentSeed(header.id);
  std::string file;
  AppendLogRecord(&file, EncodeSegmentHeader(header), {seed, 0, 0});
  for (const std::string& body : bodies) AppendLogRecord(&file, body, {seed, file.size(), 0});
  AppendLogRecord(&file, "", {seed, file.size(), file.size()});  // the mark of a clean end
  return file;
}

std::string SegmentFileName(SegmentId id) {
  return fmt::format("{:016x}-{:08x}.log", id.epoch, id.number);
}

SegmentId ParseSegmentFileName(std::string_view name) {
  if (name.size() != 29 || name[16] != '-' || !name.ends_with(".log")) return {};
  SegmentId id;
  auto hex = [](std::string_view text, uint64_t* value) {
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *value, 16);
    return error == std::errc() && end == text.data() + text.size();
  };
  if (!hex(name.substr(0, 16), &id.epoch) || !hex(name.substr(17, 8), &id.number)) return {};
  return id;
}

StatusOr<std::unique_ptr<LogWriter>> LogWriter::Create(FileSystem* fs, const std::string& directory,
                                                       const SegmentHeader& header) {
  std::string path = directory + "/" + SegmentFileName(header.id);
  ASSIGN_OR_RETURN(std::unique_ptr<AppendFile> file, fs->Create(path));
  CRASH_POINT("log.after_create");
  std::unique_ptr<LogWriter> writer(new LogWriter(std::move(file), header.id));
  writer->Add(EncodeSegmentHeader(header));
  Status status = writer->Write(/*sync=*/true);
  // A crash before the directory sync may lose the whole segment, which holds no record yet.
  CRASH_POINT("log.after_header");
  if (status.ok() && SEEDED_BUG("no-directory-sync")) return writer;
  if (status.ok()) status = fs->SyncDir(directory);
  if (!status.ok()) {
    (void)writer->file_->Close();
    (void)fs->Remove(path);
    return status;
  }
  return writer;
}

void LogWriter::Add(std::string_view body) {
  AppendLogRecord(&buffer_, body,
                  {SegmentSeed(id_), accepted_length_ + buffer_.size(), durable_length_});
}

Status LogWriter::Write(bool sync) {
  // In a log that syncs, Reserve fills the reserved space with zeros, so the disk writes every byte
  // twice; the step is therefore small. In a log without syncs, Reserve only allocates and maps
  // blocks, so the step is larger.
  const uint64_t step = sync ? 256 << 10 : 4 << 20;
  if (buffer_.size() < step && accepted_length_ + buffer_.size() > reserved_length_) {
    file_->Reserve(step, /*rarely_synced=*/!sync);
    reserved_length_ = accepted_length_ + step;
  }
  Status status = file_->Append(buffer_);
  CRASH_POINT("log.after_append");
  if (status.ok() && sync) {
    status = file_->Sync();
    sync_failed_ = !status.ok();
  }
  failed_ = !status.ok();
  RETURN_IF_ERROR(status);
  accepted_length_ += buffer_.size();
  if (sync) durable_length_ = accepted_length_;
  constexpr size_t kBufferKeptMax = 8 << 20;
  buffer_.clear();
  if (buffer_.capacity() > kBufferKeptMax) buffer_.shrink_to_fit();
  return OkStatus();
}

// Syncs the bytes that earlier Writes accepted without a sync. They lie before those of the failed
// Write.
Status LogWriter::SyncAccepted() {
  if (durable_length_ == accepted_length_) return OkStatus();
  if (sync_failed_) return Unavailable("a sync failed before; it is never repeated");
  RETURN_IF_ERROR(file_->Sync());
  durable_length_ = accepted_length_;
  return OkStatus();
}

Status LogWriter::Finish() {
  if (failed_) {
    const Status synced = SyncAccepted();
    const Status closed = file_->Close();
    return synced.ok() ? closed : synced;
  }
  // The end mark states that everything before it is durable, so the rest is synced first.
  Status status = durable_length_ < accepted_length_ ? Write(/*sync=*/true) : OkStatus();
  CRASH_POINT("log.before_end_mark");
  if (status.ok()) {
    Add("");
    status = Write(/*sync=*/true);
  }
  CRASH_POINT("log.after_end_mark");
  Status closed = file_->Close();
  return status.ok() ? closed : status;
}

}  // namespace sippar::engine
