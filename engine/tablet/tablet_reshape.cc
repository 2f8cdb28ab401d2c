// A tablet gives way to others: no write in flight, everything in SSTables, the state handed over.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "engine/base/crash_point.h"
#include "engine/model/cell_key.h"
#include "engine/tablet/reshape.h"
#include "engine/tablet/tablet.h"

namespace sippar::engine {
namespace {
constexpr uint64_t kPieces = 256;  // pieces among whose borders the middle is sought
}  // namespace

StatusOr<std::optional<std::string>> Tablet::MiddleRow() const {
  TabletSnapshot snapshot = body_.TakeSnapshot();
  std::vector<std::shared_ptr<const TabletFile>> files;
  uint64_t raw_bytes = 0;
  for (const GroupVersion& group : snapshot.version->groups) {
    for (const TabletRun& run : group.runs) {
      for (const auto& file : run.files) {
        files.push_back(file);
        raw_bytes += file->summary().raw_bytes;
      }
    }
  }
  std::vector<std::string> keys;
  std::string first_key;
  for (const auto& file : files) {
    ASSIGN_OR_RETURN(std::vector<std::string> of_file, file->SplitKeys(raw_bytes / kPieces));
    std::move(of_file.begin(), of_file.end(), std::back_inserter(keys));
    if (first_key.empty() || file->first_key() < first_key) first_key = file->first_key();
  }
  return ChooseMiddleRow(std::move(keys), first_key);
}

uint64_t Tablet::StoredBytesOf(const FileRef& file, const RowRange& rows) const {
  std::shared_ptr<SharedSstable> shared = body_.context->files->Find(file.summary.file_id);
  auto reader = shared->Reader();
  // Only an estimate for sizes; the read that needs the file reports the error.
  if (!reader.ok()) return file.part_bytes / 2;
  return (*reader)->StoredBytesBetween(SeekKeyForRow(rows.start), SeekKeyForRow(rows.limit));
}

std::map<std::string, uint64_t> Tablet::FamilyBirths() const {
  MutexLock state_lock(&body_.state_mutex);
  return body_.state.family_births;
}

Status Tablet::ForgetBirths() {
  // Taken before the compaction: a birth that is added while it runs must stay, as the cells that
  // it hides may have been written again.
  std::map<std::string, uint64_t> before = FamilyBirths();
  RETURN_IF_ERROR(compactor_.CompactMajor(""));
  std::shared_ptr<const TableSchema> schema = body_.TakeSnapshot().schema;
  MutexLock state_lock(&body_.state_mutex);
  if (PlanSettling(body_.state.old_groups, *schema, "").has_value()) {
    return Aborted(fmt::format("families of tablet {} were moved meanwhile", body_.id));
  }
  TabletState changed = body_.state;
  std::erase_if(changed.family_births, [&](const auto& birth) {
    auto old = before.find(birth.first);
    return old != before.end() && old->second == birth.second;
  });
  for (const FamilySchema& family : schema->families) {
    // Birth 0 hides nothing, but keeps the family known: HearOfFamilies would otherwise give it a
    // birth that hides all its cells.
    if (family.incarnation > 0) changed.family_births.emplace(BirthKey(family), 0);
  }
  CRASH_POINT("births.before_state");
  RETURN_IF_ERROR(body_.SaveState(std::move(changed)));
  CRASH_POINT("births.after_state");
  MutexLock lock(&body_.mutex);
  body_.rules = MakeRules(*body_.schema, body_.state);
  return OkStatus();
}

}  // namespace sippar::engine
