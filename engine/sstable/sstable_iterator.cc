// Iterates over one SSTable: finds a block in the index and walks it with a block cursor. Keeps its
// block and the one that it used before, so that reverse scans that step back over a block border
// do not decode blocks twice.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>

#include "engine/base/call_notes.h"
#include "engine/sstable/block_cursor.h"
#include "engine/sstable/sstable_reader.h"

namespace sippar::engine {
namespace {

constexpr uint64_t kReadAheadMin = 128 << 10;
constexpr uint64_t kReadAheadMax = 1 << 20;
constexpr size_t kNoBlock = ~size_t{0};
constexpr uint64_t kLeftOutMin = 64 << 10;  // skipping smaller blocks saves too little

class SstableIterator final : public EntryIterator {
 public:
  SstableIterator(std::shared_ptr<const SstableReader> file, const FileRead& read)
      : file_(std::move(file)), read_(read), all_times_(read.time.IsAll()) {}

  bool Valid() const override { return valid_; }
  std::string_view key() const override { return cursor_.key(); }
  std::string_view value() const override { return cursor_.value(); }
  uint64_t value_size() const override {
    return current_.block != nullptr ? cursor_.value().size() : current_.lone_value_size;
  }
  Status status() const override { return status_; }

  void Seek(std::string_view key) override {
    if (!Start() || key > file_->summary().last_key) return;
    size_t found = file_->index().FindBlock(key);
    size_t block = SkipForward(found);
    if (block >= file_->index().size() || !Load(block)) return;
    SeekInBlock(block == found ? key : "");
    Settle();
  }

  void SeekBefore(std::string_view key) override {
    if (!Start()) return;
    size_t found = file_->index().BlocksBefore(key);
    size_t blocks = found;
    while (blocks > 0 && !InTime(blocks - 1)) --blocks;
    if (blocks == 0 || !Load(blocks - 1)) return;
    if (IsLone()) {
      SeekInBlock("");
    } else if (key.empty() || blocks != found) {
      cursor_.SeekToLast();
    } else {
      cursor_.SeekBefore(key);
    }
    valid_ = cursor_.Valid();
    if (!valid_) SetDamaged("it cannot be decoded");
  }

  void Next() override {
    cursor_.Next();
    if (!cursor_.Valid()) [[unlikely]] {
      Settle();
    }
  }

 private:
  // A block that this iterator holds; it need not be one of PinnedBlocks.
  struct Pinned {
    size_t index = kNoBlock;
    std::shared_ptr<const Block> block;  // null: the value of its only entry was left out
    uint64_t lone_value_size = 0;
  };

  bool Start() {
    if (read_.counters != nullptr) ++read_.counters->seeks;
    valid_ = false;
    status_ = OkStatus();
    return file_->index().size() > 0;
  }

  bool InTime(size_t block) const {
    if (all_times_) return true;
    const BlockIndex::Entry& entry = file_->index().entry(block);
    if (read_.time.Overlaps(entry.time_min_us, entry.time_max_us)) return true;
    if (read_.counters != nullptr) ++read_.counters->blocks_by_time;
    return false;
  }

  // The first block from `block` on that may hold wanted times; the number of blocks when there is
  // none.
  size_t SkipForward(size_t block) const {
    while (block < file_->index().size() && !InTime(block)) ++block;
    return block;
  }

  // True if the block need not be read: it holds a single entry, whose value is not wanted. The
  // index has the entry's key, and the size of the value follows from the block's size.
  bool LeavesOut(size_t block, uint64_t* value_size) const {
    if (read_.value_size_max == kAnyValueSize) [[likely]] {
      return false;
    }
    const BlockIndex::Entry& entry = file_->index().entry(block);
    if (entry.entries != 1 || entry.raw_size < kLeftOutMin) return false;
    std::optional<uint64_t> size = LoneValueSize(entry.key_size, entry.raw_size);
    *value_size = size.value_or(0);
    return size.has_value() && *size >= kLeftOutMin && *size > read_.value_size_max;
  }

  bool IsLone() const { return current_.block == nullptr; }

  // Moves to the first entry >= key of the block, or past its end if there is none.
  void SeekInBlock(std::string_view key) {
    if (!IsLone()) return key.empty() ? cursor_.SeekToFirst() : cursor_.Seek(key);
    cursor_.StandOnLone(file_->index().first_key(current_.index));
    if (cursor_.key() < key) cursor_.Next();
  }

  // Moves to the next block when the cursor ran off the end of its block.
  void Settle() {
    valid_ = cursor_.Valid();
    if (valid_) return;
    if (cursor_.damaged()) return SetDamaged("it cannot be decoded");
    size_t next = SkipForward(current_.index + 1);
    if (next >= file_->index().size() || !Load(next)) return;
    SeekInBlock("");
    valid_ = cursor_.Valid();
    if (!valid_) SetDamaged("it cannot be decoded");
  }

