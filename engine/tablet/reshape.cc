// SPDX-License-Identifier: Apache-2.0
#include "engine/tablet/reshape.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "engine/base/seeded_bug.h"
#include "engine/model/cell_key.h"

#include "engine/tablet/request_memory.h"

namespace sippar::engine {
namespace {

constexpr int64_t kMergeAgeMicros = 24ll * 3600 * 1'000'000;
// Tablets are merged up to a quarter of the split size: the merged tablet must grow fourfold before
// it is split again, so splits and merges do not alternate.
constexpr uint64_t kMergeDivisor = 4;

// The reference to the file for a tablet with the row range `rows`: it shows only those of the
// file's visible rows that are in `rows`. nullopt if there can be none, by the row ranges and the
// file's first and last key.
std::optional<FileRef> PartOfFile(const FileRef& file, const RowRange& rows) {
  FileRef part = file;
  part.rows = Intersect(file.rows, rows);
  if (SEEDED_BUG("split-key-off-by-one") && !part.rows.start.empty()) part.rows.start += '\0';
  if (part.rows.IsEmpty()) return std::nullopt;
  std::string start = SeekKeyForRow(part.rows.start);
  std::string limit = SeekKeyForRow(part.rows.limit);
  const FileSummary& whole = file.summary;
  if (whole.last_key < start || (!limit.empty() && whole.first_key >= limit)) return std::nullopt;
  bool cut = whole.first_key < start || (!limit.empty() && whole.last_key >= limit);
  // A file that lies wholly inside the range is named without bounds, so that readers do not clip
  // it.
  if (!cut) part.rows = RowRange::All();
  return part;
}

// Appends `files`; two adjacent parts of one file, as a split leaves them, become one part again.
void AppendFiles(const std::vector<FileRef>& files, std::vector<FileRef>* out) {
  for (const FileRef& file : files) {
    FileRef* last = out->empty() ? nullptr : &out->back();
    if (last == nullptr || last->summary.file_id != file.summary.file_id ||
        last->rows.limit != file.rows.start) {
      out->push_back(file);
      continue;
    }
    FileRef whole = file;
    whole.rows = {last->rows.start, file.rows.limit};
    whole.part_bytes = last->part_bytes + file.part_bytes;
    *last = *PartOfFile(whole, RowRange::All());
  }
}

// Sets the age of the run `to`, which now also holds `from`. If a major compaction made only one of
// the two runs, the age of the other run counts, since only that run may hold deletes and garbage
// as old as its age. Otherwise the higher age counts.
void JoinAges(const RunState& from, RunState* to) {
  if (to->files.empty() || (to->major && !from.major)) {
    to->made_us = from.made_us;
    to->major = from.major;
  } else if (to->major == from.major) {
    to->made_us = std::min(to->made_us, from.made_us);
  }
}

std::vector<RunState> RunsOf(const TabletState& state, const std::string& group) {
  for (const GroupState& candidate : state.groups) {
    if (candidate.name == group) return candidate.runs;
  }
  return {};
}

}  // namespace

std::string BirthKey(const FamilySchema& family) {
  if (family.incarnation == 0) return family.name;
  return fmt::format("{}#{}", family.name, family.incarnation);
}

std::string RuleEndKey(const FamilySchema& family, const EarlierGc& earlier) {
  return fmt::format("{}@{}", BirthKey(family), earlier.until_version);
}

std::set<std::string> SequenceKeys(const TableSchema& schema) {
  std::set<std::string> keys;
  for (const FamilySchema& family : schema.families) {
    keys.insert(BirthKey(family));
    for (const EarlierGc& earlier : family.earlier) keys.insert(RuleEndKey(family, earlier));
  }
  return keys;
}

void FitToSchema(const TableSchema& schema, TabletState* state) {
  const std::set<std::string> keys = SequenceKeys(schema);
  std::erase_if(state->family_births,
                [&](const auto& noted) { return !keys.contains(noted.first); });
  for (auto& [key, sequence] : state->family_births) {
    sequence = std::min(sequence, state->redo_sequence + 1);
  }
}

uint64_t SplitSizeOf(const TableSchema& schema, uint64_t usual) {
  auto option = schema.options.find("SPLIT_SIZE");
  if (option == schema.options.end()) return usual;
  // The text has the form in which the query language prints sizes, for example 200MiB.
  const std::string& text = option->second;
  uint64_t size = 0;
  auto parsed = std::from_chars(text.data(), text.data() + text.size(), size);
  std::string_view unit(parsed.ptr, static_cast<size_t>(text.data() + text.size() - parsed.ptr));
  for (std::string_view known : {"B", "KiB", "MiB", "GiB", "TiB"}) {
    if (unit.empty() || unit == known) break;
    size <<= 10;
  }
  return parsed.ec == std::errc() && size > 0 ? size : usual;
}

ReshapeDecision DecideSplit(const TabletSize& tablet, uint64_t split_size) {
  bool wanted = split_size > 0 && tablet.stored_bytes > split_size;
  return {wanted, fmt::format("{} bytes stored, {} split size {}", tablet.stored_bytes,
                              wanted ? "above" : "not above", split_size)};
}

ReshapeDecision DecideMerge(const TabletSize& left, const TabletSize& right, uint64_t split_size) {
  uint64_t bytes =
      left.stored_bytes + left.memtable_bytes + right.stored_bytes + right.memtable_bytes;
  int64_t age_us = std::min(left.age_us, right.age_us);
  if (age_us < kMergeAgeMicros) {
    return {false, fmt::format("one of them is {} s old; tablets are merged from {} s on",
                               age_us / 1'000'000, kMergeAgeMicros / 1'000'000)};
  }
  bool wanted = bytes <= split_size / kMergeDivisor;
  return {wanted, fmt::format("{} bytes together, {} a quarter of split size {}", bytes,
                              wanted ? "within" : "above", split_size)};
}

std::optional<std::string> ChooseMiddleRow(std::vector<std::string> keys,
                                           const std::string& first_key) {
  std::sort(keys.begin(), keys.end());
  std::optional<std::string> best;
  size_t best_distance = SIZE_MAX;
  for (size_t i = 0; i < keys.size(); ++i) {
    size_t distance = 2 * i + 1 > keys.size() ? 2 * i + 1 - keys.size() : keys.size() - 2 * i - 1;
    // Distances are doubled so that the middle of an even number of keys needs no fraction.
    if (distance >= best_distance) continue;
    std::string row = DecodeRowPart(RowPrefix(keys[i]));
    if (row.empty() || SeekKeyForRow(row) <= first_key) continue;
    best = std::move(row);
    best_distance = distance;
  }
  return best;
}

TabletState PartOfState(
    const TabletState& parent, uint64_t tablet_id, const RowRange& rows,
    const std::function<uint64_t(const FileRef&, const RowRange&)>& part_bytes) {
  TabletState part = parent;
  part.tablet_id = tablet_id;
  part.range = rows;
  for (GroupState& group : part.groups) {
    for (RunState& run : group.runs) {
      std::vector<FileRef> files;
      for (const FileRef& file : run.files) {
        std::optional<FileRef> piece = PartOfFile(file, rows);
        if (!piece.has_value()) continue;
        if (!(piece->rows == file.rows)) piece->part_bytes = part_bytes(file, piece->rows);
        if (piece->IsWhole()) piece->part_bytes = piece->summary.size_bytes;
        files.push_back(*std::move(piece));
      }
      run.files = std::move(files);
    }
    // A run without files would count against the limits of the compaction policy.
    std::erase_if(group.runs, [](const RunState& run) { return run.files.empty(); });
  }
  return part;
}

StatusOr<TabletState> JoinStates(const TabletState& left, const TabletState& right,
                                 uint64_t tablet_id,
                                 const std::function<StatusOr<uint64_t>()>& next_run_id) {
  if (left.family_births != right.family_births) {
    return Aborted(
        fmt::format("the schema of tablets {} and {} changed during their merge; try again",
                    left.tablet_id, right.tablet_id));
  }
  TabletState joined = left;
  joined.tablet_id = tablet_id;
  joined.range.limit = right.range.limit;
  joined.redo_sequence = std::max(left.redo_sequence, right.redo_sequence);
  joined.last_time_us = std::max(left.last_time_us, right.last_time_us);
  ASSIGN_OR_RETURN(joined.requests, JoinRequests(left.requests, right.requests));
  for (const GroupState& group : right.groups) joined.Group(group.name);
  for (const auto& [family, left_groups] : right.old_groups) {
    for (const auto& [group, sequence] : left_groups) {
      uint64_t& joined_sequence = joined.old_groups[family][group];
      joined_sequence = std::max(joined_sequence, sequence);
    }
  }
  for (GroupState& group : joined.groups) {
    std::vector<RunState> of_left = std::move(group.runs);
    std::vector<RunState> of_right = RunsOf(right, group.name);
    group.runs.assign(std::max(of_left.size(), of_right.size()), {});
    for (size_t i = 0; i < group.runs.size(); ++i) {
      // Each joined run gets a new id: if both tablets come from the split of one tablet, different
      // runs on the two sides may have the same id.
      ASSIGN_OR_RETURN(group.runs[i].run_id, next_run_id());
      for (const std::vector<RunState>* side : {&of_left, &of_right}) {
        if (i >= side->size()) continue;
        JoinAges((*side)[i], &group.runs[i]);
        AppendFiles((*side)[i].files, &group.runs[i].files);
      }
    }
  }
  return joined;
}

}  // namespace sippar::engine
