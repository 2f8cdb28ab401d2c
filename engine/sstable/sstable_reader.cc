// Opens an SSTable, reads its blocks, and queries its filter and index.
// SPDX-License-Identifier: Apache-2.0
#include "engine/sstable/sstable_reader.h"

#include <algorithm>

#include "engine/base/call_notes.h"
#include "engine/base/limits.h"
#include "engine/model/cell_key.h"
#include "engine/sstable/block_cursor.h"
#include "engine/sstable/bloom_filter.h"

namespace sippar::engine {
namespace {

// Size of a piece of a sample. Measured: larger pieces improve the dictionary little, smaller
// ones make it worse.
constexpr size_t kSamplePiece = 8 << 10;

// Appends the piece of `block` at `at` to the sample. If it would extend past the end of the block,
// it begins earlier, unless the pieces are so dense that it would overlap the piece before.
void AppendPiece(std::string_view block, size_t at, uint64_t step, size_t size_max,
                 std::string* sample) {
  size_t size = std::min({kSamplePiece, static_cast<size_t>(step), size_max, block.size()});
  if (step >= 2 * kSamplePiece) at = std::min(at, block.size() - size);
  sample->append(block.substr(at, size));
}

}  // namespace

Status SstableReader::Load() {
  ASSIGN_OR_RETURN(footer_, ReadFooter());
  ASSIGN_OR_RETURN(auto properties, ReadSection("properties", footer_.properties));
  if (!properties_.Decode(properties->bytes()) || summary().file_id != file_id_) {
    return SstableDamage(name(), "properties", footer_.properties.offset,
                         "they cannot be decoded, or belong to another file");
  }
  properties_.summary.size_bytes = file_->size();
  ASSIGN_OR_RETURN(auto index, ReadSection("index", footer_.index));
  if (!index_.Decode(index->bytes(), footer_.dictionary.offset) ||
      (index_.size() == 0) != (summary().entries == 0) ||
      (index_.size() > 0 && index_.first_key(0) != summary().first_key)) {
    return SstableDamage(name(), "index", footer_.index.offset, "it cannot be decoded");
  }
  LoadDictionary(footer_.dictionary);
  LoadFilter(footer_.filter);
  return OkStatus();
}

StatusOr<Footer> SstableReader::ReadFooter() const {
  uint64_t size = file_->size();
  size_t tail_size = static_cast<size_t>(std::min<uint64_t>(size, Footer::kSizeMax));
  std::string tail;
  RETURN_IF_ERROR(file_->Read(size - tail_size, tail_size, &tail));
  return Footer::Decode(tail, size, name());
}

StatusOr<std::shared_ptr<const Block>> SstableReader::ReadSection(std::string_view what,
                                                                  const BlockHandle& handle) const {
  std::string stored;
  RETURN_IF_ERROR(file_->Read(handle.offset, handle.stored_size, &stored));
  return DecodeBlock(name(), what, handle, stored, kSectionRawSizeMax, nullptr);
}

// A lost dictionary is kept as a status: the blocks that do not need it are still served (FAULTS.md
// D3).
void SstableReader::LoadDictionary(const BlockHandle& handle) {
  if (handle.stored_size == 0) return;
  auto content = ReadSection("dictionary", handle);
  dictionary_status_ = content.status();
  if (!content.ok()) return;
  auto dictionary = DecodeDictionary::Create(*std::move(content));
  dictionary_status_ = dictionary.status();
  if (dictionary.ok()) dictionary_ = *std::move(dictionary);
}

// A damaged filter costs speed, not correctness (FAULTS.md D4); VerifyAll reports it.
void SstableReader::LoadFilter(const BlockHandle& handle) {
  if (handle.stored_size == 0) return;
  auto filter = ReadSection("filter", handle);
  filter_status_ = filter.status();
  if (!filter.ok()) return;
  auto kind = static_cast<uint8_t>((*filter)->bytes().empty() ? '\0' : (*filter)->bytes()[0]);
  if (kind != static_cast<uint8_t>(properties_.options.bloom)) {
    filter_status_ = SstableDamage(name(), "filter", handle.offset, "it is of an unknown kind");
    return;
  }
  filter_ = *std::move(filter);
}

std::string_view SstableReader::FilterBytes() const {
  return filter_ == nullptr ? std::string_view() : filter_->bytes().substr(1);
}

// True if no key with this prefix lies between the file's first and last key.
bool SstableReader::OutsideKeyRange(std::string_view prefix) const {
  const FileSummary& file = summary();
  if (file.entries == 0) return true;
  return prefix > file.last_key ||
         std::string_view(file.first_key).substr(0, prefix.size()) > prefix;
}

bool SstableReader::MayContainRow(std::string_view row_prefix) const {
  if (OutsideKeyRange(row_prefix)) return false;
  return BloomFilterMayContain(FilterBytes(), RowFilterHash(row_prefix));
}

bool SstableReader::MayContainColumn(std::string_view column_prefix) const {
  std::string_view row_prefix = RowPrefix(column_prefix);
  if (OutsideKeyRange(row_prefix)) return false;
  std::string_view filter = FilterBytes();
  if (properties_.options.bloom != BloomKind::kRowColumn) {
    return BloomFilterMayContain(filter, RowFilterHash(row_prefix));
  }
  return BloomFilterMayContain(filter, ColumnFilterHash(column_prefix)) ||
         (summary().tombstones > 0 &&
          BloomFilterMayContain(filter, WideTombstoneFilterHash(row_prefix)));
}

uint64_t SstableReader::memory_bytes() const {
  uint64_t bytes = sizeof(*this) + index_.memory_bytes();
  if (filter_ != nullptr) bytes += filter_->charge();
  if (dictionary_ != nullptr) bytes += dictionary_->memory_bytes();
  return bytes;
}

std::unique_ptr<EntryIterator> SstableReader::NewIterator(const FileRead& read) const {
  return NewSstableIterator(shared_from_this(), read);
}

Status SstableReader::ReadStored(size_t first_block, size_t count, std::string* stored) const {
  StageTimer timer(&CallNotes::disk_nanos);
  const BlockIndex::Entry& first = index_.entry(first_block);
  uint64_t end = index_.entry(first_block + count - 1).handle().end();
  return Annotate(file_->Read(first.offset, static_cast<size_t>(end - first.offset), stored),
                  "sstable");
}

StatusOr<std::shared_ptr<Block>> SstableReader::Decode(size_t block,
                                                       std::string_view stored) const {
  auto decoded = DecodeBlock(name(), "block", index_.entry(block).handle(), stored,
                             limits::kBlockRawSizeMax, dictionary_.get());
  if (!decoded.ok() && !dictionary_status_.ok()) {
    return Annotate(decoded.status(), MessageOf(dictionary_status_));
  }
  RETURN_IF_ERROR(decoded.status());
  // The first key must be the one in the index, else these are the bytes of another block. This is
  // checked once per read from disk, not at each search of a cached block.
  BlockCursor cursor;
  cursor.Init((*decoded)->bytes());
  cursor.SeekToFirst();
  if (!cursor.Valid() || cursor.key() != index_.first_key(block)) {
    return SstableDamage(name(), "block", index_.entry(block).offset,
                         "its first key is not the one in the index");
  }
  return decoded;
}

std::shared_ptr<const Block> SstableReader::CachedBlock(size_t block) const {
  if (cache_ == nullptr) return nullptr;
  return cache_->Find(file_id_, index_.entry(block).offset, CacheUse::kScan);
}

StatusOr<std::shared_ptr<const Block>> SstableReader::ReadBlock(size_t block,
                                                                const FileRead& read) const {
  ReadCounters* counters = read.counters;
  uint64_t offset = index_.entry(block).offset;
  if (cache_ != nullptr) {
    auto cached = cache_->Find(file_id_, offset);
    if (cached != nullptr) {
      if (counters != nullptr) ++counters->blocks_cached;
      return cached;
    }
  }
  if (read.from_memory) return NotInMemory();
  std::string stored;
  RETURN_IF_ERROR(ReadStored(block, 1, &stored));
  if (counters != nullptr) {
    ++counters->blocks_from_disk;
    ++counters->disk_reads;
    counters->disk_bytes += stored.size();
  }
  StageTimer timer(&CallNotes::cache_nanos);
  ASSIGN_OR_RETURN(auto decoded, Decode(block, stored));
  decoded->SetHeads(MakeRestartHeads(decoded->bytes()));
  bool kept = read.in_memory && Pin(block, decoded);
  if (cache_ != nullptr && !kept) cache_->Insert(file_id_, offset, decoded);
  return decoded;
}

StatusOr<std::string> SstableReader::Sample(std::string_view first_key, std::string_view limit_key,
                                            size_t bytes_max) const {
  std::string sample;
  size_t begin = index_.FindBlock(first_key);
  size_t end = index_.BlocksBefore(limit_key);
  uint64_t total = 0;
  for (size_t i = begin; i < end; ++i) total += index_.entry(i).raw_size;
  if (total == 0 || bytes_max == 0) return sample;
  uint64_t pieces = std::max<uint64_t>(1, bytes_max / kSamplePiece);
  uint64_t step = std::max<uint64_t>(total / pieces, 1);
  uint64_t block_start = 0;  // start of block `begin` within the `total` bytes
  std::string stored;
  for (uint64_t at = 0; begin < end && sample.size() < bytes_max; ++begin) {
    uint64_t block_end = block_start + index_.entry(begin).raw_size;
    if (at < block_end) {
      RETURN_IF_ERROR(ReadStored(begin, 1, &stored));
      ASSIGN_OR_RETURN(auto block, Decode(begin, stored));
      for (; at < block_end && sample.size() < bytes_max; at += step) {
        AppendPiece(block->bytes(), static_cast<size_t>(at - block_start), step,
                    bytes_max - sample.size(), &sample);
      }
    }
    block_start = block_end;
  }
  return sample;
}

std::vector<std::string> SstableReader::SplitKeys(uint64_t raw_bytes) const {
  std::vector<std::string> keys;
  uint64_t since_cut = 0;
  for (size_t i = 0; i < index_.size(); ++i) {
    if (i > 0 && since_cut >= raw_bytes) {
      keys.emplace_back(index_.first_key(i));
      since_cut = 0;
    }
    since_cut += index_.entry(i).raw_size;
  }
  return keys;
}

// A key inside a block cuts it in the middle, so neighbouring ranges together have the bytes of the
// whole. Two keys inside one block leave a range without bytes, but it may have rows: it gets 1, so
// that a tablet that holds rows of a file never seems to be empty.
uint64_t SstableReader::StoredBytesBetween(std::string_view first_key,
                                           std::string_view limit_key) const {
  uint64_t data_bytes = footer_.dictionary.offset;
  if (index_.size() == 0 || data_bytes == 0) return 0;
  auto offset_of = [&](std::string_view key) -> uint64_t {
    if (key.empty() || key > summary().last_key) return data_bytes;
    size_t before = index_.BlocksBefore(key);
    if (before == 0) return 0;
    bool at_end = before == index_.size();
    uint64_t next = at_end ? data_bytes : index_.entry(before).offset;
    if (!at_end && index_.first_key(before).starts_with(key)) return next;
    return next - (next - index_.entry(before - 1).offset) / 2;
  };
  uint64_t first = first_key.empty() ? 0 : offset_of(first_key);
  uint64_t limit = offset_of(limit_key);
  if (first >= limit) return 1;
  return static_cast<uint64_t>(static_cast<double>(limit - first) /
                               static_cast<double>(data_bytes) *
                               static_cast<double>(summary().size_bytes));
}

StatusOr<std::shared_ptr<SstableReader>> SstableReader::Open(FileSystem* fs, std::string path,
                                                             uint64_t file_id, BlockCache* cache) {
  ASSIGN_OR_RETURN(auto file, fs->OpenRandom(path));
  std::shared_ptr<SstableReader> reader(
      new SstableReader(std::move(path), file_id, cache, std::move(file)));
  RETURN_IF_ERROR(reader->Load());
  return reader;
}

}  // namespace sippar::engine
