// Draws and records the operations of clients on rows.
// SPDX-License-Identifier: Apache-2.0
#include "tests/sim/workloads/row_client.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "engine/read/cell_digest.h"

namespace sippar::sim {
namespace {

using engine::Cell;
using engine::ReadSpec;
using engine::RowMutation;

// Limit of unknown outcomes in a row: the check tries all combinations of what these operations may
// have done.
constexpr uint64_t kUnknownInRowMax = 7;
constexpr const char* kQualifiers[] = {"", "q", "r"};

// True for errors which say that nothing was written and nothing will be. After other errors a
// later life of the server may still find the write in its log.
bool IsRefused(const Status& status) {
  return status.code() == StatusCode::kInvalidArgument || status.code() == StatusCode::kAborted ||
         status.code() == StatusCode::kFailedPrecondition;
}

}  // namespace

StatusOr<RowWithDigest> Digested(engine::CellStream* row) {
  RowWithDigest result;
  engine::CellDigest digest;
  for (; row->Valid(); row->Next()) {
    digest.Add(row->cell());
    result.cells.emplace_back(row->cell());
  }
  RETURN_IF_ERROR(row->status());
  result.digest = digest.value();
  return result;
}

void RowClient::Record(const std::string& row, const RowOperation& operation) {
  world_->scheduler()->Note(row + " " + Print(operation));
  histories_->Add(row, operation);
}

void RowClient::NoteRefused(const std::string& row, const RowOperation& operation,
                            const Status& status) {
  world_->scheduler()->Note(
      fmt::format("{} refused: {} {}", row, Print(operation), MessageOf(status)));
}

bool RowClient::OneOperation() {
  switch (world_->random()->Uniform(10)) {
    case 0:
      return ReadTable(1'000'000);
    case 1:
      return Transact(DrawRowToWrite());
    case 2: {
      std::vector<RowMutation> batch;
      for (uint64_t i = 2 + world_->random()->Uniform(3); i > 0; --i) {
        RowMutation mutation = DrawMutation(DrawRowToWrite());
        bool again = std::any_of(batch.begin(), batch.end(), [&](const RowMutation& other) {
          return other.row == mutation.row;
        });
        if (!again && !mutation.row.empty()) batch.push_back(std::move(mutation));
      }
      return Write(batch);
    }
    case 3:
    case 4:
    case 5:
      return ReadRow(DrawRow(), DrawRead());
    default:
      return Write({DrawMutation(DrawRowToWrite())});
  }
}

bool RowClient::ReadRow(const std::string& row, const ReadSpec& read) {
  RowOperation operation;
  operation.by = by_;
  operation.when.called = histories_->NextMoment();
  ReadSpec of_row = read;
  of_row.rows = engine::RowSet(engine::RowRange::Single(row));
  auto cells = store_->Read(of_row, 1'000'000);
  operation.when.returned = histories_->NextMoment();
  if (!cells.ok()) return false;
  operation.reads = true;
  operation.read = read;
  operation.cells = CellsText(std::move(*cells));
  Record(row, operation);
  return true;
}

// Reads all rows in one scan; each row may be read at any moment during the call.
bool RowClient::ReadTable(int64_t timeout_us) {
  RowOperation operation;
  operation.by = by_ + " (scan)";
  operation.when.called = histories_->NextMoment();
  ReadSpec read;
  read.reverse = world_->random()->OneIn(3);
  auto cells = store_->Read(read, timeout_us);
  operation.when.returned = histories_->NextMoment();
  if (!cells.ok()) return false;
  operation.reads = true;
  operation.read = read;
  std::map<std::string, std::vector<Cell>> by_row;
  for (Cell& cell : *cells) by_row[cell.row].push_back(std::move(cell));
  for (const std::string& row : *rows_) {
    operation.cells = CellsText(by_row[row]);
    Record(row, operation);
  }
  if (by_row.size() > rows_->size()) world_->scheduler()->Fail("a scan saw a row nobody wrote");
  return true;
}

bool RowClient::Write(const std::vector<RowMutation>& batch) {
  // The batch has nothing that may be written.
  if (batch.empty() || batch[0].row.empty()) return true;
  uint64_t called = histories_->NextMoment();
  std::vector<Status> statuses = store_->Apply(batch);
  uint64_t returned = histories_->NextMoment();
  bool ok = true;
  for (size_t i = 0; i < batch.size(); ++i) {
    ok = ok && statuses[i].ok();
    RowOperation operation;
    operation.by = by_;
    operation.when = {called, statuses[i].ok() ? returned : Interval::kUnknown};
    operation.mutation = batch[i];
    if (IsRefused(statuses[i])) {
      NoteRefused(batch[i].row, operation, statuses[i]);
      continue;
    }
    Record(batch[i].row, operation);
  }
  return ok;
}

bool RowClient::WriteAll() {
  return std::all_of(rows_->begin(), rows_->end(), [&](const std::string& row) {
    return Write({RowMutation(row).Set("s", "last", by_)});
  });
}

// Reads a row, then changes it if it has not changed since.
bool RowClient::Transact(const std::string& row) {
  if (row.empty()) return true;
  RowOperation operation;
  operation.by = by_ + " (if unchanged)";
  operation.when.called = histories_->NextMoment();
  operation.reads = true;
  operation.read = DrawRead();
  ReadSpec of_row = operation.read;
  of_row.rows = engine::RowSet(engine::RowRange::Single(row));
  auto before = store_->ReadWithDigest(of_row);
  if (!before.ok()) return false;
  operation.cells = CellsText(before->cells);
  operation.mutation = DrawMutation(row);
  Status committed = store_->Commit(operation.mutation, operation.read, before->digest);
  if (IsRefused(committed)) {
    NoteRefused(row, operation, committed);
    return true;
  }
  if (committed.ok()) operation.when.returned = histories_->NextMoment();
  Record(row, operation);
  return committed.ok();
}

std::string RowClient::DrawRow() { return (*rows_)[world_->random()->Uniform(rows_->size())]; }

std::string RowClient::DrawRowToWrite() {
  for (int i = 0; i < 20; ++i) {
    std::string row = DrawRow();
    if (histories_->unknown_in(row) < kUnknownInRowMax) return row;
  }
  return "";
}

ReadSpec RowClient::DrawRead() {
  engine::Random* random = world_->random();
  ReadSpec read;
  switch (random->Uniform(4)) {
    case 0:
      read.columns = {engine::ColumnPattern::Exact("s", kQualifiers[random->Uniform(3)])};
      break;
    case 1:
      read.columns = {{engine::NamePattern::Exact("a"), engine::NamePattern::Any()}};
      if (random->OneIn(2)) read.time = {2, 6};
      break;
    default:
      break;
  }
  if (random->OneIn(3)) read.versions_per_column = 1;
  return read;
}

RowMutation RowClient::DrawMutation(const std::string& row) {
  engine::Random* random = world_->random();
  RowMutation mutation(row);
  const char* qualifier = kQualifiers[random->Uniform(3)];
  uint64_t kind = random->Uniform(16);
  auto time = static_cast<int64_t>(1 + random->Uniform(8));
  if (kind == 0) {
    return mutation.Increment("sn", qualifier, static_cast<int64_t>(1 + random->Uniform(9)));
  }
  if (kind == 1) return mutation.Append("s", qualifier, fmt::format("+{}", ++next_value_));
  if (kind == 2) mutation.DeleteRow();
  if (kind == 3) mutation.DeleteFamily(random->OneIn(2) ? "a" : "s");
  if (kind == 4) mutation.DeleteColumn(random->OneIn(2) ? "a" : "s", qualifier);
  if (kind == 5) mutation.DeleteColumn("a", qualifier, {time, time + 3});
  if (kind <= 5 && random->OneIn(2)) return mutation;
  std::string value = fmt::format("{}.{}.{}", by_, ++next_value_,
                                  std::string(random->Uniform(random->OneIn(4) ? 600 : 60), 'v'));
  // Half of the mutations set both cells, so that a late write leaves a trace even if a newer value
  // covers one of them.
  bool sets_both = random->OneIn(2);
  if (sets_both || kind % 2 == 0) mutation.Set("s", qualifier, value);
  if (sets_both || kind % 2 == 1) mutation.Set("a", qualifier, value, time);
  return mutation;
}

}  // namespace sippar::sim
