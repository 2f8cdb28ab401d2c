// Explains the history of each row with the reference table.
// SPDX-License-Identifier: Apache-2.0
#include "tests/sim/row_history.h"

#include <fmt/format.h>

#include <algorithm>

#include "tests/support/reference_table.h"

namespace sippar::sim {
namespace {

using engine::MutationEntry;
using engine::ReadSpec;
using engine::ReferenceTable;
using engine::RowMutation;

// The server's time for a column is after every present version; its exact value does not matter.
RowMutation WithServerTimes(const ReferenceTable& row, const RowMutation& mutation) {
  RowMutation timed = mutation;
  for (MutationEntry& entry : timed.entries) {
    if (entry.timestamp_us != engine::kServerTime) continue;
    ReadSpec newest;
    newest.columns = {engine::ColumnPattern::Exact(entry.family, entry.qualifier)};
    newest.versions_per_column = 1;
    std::vector<engine::Cell> cells = row.Read(newest, 0);
    entry.timestamp_us = cells.empty() ? 1 : cells[0].timestamp_us + 1;
  }
  return timed;
}

class RowState final : public SequentialState {
 public:
  RowState(ReferenceTable row, const std::vector<RowOperation>* operations)
      : row_(std::move(row)), operations_(operations) {}

  std::unique_ptr<SequentialState> After(size_t index) const override {
    const RowOperation& operation = (*operations_)[index];
    if (operation.reads && CellsText(row_.Read(operation.read, 0)) != operation.cells) {
      return nullptr;
    }
    auto after = std::make_unique<RowState>(row_, operations_);
    if (!operation.mutation.entries.empty()) {
      after->row_.Apply(WithServerTimes(row_, operation.mutation), 0);
    }
    return after;
  }
  std::string Fingerprint() const override { return CellsText(row_.Read({}, 0)); }

 private:
  ReferenceTable row_;
  const std::vector<RowOperation>* operations_;
};

// The text for messages: runs of the same byte are shortened, and unprintable bytes are escaped.
std::string Shortened(const std::string& text) {
  std::string shown;
  size_t same = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    same = i > 0 && text[i] == text[i - 1] ? same + 1 : 0;
    if (same >= 3) continue;
    auto byte = static_cast<unsigned char>(text[i]);
    if (text[i] == '\n') {
      shown += ' ';
    } else if (byte < 0x20 || byte >= 0x7f) {
      shown += fmt::format("\\x{:02x}", byte);
    } else {
      shown += text[i];
    }
  }
  return shown;
}

std::string Print(const MutationEntry& entry) {
  std::string column = fmt::format("{}:{}", entry.family, Shortened(entry.qualifier));
  std::string time =
      entry.timestamp_us == engine::kServerTime ? "" : fmt::format("@{}", entry.timestamp_us);
  switch (entry.kind) {
    case MutationEntry::kSet:
      return fmt::format("set {}{}={}", column, time, Shortened(entry.value));
    case MutationEntry::kDeleteColumn:
      return entry.time.IsAll() ? "delete " + column
                                : fmt::format("delete {} [{}, {})", column, entry.time.start_us,
                                              entry.time.limit_us);
    case MutationEntry::kDeleteFamily:
      return "delete family " + entry.family;
    case MutationEntry::kDeleteRow:
      return "delete row";
    case MutationEntry::kIncrement:
      return fmt::format("add {} to {}", entry.delta, column);
    case MutationEntry::kAppend:
      return fmt::format("append {} to {}", Shortened(entry.value), column);
    case MutationEntry::kAdd:
      return fmt::format("add {} to {}{}", Shortened(entry.value), column, time);
    case MutationEntry::kMerge:
      return fmt::format("merge {} into {}{}", Shortened(entry.value), column, time);
  }
  return "?";
}

}  // namespace

std::string Print(const RowOperation& operation) {
  std::string text = fmt::format(
      "[{}, {}] {}:", operation.when.called,
      operation.when.returned == Interval::kUnknown ? "?" : std::to_string(operation.when.returned),
      operation.by);
  if (operation.reads) text += fmt::format(" saw {{{}}}", Shortened(operation.cells));
  for (const MutationEntry& entry : operation.mutation.entries) text += " " + Print(entry) + ";";
  return text;
}

