// SPDX-License-Identifier: Apache-2.0
#include "engine/read/column_versions.h"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "engine/base/printable.h"

namespace sippar::engine {

Status KeyDamage(std::string_view key) {
  constexpr size_t kShownMax = 100;
  return DataLoss(
      fmt::format("stored key '{}' of {} bytes cannot be decoded; `sippar admin verify TARGET` "
                  "names its file, which a copy can replace; or restore the table from a backup",
                  PrintableBytes(key.substr(0, kShownMax)), key.size()));
}

// The column is read twice: here, and by the caller, which needs the values that survive. Keeping
// the values from the first pass would take as much memory as the column.
Status ColumnVersions::Replay(const EntryPlace& place, const DeleteMarks& deletes,
                              uint64_t snapshot, EntryIterator* input) {
  const std::string first(input->key());
  std::vector<Version> puts;
  ParsedKey parsed;
  for (; input->Valid() && input->key().starts_with(place.column_part()); input->Next()) {
    if (!ParseKey(input->key(), &parsed)) return KeyDamage(input->key());
    bool counts = parsed.kind == EntryKind::kCell && parsed.sequence <= snapshot &&
                  !deletes.Hides(parsed.sequence);
    if (counts) puts.push_back({parsed.timestamp_us, parsed.sequence});
  }
  RETURN_IF_ERROR(input->status());
  survivors_ = ReplayVersions(std::move(puts), deletes.ranges(), *rule_, now_us_);
  next_survivor_ = 0;
  is_replayed_ = true;
  input->Seek(first);
  return OkStatus();
}

bool ColumnVersions::Survives(const Version& version) {
  while (next_survivor_ < survivors_.size() &&
         survivors_[next_survivor_].timestamp_us > version.timestamp_us) {
    ++next_survivor_;
  }
  return next_survivor_ < survivors_.size() && survivors_[next_survivor_] == version;
}

}  // namespace sippar::engine
