// SstableReader::VerifyAll, for `sippar admin verify`, and SstableReader::Dump, for people.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "engine/base/printable.h"
#include "engine/model/cell_key.h"
#include "engine/sstable/block_cursor.h"
#include "engine/sstable/bloom_filter.h"
#include "engine/sstable/sstable_reader.h"

namespace sippar::engine {
namespace {

constexpr size_t kShownValueSize = 60;

std::string PrintEntry(std::string_view key, std::string_view value) {
  ParsedKey parsed;
  if (!ParseKey(key, &parsed))
    return fmt::format("    not a valid cell key: {}\n", PrintableBytes(key));
  std::string qualifier;
  UnescapeTo(parsed.escaped_qualifier, &qualifier);
  std::string row = PrintableBytes(DecodeRowPart(parsed.row_part));
  switch (parsed.kind) {
    case EntryKind::kRowTombstone:
      return fmt::format("    {} deleted #{}\n", row, parsed.sequence);
    case EntryKind::kFamilyTombstone:
      return fmt::format("    {} {}: deleted #{}\n", row, PrintableBytes(parsed.family),
                         parsed.sequence);
    case EntryKind::kColumnTombstone:
      return fmt::format("    {} {}:{} deleted #{}\n", row, PrintableBytes(parsed.family),
                         PrintableBytes(qualifier), parsed.sequence);
    case EntryKind::kCell:
      break;
  }
  return fmt::format("    {} {}:{} @{} #{} = {} bytes: {}{}\n", row, PrintableBytes(parsed.family),
                     PrintableBytes(qualifier), parsed.timestamp_us, parsed.sequence, value.size(),
                     PrintableBytes(value.substr(0, kShownValueSize)),
                     value.size() > kShownValueSize ? "..." : "");
}

std::string PrintSection(std::string_view title, const BlockHandle& handle, const Status& status) {
  if (handle.stored_size == 0) return fmt::format("{:<12}none\n", title);
  return fmt::format("{:<12}at {}, {} bytes stored, {} raw{}{}\n", title, handle.offset,
                     handle.stored_size, handle.raw_size,
                     status.ok() ? "" : ", DAMAGED: ", MessageOf(status));
}

std::string PrintSummary(const FileSummary& file) {
  std::string out = fmt::format(
      "size        {} bytes, {} raw ({:.2f}:1)\n"
      "entries     {}, of these {} tombstones, in {} rows\n"
      "keys        {} .. {}\n"
      "sequences   {} .. {}\n"
      "times       {} .. {}\n",
      file.size_bytes, file.raw_bytes,
      static_cast<double>(file.raw_bytes) /
          static_cast<double>(std::max<uint64_t>(file.size_bytes, 1)),
      file.entries, file.tombstones, file.rows, PrintableBytes(file.first_key),
      PrintableBytes(file.last_key), file.sequence_min, file.sequence_max, file.time_min_us,
      file.time_max_us);
  for (const auto& [family, bytes] : file.families) {
    out += fmt::format("family      {}: {} cells, {} raw bytes\n", PrintableBytes(family),
                       bytes.cells, bytes.raw_bytes);
  }
  return out;
}

std::string PrintEntries(const Block& block) {
  std::string out;
  BlockCursor cursor;
  cursor.Init(block.bytes());
  for (cursor.SeekToFirst(); cursor.Valid(); cursor.Next()) {
    out += PrintEntry(cursor.key(), cursor.value());
  }
  if (cursor.damaged()) out += "    DAMAGED: the block cannot be decoded\n";
  return out;
}

}  // namespace

Status SstableReader::VerifyBlock(size_t block, std::string* last_key, FileSummary* found) const {
  const BlockIndex::Entry& entry = index_.entry(block);
  auto damage = [&](std::string_view problem) {
    return SstableDamage(name(), "block", entry.offset, problem);
  };
  std::string stored;
  RETURN_IF_ERROR(ReadStored(block, 1, &stored));
  ASSIGN_OR_RETURN(auto decoded, Decode(block, stored));
  BlockCursor cursor;
  cursor.Init(decoded->bytes());
  // Counts are summed over all blocks and compared with the properties at the end.
  uint64_t before = found->entries;
  for (cursor.SeekToFirst(); cursor.Valid(); cursor.Next()) {
    if (found->entries > 0 && cursor.key() <= *last_key) return damage("its keys do not ascend");
    ParsedKey parsed;
    if (!ParseKey(cursor.key(), &parsed))
      return damage("it contains a string that is not a valid cell key");
    if (!BloomFilterMayContain(FilterBytes(), RowFilterHash(parsed.row_part))) {
      return SstableDamage(name(), "filter", footer_.filter.offset,
                           "it lacks a row that the blocks contain");
    }
    last_key->assign(cursor.key());
    ++found->entries;
    found->raw_bytes += cursor.key().size() + cursor.value().size();
    if (parsed.kind != EntryKind::kCell) ++found->tombstones;
  }
  if (cursor.damaged()) return damage("it cannot be decoded");
  if (found->entries - before != entry.entries) {
    return damage("it does not hold as many entries as the index says");
  }
  return OkStatus();
}

Status SstableReader::VerifyAll() const {
  RETURN_IF_ERROR(dictionary_status_);
  RETURN_IF_ERROR(filter_status_);
  // The sections were checked when the file was opened; their bytes on disk may have changed since.
  ASSIGN_OR_RETURN(Footer footer, ReadFooter());
  if (footer.index != footer_.index || footer.properties != footer_.properties) {
    return SstableDamage(name(), "footer", footer_.properties.end(),
                         "it has changed since the file was opened");
  }
  for (const auto& [what, handle] :
       {std::pair("dictionary", &footer_.dictionary), std::pair("filter", &footer_.filter),
        std::pair("index", &footer_.index), std::pair("properties", &footer_.properties)}) {
    if (handle->stored_size > 0) RETURN_IF_ERROR(ReadSection(what, *handle).status());
  }
  std::string last_key;
  FileSummary found;
  for (size_t i = 0; i < index_.size(); ++i) RETURN_IF_ERROR(VerifyBlock(i, &last_key, &found));
  const FileSummary& file = summary();
  if (found.entries != file.entries || found.raw_bytes != file.raw_bytes ||
      found.tombstones != file.tombstones || last_key != file.last_key) {
    return SstableDamage(name(), "properties", footer_.properties.offset,
                         "they do not agree with the blocks");
  }
  return OkStatus();
}

std::string SstableReader::Dump(bool with_entries) const {
  static constexpr std::string_view kBloomNames[] = {"none", "row", "row and column"};
  const SstableOptions& options = properties_.options;
  std::string out = fmt::format("sstable     {} (file {})\n", path_, file_id_);
  out += PrintSummary(summary());
  out +=
      fmt::format("written     block size {}, compression {}, level {}, dictionary {}, bloom {}\n",
                  options.block_size, options.compression == Compression::kZstd ? "zstd" : "none",
                  options.level, options.dictionary ? "on" : "off",
                  kBloomNames[static_cast<size_t>(options.bloom)]);
  out += PrintSection("dictionary", footer_.dictionary, dictionary_status_);
  out += PrintSection("filter", footer_.filter, filter_status_);
  out += PrintSection("index", footer_.index, OkStatus());
  out += PrintSection("properties", footer_.properties, OkStatus());
  for (size_t i = 0; i < index_.size(); ++i) {
    const BlockIndex::Entry& entry = index_.entry(i);
    out += fmt::format(
        "  block {} at {}: {} entries, {} bytes stored, {} raw, times {} .. {}, from {}\n", i,
        entry.offset, entry.entries, entry.stored_size, entry.raw_size, entry.time_min_us,
        entry.time_max_us, PrintableBytes(index_.first_key(i)));
    std::string stored;
    Status read = ReadStored(i, 1, &stored);
    auto block = read.ok() ? Decode(i, stored) : read;
    if (!block.ok()) out += fmt::format("    DAMAGED: {}\n", MessageOf(block.status()));
    if (block.ok() && with_entries) out += PrintEntries(**block);
  }
  return out;
}

}  // namespace sippar::engine