namespace {

std::string Explain(const std::string& row, const std::vector<RowOperation>& operations,
                    const LinearizabilityResult& result) {
  std::string text = fmt::format(
      "row '{}': no order of its operations explains what was seen; the longest "
      "beginning of one that does:\n",
      Shortened(row));
  std::vector<bool> in_order(operations.size());
  for (size_t index : result.order) {
    in_order[index] = true;
    text += "  " + Print(operations[index]) + "\n";
  }
  text += "and then none of these fits ('?': the outcome is not known):\n";
  for (size_t i = 0; i < operations.size(); ++i) {
    if (!in_order[i]) text += "  " + Print(operations[i]) + "\n";
  }
  return text;
}

}  // namespace

bool HasServerTime(const std::string& family) { return family.starts_with("s"); }

std::string CellsText(std::vector<engine::Cell> cells) {
  for (engine::Cell& cell : cells) {
    if (HasServerTime(cell.family)) cell.timestamp_us = 0;
  }
  return PrintCells(cells);
}

namespace {

bool AreSame(const MutationEntry& a, const MutationEntry& b) {
  return a.kind == b.kind && a.family == b.family && a.qualifier == b.qualifier &&
         a.timestamp_us == b.timestamp_us && a.time == b.time && a.value == b.value &&
         a.delta == b.delta;
}

bool AreTwins(const RowOperation& earlier, const RowOperation& later) {
  return earlier.when.returned == Interval::kUnknown && !earlier.reads &&
         earlier.when.called < later.when.called &&
         std::equal(earlier.mutation.entries.begin(), earlier.mutation.entries.end(),
                    later.mutation.entries.begin(), later.mutation.entries.end(), AreSame);
}

// The times of the operations. Each one of unknown outcome that only writes gets as its twin the
// last one before it that does the same: a client that retries a write has many.
std::vector<Interval> IntervalsOf(const std::vector<RowOperation>& operations) {
  std::vector<Interval> intervals;
  for (const RowOperation& operation : operations) intervals.push_back(operation.when);
  for (size_t i = 0; i < operations.size(); ++i) {
    if (operations[i].when.returned != Interval::kUnknown || operations[i].reads) continue;
    size_t& twin = intervals[i].twin;
    for (size_t k = 0; k < operations.size(); ++k) {
      if (!AreTwins(operations[k], operations[i])) continue;
      if (twin == Interval::kNoTwin || intervals[twin].called < intervals[k].called) twin = k;
    }
  }
  return intervals;
}

}  // namespace

std::string RowHistories::Check() const {
  for (const auto& [row, operations] : rows_) {
    const std::vector<Interval> intervals = IntervalsOf(operations);
    RowState empty(ReferenceTable(schema_), &operations);
    LinearizabilityResult result = CheckLinearizable(empty, intervals);
    if (result.verdict == LinearizabilityResult::kViolation) {
      return Explain(row, operations, result);
    }
    if (result.verdict == LinearizabilityResult::kGaveUp) {
      return fmt::format("row '{}': the check of {} operations gave up", Shortened(row),
                         operations.size());
    }
  }
  return "";
}

uint64_t RowHistories::operations() const {
  uint64_t count = 0;
  for (const auto& [row, operations] : rows_) count += operations.size();
  return count;
}

uint64_t RowHistories::unknown_in(const std::string& row) const {
  auto found = rows_.find(row);
  if (found == rows_.end()) return 0;
  return static_cast<uint64_t>(std::count_if(
      found->second.begin(), found->second.end(),
      [](const RowOperation& operation) { return operation.when.returned == Interval::kUnknown; }));
}

uint64_t RowHistories::unknown() const {
  uint64_t count = 0;
  for (const auto& [row, operations] : rows_) count += unknown_in(row);
  return count;
}

}  // namespace sippar::sim
