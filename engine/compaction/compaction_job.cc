// SPDX-License-Identifier: Apache-2.0
#include "engine/compaction/compaction_job.h"

#include <fmt/format.h>

#include "engine/base/crash_point.h"
#include "engine/sstable/sstable_writer.h"

namespace sippar::engine {
namespace {

// The index of a file holds one key of each block, so if keys are as long as blocks, it holds all
// keys. CompactionJob begins another file before the index could exceed the size limit of a section
// (engine/FORMAT.md).
constexpr uint64_t kIndexSizeMax = 64 << 20;

// Ends the input when the compaction is cancelled. A check between output files would come too
// late: a compaction may read garbage for long before it writes anything.
class CancellableIterator final : public EntryIterator {
 public:
  CancellableIterator(std::unique_ptr<EntryIterator> base, const std::atomic<bool>* cancel)
      : base_(std::move(base)), cancel_(cancel) {}

  bool Valid() const override { return !cancelled_ && base_->Valid(); }
  std::string_view key() const override { return base_->key(); }
  std::string_view value() const override { return base_->value(); }
  void Seek(std::string_view key) override { base_->Seek(key); }
  void SeekBefore(std::string_view key) override { base_->SeekBefore(key); }
  void Next() override {
    // Counts bytes, not entries, so that a check comes every few milliseconds whatever the size of
    // the values.
    bytes_ += kEntryCost + base_->value().size();
    if (bytes_ >= kCheckBytes) {
      bytes_ = 0;
      cancelled_ = *cancel_;
    }
    if (!cancelled_) base_->Next();
  }
  Status status() const override {
    return cancelled_ ? Cancelled("compaction was cancelled") : base_->status();
  }

 private:
  static constexpr size_t kEntryCost = 100;
  static constexpr size_t kCheckBytes = 256 << 10;
  std::unique_ptr<EntryIterator> base_;
  const std::atomic<bool>* cancel_;
  size_t bytes_ = 0;
  bool cancelled_ = false;
};

class CompactionJob {
 public:
  explicit CompactionJob(CompactionRequest request) : request_(std::move(request)) {
    if (request_.cancel == nullptr) return;
    request_.entries =
        std::make_unique<CancellableIterator>(std::move(request_.entries), request_.cancel);
  }

  StatusOr<std::vector<FileSummary>> Run(const std::string& directory) {
    Status status = WriteAll();
    if (status.ok()) status = Finish();
    CRASH_POINT("compaction.before_directory_sync");
    // Makes the directory entries durable before the summaries are returned: otherwise the tablet's
    // state could name a file that a power loss removes.
    if (status.ok() && !outputs_.empty()) status = request_.fs->SyncDir(directory);
    if (!status.ok()) {
      RemoveOutputs();
      return status;
    }
    CRASH_POINT("compaction.after_outputs");
    return std::move(outputs_);
  }

 private:
  Status WriteAll() {
    VisibilityIterator entries(std::move(request_.entries), request_.visibility);
    for (entries.SeekRow(""); entries.Valid(); entries.Next()) {
      RETURN_IF_ERROR(EnsureWriter(entries.key()));
      RETURN_IF_ERROR(writer_->Add(entries.key(), entries.value()));
      if (request_.limiter != nullptr) Pace();
    }
    return entries.status();
  }

  void Pace() {
    uint64_t written = writer_->stored_bytes();
    // Calls the limiter once per kPaceBytes: taking its lock for each entry would cost more than
    // writing the entry.
    if (written < paced_ + kPaceBytes) return;
    request_.limiter->Acquire(written - paced_, request_.cancel);
    paced_ = written;
  }

  // Makes writer_ the writer of the output that holds `key`.
  Status EnsureWriter(std::string_view key) {
    bool crossed =
        next_boundary_ < request_.boundaries.size() && key >= request_.boundaries[next_boundary_];
    bool full = writer_ != nullptr && writer_->index_bytes() > kIndexSizeMax;
    if (writer_ != nullptr && !crossed && !full) return OkStatus();
    if (crossed || full) RETURN_IF_ERROR(Finish());
    // An entry may cross several boundaries at once, if all entries between them were garbage.
    while (next_boundary_ < request_.boundaries.size() &&
           key >= request_.boundaries[next_boundary_]) {
      ++next_boundary_;
    }
    std::string_view limit;
    if (next_boundary_ < request_.boundaries.size()) limit = request_.boundaries[next_boundary_];
    std::string sample;
    if (request_.options.dictionary && request_.options.compression != Compression::kNone) {
      ASSIGN_OR_RETURN(sample, request_.sample(key, limit));
    }
    ASSIGN_OR_RETURN(uint64_t file_id, request_.next_file_id());
    ASSIGN_OR_RETURN(writer_, SstableWriter::Create(request_.fs, request_.path_of(file_id), file_id,
                                                    request_.options, std::move(sample)));
    return OkStatus();
  }

  Status Finish() {
    if (writer_ == nullptr) return OkStatus();
    CRASH_POINT("compaction.before_finish");
    auto summary = writer_->Finish();
    RETURN_IF_ERROR(summary.status());
    writer_.reset();
    paced_ = 0;
    outputs_.push_back(std::move(*summary));
    return OkStatus();
  }

  void RemoveOutputs() {
    if (writer_ != nullptr) writer_->Abandon();
    for (const FileSummary& output : outputs_) {
      (void)request_.fs->Remove(request_.path_of(output.file_id));
    }
  }

  static constexpr uint64_t kPaceBytes = 256 << 10;

  CompactionRequest request_;
  std::unique_ptr<SstableWriter> writer_;
  std::vector<FileSummary> outputs_;
  size_t next_boundary_ = 0;
  uint64_t paced_ = 0;  // bytes of this output that the limiter has granted
};

}  // namespace

StatusOr<std::vector<FileSummary>> RunCompaction(CompactionRequest request,
                                                 const std::string& directory) {
  return CompactionJob(std::move(request)).Run(directory);
}

}  // namespace sippar::engine
