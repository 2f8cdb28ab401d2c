// Text for `sippar admin tablet dump`.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "engine/base/printable.h"
#include "engine/model/cell_key.h"
#include "engine/tablet/tablet.h"

namespace sippar::engine {
namespace {

std::string RowOf(const std::string& key) { return PrintableBytes(DecodeRowPart(RowPrefix(key))); }

std::string PrintMemtable(const char* role, const Memtable& memtable) {
  return fmt::format("  memtable  {}: {} entries, {} bytes of keys and values, {} of memory\n",
                     role, memtable.entries(), memtable.raw_bytes(), memtable.memory_bytes());
}

std::string PrintFile(const FileSummary& file) {
  return fmt::format(
      "    file    {:016x}.sst: {} bytes, {} raw, {} entries, {} tombstones, {} rows, '{}' .. "
      "'{}'\n",
      file.file_id, file.size_bytes, file.raw_bytes, file.entries, file.tombstones, file.rows,
      RowOf(file.first_key), RowOf(file.last_key));
}

std::string PrintGroup(const GroupVersion& group) {
  std::string text = fmt::format("group       {}\n", group.name);
  text += PrintMemtable("active", *group.active);
  for (const auto& memtable : group.frozen) text += PrintMemtable("frozen", *memtable);
  for (const TabletRun& run : group.runs) {
    text +=
        fmt::format("  run       {:016x}: {} files, {} since {} us\n", run.run_id, run.files.size(),
                    run.major ? "clean" : "not compacted to the end", run.made_us);
    for (const auto& file : run.files) text += PrintFile(file->summary());
  }
  return text;
}

}  // namespace

std::string Tablet::Dump() const {
  TabletSnapshot snapshot = body_.TakeSnapshot();
  std::string text = fmt::format(
      "tablet      {} of table {}\n"
      "rows        '{}' .. {}\n"
      "sequence    {} visible, {} is the redo point\n",
      body_.id, snapshot.schema->name, PrintableBytes(body_.range.start),
      body_.range.limit.empty() ? "end" : "'" + PrintableBytes(body_.range.limit) + "'",
      snapshot.sequence, flusher_.redo_sequence());
  if (int64_t oldest_us = flusher_.oldest_write_us(); oldest_us != 0) {
    text += fmt::format("in memory   since {} us\n", oldest_us);
  }
  for (const GroupVersion& group : snapshot.version->groups) text += PrintGroup(group);
  return text;
}

}  // namespace sippar::engine
