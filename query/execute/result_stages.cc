// SPDX-License-Identifier: Apache-2.0
#include "query/execute/result_stages.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "engine/base/stoppable_sort.h"
#include "engine/program/evaluate.h"
#include "query/analyze/compile.h"
#include "query/session/query_error.h"
#include "query/syntax/ast_print.h"

namespace sippar::query {
namespace {

// Memory that DISTINCT and LIMIT BY may use together. If they need more, the statement fails,
// because a table may have more rows than fit into memory.
constexpr size_t kDistinctBytesMax = 256 << 20;
// Memory of a sort while the setting sort_memory is 0. The planner then allows only sorts that
// should be small: a sort with LIMIT, a sort of groups, and a sort of the rows of a subselect or of
// a list.
constexpr size_t kSortBytesWithoutSetting = 256 << 20;
// Sorted rows are passed on in batches of this size, so that a slow consumer can end the statement
// between two batches.
constexpr std::ptrdiff_t kBatchRows = 1000;

size_t SizeOf(const Row& row) {
  size_t size = 0;
  for (const Value& value : row) size += value.MemoryBytes();
  return size;
}

}  // namespace

StatusOr<bool> ResultStages::Add(std::vector<Row> rows) {
  if (!plan_.sorts) return Pass(std::move(rows));
  RETURN_IF_ERROR(AddToSort(std::move(rows)));
  return true;
}

Status ResultStages::AddToSort(std::vector<Row> rows) {
  uint64_t memory = context_.session->settings.sort_memory_bytes;
  if (memory == 0) memory = kSortBytesWithoutSetting;
  for (Row& row : rows) {
    sort_bytes_ += SizeOf(row);
    sorted_.push_back(std::move(row));
  }
  // With DISTINCT, no row is dropped yet: sorted_ still has duplicates, which DISTINCT removes
  // later and which LIMIT BY must not count.
  if (plan_.limit_by != kNoLimit && !plan_.distinct && sorted_.size() >= drop_at_) {
    RETURN_IF_ERROR(DropByLimitBy());
  }
  if (sort_bytes_ <= memory) return OkStatus();
  // For groups, the hint does not propose LIMIT: all groups are sorted before LIMIT cuts the
  // result, even without ORDER BY, so LIMIT would save no memory.
  const bool has_groups = plan_.program.aggregate;
  return ErrorAt("TOO_LARGE", {},
                 fmt::format("{} more than {} bytes of memory (sort_memory)",
                             has_groups ? "sorting the groups needs" : "ORDER BY needs", memory),
                 has_groups ? "use WHERE or HAVING for fewer groups, or SET sort_memory to more"
                            : "add LIMIT, or SET sort_memory to more",
                 StatusCode::kResourceExhausted);
}

Status ResultStages::SortRows() {
  return StoppableSort(&sorted_, &budget_, [this](const Row& a, const Row& b) {
    for (size_t i = 0; i < plan_.descending.size(); ++i) {
      int order = engine::CompareValues(a[plan_.sort_at + i], b[plan_.sort_at + i]);
      if (order != 0) return (order < 0) != plan_.descending[i];
    }
    return false;
  });
}

// Keeps, for each value of LIMIT BY, only as many first rows as LIMIT BY allows. No other row can
// get into the result, whatever rows follow. The memory of the sort then depends on the number of
// values and not on the number of rows.
Status ResultStages::DropByLimitBy() {
  RETURN_IF_ERROR(SortRows());
  std::unordered_map<std::string, uint64_t> counts;
  std::vector<Row> kept;
  sort_bytes_ = 0;
  for (Row& row : sorted_) {
    RETURN_IF_ERROR(budget_.Spend());
    std::string key;
    AppendEqualityKey(row[plan_.limit_by_at], &key);
    if (++counts[std::move(key)] > plan_.limit_by) continue;
    sort_bytes_ += SizeOf(row);
    kept.push_back(std::move(row));
  }
  sorted_ = std::move(kept);
  drop_at_ = std::max(kDropRows, 2 * sorted_.size());
  return OkStatus();
}

Status ResultStages::AddGroups(const std::vector<Row>& groups) {
  std::vector<std::unique_ptr<engine::Evaluator>> outputs;
  for (const engine::Expression& output : plan_.final_outputs) {
    ASSIGN_OR_RETURN(auto evaluator, engine::Evaluator::Prepare(output, &context_.stop));
    outputs.push_back(std::move(evaluator));
  }
  std::unique_ptr<engine::Evaluator> having;
  if (plan_.having) {
    ASSIGN_OR_RETURN(having, engine::Evaluator::Prepare(*plan_.having, &context_.stop));
  }
  std::vector<Row> rows;
  for (const Row& group : groups) {
    // One call may bring a million groups with short expressions, so this loop checks for Ctrl-C,
    // too. Every value of a group counts as one step.
    RETURN_IF_ERROR(budget_.Spend(group.size() * engine::StopBudget::kStep));
    bool pass = true;
    if (having != nullptr) {
      Status status = having->EvaluateTest(group, nullptr, &pass);
      if (!status.ok()) return WithQueryCode(status);
    }
    if (!pass) continue;
    Row& row = rows.emplace_back();
    for (const auto& output : outputs) {
      const Value* value = nullptr;
      Status status = output->Evaluate(group, nullptr, &value);
      if (!status.ok()) return WithQueryCode(status);
      row.push_back(*value);
    }
  }
  return AddToSort(std::move(rows));
}

bool ResultStages::TakesByLimitBy(const Row& row) {
  std::string key;
  AppendEqualityKey(row[plan_.limit_by_at], &key);
  auto [found, is_new] = by_counts_.try_emplace(std::move(key), 0);
  if (is_new) distinct_bytes_ += found->first.size() + 64;  // 64: about the memory of an entry
  return ++found->second <= plan_.limit_by;
}

bool ResultStages::IsWanted(const Row& row) {
  if (plan_.distinct) {
    std::string key;
    for (size_t i = 0; i < plan_.columns.size(); ++i) AppendEqualityKey(row[i], &key);
    distinct_bytes_ += key.size();
    if (!distinct_.insert(std::move(key)).second) return false;
  }
  if (plan_.limit_by != kNoLimit && !TakesByLimitBy(row)) return false;
  if (skipped_ < plan_.offset) {
    ++skipped_;
    return false;
  }
  return true;
}

StatusOr<bool> ResultStages::Pass(std::vector<Row> rows) {
  std::vector<Row> wanted;
  for (Row& row : rows) {
    // IsWanted is called before the limit is checked, because only a row that the next page would
    // show proves that there is a next page. A duplicate does not prove this.
    if (!IsWanted(row)) continue;
    if (given_ + wanted.size() >= plan_.limit) {
      more_ = true;
      break;
    }
    if (plan_.paging != SelectPlan::kNoPaging) {
      page_key_.assign(row.begin() + static_cast<std::ptrdiff_t>(plan_.page_at), row.end());
    }
    row.resize(plan_.columns.size());
    wanted.push_back(std::move(row));
  }
  if (distinct_bytes_ > kDistinctBytesMax) {
    return ErrorAt("TOO_LARGE", {},
                   fmt::format("{} needs more than {} MiB",
                               plan_.distinct ? "DISTINCT" : "LIMIT BY", kDistinctBytesMax >> 20),
                   plan_.distinct ? "GROUP BY, or APPROX_COUNT_DISTINCT" : "WHERE, for fewer rows",
                   StatusCode::kResourceExhausted);
  }
  given_ += wanted.size();
  bool goes_on = true;
  if (!wanted.empty()) {
    ASSIGN_OR_RETURN(goes_on, consumer_(std::move(wanted)));
  }
  // A limit that was just reached does not end the result: one more row shows whether there is a
  // next page.
  return goes_on && !more_;
}

Status ResultStages::Finish() {
  if (!plan_.sorts) return OkStatus();
  RETURN_IF_ERROR(SortRows());
  bool goes_on = true;
  for (auto row = sorted_.begin(); row != sorted_.end() && goes_on;) {
    auto end = row + std::min<std::ptrdiff_t>(kBatchRows, sorted_.end() - row);
    std::vector<Row> batch(std::make_move_iterator(row), std::make_move_iterator(end));
    ASSIGN_OR_RETURN(goes_on, Pass(std::move(batch)));
    row = end;
  }
  return OkStatus();
}

std::string ResultStages::next() const {
  if (!more_ || page_key_.empty()) return "";
  if (plan_.paging == SelectPlan::kByRow) {
    return fmt::format("AFTER ROW {}", QuoteValue(page_key_[0].bytes()));
  }
  if (plan_.paging != SelectPlan::kByCell || page_key_.size() < 4) return "";
  PageToken token;
  token.fingerprint = plan_.fingerprint;
  token.now_us = plan_.program.now_us;
  token.row = page_key_[0].bytes();
  token.family = page_key_[1].bytes();
  token.qualifier = page_key_[2].bytes();
  token.timestamp_us = page_key_[3].integer();
  return fmt::format("AFTER '{}'", EncodePageToken(token));
}

}  // namespace sippar::query