  void SetDamaged(std::string_view problem) {
    valid_ = false;
    status_ =
        SstableDamage(file_->name(), "block", file_->index().entry(current_.index).offset, problem);
  }

  // Makes `block` the cursor's block, without positioning the cursor in it; false on an error.
  bool Load(size_t block) {
    if (current_.index == block) return true;
    std::swap(current_, spare_);
    uint64_t value_size = 0;
    if (current_.index != block && LeavesOut(block, &value_size)) {
      current_ = {block, nullptr, value_size};
    } else if (current_.index != block && !Fetch(block)) {
      return false;
    }
    if (!IsLone()) cursor_.Init(*current_.block);
    return true;
  }

  bool Fetch(size_t block) {
    if (read_.in_memory && FetchPinned(block)) return true;
    auto fetched =
        read_.read_ahead == ReadAhead::kScan ? FetchForScan(block) : file_->ReadBlock(block, read_);
    current_ = {};
    if (!fetched.ok()) {
      valid_ = false;
      status_ = fetched.status();
      return false;
    }
    current_ = {block, *std::move(fetched), 0};
    return true;
  }

  bool FetchPinned(size_t block) {
    std::shared_ptr<const Block> pinned = file_->PinnedBlock(block);
    if (pinned == nullptr) return false;
    if (read_.counters != nullptr) ++read_.counters->blocks_pinned;
    current_ = {block, std::move(pinned), 0};
    return true;
  }

  StatusOr<std::shared_ptr<const Block>> FetchForScan(size_t block) {
    auto cached = file_->CachedBlock(block);
    if (read_.counters != nullptr) {
      ++(cached != nullptr ? read_.counters->blocks_cached : read_.counters->blocks_from_disk);
    }
    if (cached != nullptr) return cached;
    if (read_.from_memory) return NotInMemory();
    if (block < ahead_first_ || block >= ahead_first_ + ahead_count_) {
      RETURN_IF_ERROR(ReadRun(block));
    }
    const BlockIndex& index = file_->index();
    uint64_t start = index.entry(block).offset - index.entry(ahead_first_).offset;
    StageTimer timer(&CallNotes::cache_nanos);
    ASSIGN_OR_RETURN(std::shared_ptr<const Block> decoded,
                     file_->Decode(block, std::string_view(ahead_).substr(
                                              start, index.entry(block).stored_size)));
    // Frees the stored bytes of a huge block, because its decoded form is kept.
    if (ahead_.size() > kReadAheadMax) {
      ahead_.clear();
      ahead_.shrink_to_fit();
      ahead_count_ = 0;
    }
    // If the pin budget is used up, the block is read again next time.
    if (read_.in_memory) (void)file_->Pin(block, decoded);
    return decoded;
  }

  // Read-ahead starts with one block, as most scans are short, and doubles up to kReadAheadMax
  // while the scan continues.
  Status ReadRun(size_t block) {
    bool sequential = ahead_count_ > 0 && block == ahead_first_ + ahead_count_;
    run_size_ = sequential ? std::clamp(run_size_ * 2, kReadAheadMin, kReadAheadMax) : 0;
    const BlockIndex& index = file_->index();
    uint64_t size = index.entry(block).stored_size;
    size_t count = 1;
    while (block + count < index.size() &&
           size + index.entry(block + count).stored_size <= run_size_) {
      size += index.entry(block + count).stored_size;
      ++count;
    }
    ahead_count_ = 0;
    RETURN_IF_ERROR(file_->ReadStored(block, count, &ahead_));
    if (read_.counters != nullptr) {
      ++read_.counters->disk_reads;
      read_.counters->disk_bytes += ahead_.size();
    }
    ahead_first_ = block;
    ahead_count_ = count;
    return OkStatus();
  }

  const std::shared_ptr<const SstableReader> file_;
  const FileRead read_;
  const bool all_times_;
  BlockCursor cursor_;
  bool valid_ = false;
  Status status_;
  Pinned current_;
  Pinned spare_;       // the previous block
  std::string ahead_;  // stored bytes of the blocks [ahead_first_, ahead_first_ + ahead_count_)
  size_t ahead_first_ = 0;
  size_t ahead_count_ = 0;
  uint64_t run_size_ = 0;
};

}  // namespace

std::unique_ptr<EntryIterator> NewSstableIterator(std::shared_ptr<const SstableReader> file,
                                                  const FileRead& read) {
  return std::make_unique<SstableIterator>(std::move(file), read);
}

}  // namespace sippar::engine
