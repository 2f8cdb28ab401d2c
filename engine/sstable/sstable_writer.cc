// SPDX-License-Identifier: Apache-2.0
#include "engine/sstable/sstable_writer.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/base/check.h"
#include "engine/base/crash_point.h"
#include "engine/base/limits.h"
#include "engine/base/printable.h"
#include "engine/model/cell_key.h"
#include "engine/sstable/block_builder.h"
#include "engine/sstable/block_codec.h"
#include "engine/sstable/block_index.h"
#include "engine/sstable/bloom_filter.h"
#include "engine/sstable/sstable_properties.h"

namespace sippar::engine {
namespace {

constexpr size_t kAppendSize = 1 << 20;  // bytes per write to the file
constexpr size_t kShownKeySize = 80;     // shown bytes of a key in a message
constexpr size_t kEntryOverhead = 64;    // upper bound of the framing of a huge entry
// Compression level of the sections: high, as they are small and written once.
constexpr int kSectionLevel = 6;
// With smaller blocks the index would outgrow the data.
constexpr uint32_t kBlockSizeMin = 1 << 8;

std::string Shown(std::string_view key) { return PrintableBytes(key.substr(0, kShownKeySize)); }

}  // namespace

SstableWriter::SstableWriter(FileSystem* fs, std::string path, uint64_t file_id,
                             SstableOptions options)
    : fs_(fs), path_(std::move(path)), options_(options) {
  options_.block_size = std::clamp<uint32_t>(options_.block_size, kBlockSizeMin,
                                             static_cast<uint32_t>(limits::kBlockSizeMax));
  summary_.file_id = file_id;
}

Status SstableWriter::Open(std::string sample) {
  if (!options_.dictionary) sample.clear();
  if (sample.size() > kDictionarySizeMax) sample.resize(kDictionarySizeMax);
  ASSIGN_OR_RETURN(encoder_, BlockEncoder::Create(summary_.file_id, options_.compression,
                                                  options_.level, std::move(sample)));
  ASSIGN_OR_RETURN(section_encoder_,
                   BlockEncoder::Create(summary_.file_id, options_.compression, kSectionLevel, ""));
  ASSIGN_OR_RETURN(bool taken, fs_->Exists(path_));
  if (taken) return AlreadyExists(fmt::format("sstable {}: the file already exists", path_));
  ASSIGN_OR_RETURN(file_, fs_->Create(Unfinished()));
  created_ = true;
  CRASH_POINT("sstable.after_create");
  return OkStatus();
}

Status SstableWriter::CheckEntry(std::string_view key, std::string_view value,
                                 ParsedKey* parsed) const {
  if (key.size() + value.size() + kEntryOverhead > limits::kBlockRawSizeMax) {
    return InvalidArgument(fmt::format("sstable {}: an entry has {} bytes; the limit is {}", path_,
                                       key.size() + value.size(), limits::kBlockRawSizeMax));
  }
  if (!ParseKey(key, parsed)) {
    return InvalidArgument(
        fmt::format("sstable {}: it is not written, because an entry has no valid cell key ('{}'); "
                    "the memtables or SSTables that it was made from are kept; report this",
                    path_, Shown(key)));
  }
  if (summary_.entries > 0 && key <= LastKey()) {
    return InvalidArgument(
        fmt::format("sstable {}: key {} does not follow {}", path_, Shown(key), Shown(LastKey())));
  }
  return OkStatus();
}

// Each part of a key ends in a terminator, so if the last key begins with the row or column part of
// this key, both keys have the same row or column.
void SstableWriter::CountRowAndColumn(const ParsedKey& parsed) {
  std::string_view last = LastKey();
  bool first = summary_.entries == 0;
  bool filtered = options_.bloom != BloomKind::kNone;
  if (first || !last.starts_with(parsed.row_part)) {
    ++summary_.rows;
    if (filtered) filter_.Add(RowFilterHash(parsed.row_part));
  }
  if (options_.bloom != BloomKind::kRowColumn) return;
  if (parsed.kind == EntryKind::kRowTombstone || parsed.kind == EntryKind::kFamilyTombstone) {
    filter_.Add(WideTombstoneFilterHash(parsed.row_part));
  } else if (first || !last.starts_with(parsed.column_part)) {
    filter_.Add(ColumnFilterHash(parsed.column_part));
  }
}

void SstableWriter::CountEntry(const ParsedKey& parsed, size_t raw_bytes) {
  ++summary_.entries;
  summary_.raw_bytes += raw_bytes;
  summary_.sequence_min = std::min(summary_.sequence_min, parsed.sequence);
  summary_.sequence_max = std::max(summary_.sequence_max, parsed.sequence);
  if (parsed.kind != EntryKind::kCell) {
    ++summary_.tombstones;
    block_times_.time_min_us = kTimeMin;
    block_times_.time_max_us = kTimeMax;
  } else {
    int64_t time = parsed.timestamp_us;
    summary_.time_min_us = std::min(summary_.time_min_us, time);
    summary_.time_max_us = std::max(summary_.time_max_us, time);
    block_times_.time_min_us = std::min(block_times_.time_min_us, time);
    block_times_.time_max_us = std::max(block_times_.time_max_us, time);
  }
  if (parsed.kind == EntryKind::kRowTombstone) return;
  if (family_ == nullptr || parsed.family != family_name_) {
    auto found = summary_.families.try_emplace(std::string(parsed.family)).first;
    family_name_ = found->first;
    family_ = &found->second;
  }
  if (parsed.kind == EntryKind::kCell) ++family_->cells;
  family_->raw_bytes += raw_bytes;
}

Status SstableWriter::Add(std::string_view key, std::string_view value) {
  CHECK(file_ != nullptr && !finished_);
  ParsedKey parsed;
  RETURN_IF_ERROR(CheckEntry(key, value, &parsed));
  // A small entry does not share a block with a huge one: reading the small entry would cost as
  // much as reading the huge one.
  size_t size = key.size() + value.size();
  if (!block_.empty() && block_.size() + size > 2 * size_t{options_.block_size}) {
    RETURN_IF_ERROR(FlushBlock());
  }
  if (block_.empty()) {
    block_first_key_ = key;
    block_times_.time_min_us = kTimeMax;
    block_times_.time_max_us = kTimeMin;
    if (summary_.entries == 0) summary_.first_key = key;
  }
  CountRowAndColumn(parsed);
  CountEntry(parsed, size);
  block_.Add(key, value);
  return block_.size() >= options_.block_size ? FlushBlock() : OkStatus();
}

Status SstableWriter::FlushBlock() {
  if (block_.empty()) return OkStatus();
  auto count = static_cast<uint32_t>(block_.entries());
  ASSIGN_OR_RETURN(BlockHandle handle, encoder_->Append(block_.Finish(), offset_, &pending_));
  BlockIndex::Entry entry = block_times_;
  entry.offset = offset_;
  entry.stored_size = static_cast<uint32_t>(handle.stored_size);
  entry.raw_size = static_cast<uint32_t>(handle.raw_size);
  entry.entries = count;
  index_.Add(block_first_key_, entry);
  offset_ = handle.end();
  summary_.last_key = block_.last_key();
  block_.Reset();
  CRASH_POINT("sstable.after_block");
  return AppendPending(kAppendSize);
}

Status SstableWriter::AppendPending(size_t least) {
  if (pending_.size() < least) return OkStatus();
  RETURN_IF_ERROR(Annotate(file_->Append(pending_), "sstable"));
  pending_.clear();
  if (pending_.capacity() > 4 * kAppendSize) pending_.shrink_to_fit();
  return OkStatus();
}

// Writes a section, or nothing if the section is empty.
StatusOr<BlockHandle> SstableWriter::AddSection(BlockEncoder* encoder, std::string_view name,
                                                std::string_view bytes) {
  if (bytes.empty()) return BlockHandle{offset_, 0, 0};
  if (bytes.size() > kSectionRawSizeMax) {
    return ResourceExhausted(
        fmt::format("sstable {}: its {} would have {} bytes and readers accept at most {}; this "
                    "is a bug in sippar",
                    path_, name, bytes.size(), kSectionRawSizeMax));
  }
  ASSIGN_OR_RETURN(BlockHandle handle, encoder->Append(bytes, offset_, &pending_));
  offset_ = handle.end();
  return handle;
}

Status SstableWriter::AddTail() {
  BlockEncoder* sections = section_encoder_.get();
  std::string filter = filter_.Build();
  if (!filter.empty()) filter.insert(0, 1, static_cast<char>(options_.bloom));
  std::string_view dictionary;
  if (encoder_->dictionary_used()) dictionary = encoder_->dictionary();
  Footer footer;
  footer.file_id = summary_.file_id;
  ASSIGN_OR_RETURN(footer.dictionary, AddSection(sections, "dictionary", dictionary));
  ASSIGN_OR_RETURN(footer.filter, AddSection(sections, "filter", filter));
  ASSIGN_OR_RETURN(footer.index, AddSection(sections, "index", index_.Encode()));
  ASSIGN_OR_RETURN(footer.properties, AddSection(sections, "properties",
                                                 SstableProperties{summary_, options_}.Encode()));
  pending_ += footer.Encode(offset_);
  offset_ += Footer::kSize;
  return AppendPending(0);
}

StatusOr<FileSummary> SstableWriter::Finish() {
  CHECK(file_ != nullptr && !finished_);
  RETURN_IF_ERROR(FlushBlock());
  RETURN_IF_ERROR(AddTail());
  // A crash before the rename leaves a file whose name marks it as unfinished. A file with its
  // final name has all its bytes synced.
  CRASH_POINT("sstable.written");
  RETURN_IF_ERROR(Annotate(file_->Sync(), "sstable"));
  CRASH_POINT("sstable.synced");
  Status closed = file_->Close();
  file_ = nullptr;
  RETURN_IF_ERROR(Annotate(closed, "sstable"));
  RETURN_IF_ERROR(Annotate(fs_->Rename(Unfinished(), path_), "sstable"));
  finished_ = true;
  summary_.size_bytes = offset_;
  return summary_;
}

void SstableWriter::Abandon() {
  if (finished_ || !created_) return;  // a file that existed before must stay
  if (file_ != nullptr) static_cast<void>(file_->Close());
  file_ = nullptr;
  static_cast<void>(fs_->Remove(Unfinished()));
  finished_ = true;
}

StatusOr<std::unique_ptr<SstableWriter>> SstableWriter::Create(FileSystem* fs, std::string path,
                                                               uint64_t file_id,
                                                               SstableOptions options,
                                                               std::string sample) {
  std::unique_ptr<SstableWriter> writer(new SstableWriter(fs, std::move(path), file_id, options));
  RETURN_IF_ERROR(writer->Open(std::move(sample)));
  return writer;
}

}  // namespace sippar::engine
