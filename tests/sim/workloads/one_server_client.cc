// What the clients of one server do, and how they record it. SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "tests/sim/workloads/one_server.h"

namespace sippar::sim {
namespace {

using engine::Cell;
using engine::ReadSpec;
using engine::RowMutation;

constexpr int64_t kThinkMaxMicros = 8'000;
// The check tries out what each of them may have done.
constexpr uint64_t kUnknownInRowMax = 7;
constexpr const char* kQualifiers[] = {"", "q", "r"};

// All cells of the read, tablet by tablet.
StatusOr<std::vector<Cell>> ReadCells(engine::Store* store, const ReadSpec& read) {
  ASSIGN_OR_RETURN(std::vector<std::shared_ptr<engine::Tablet>> tablets, store->Tablets("t"));
  if (read.reverse) std::reverse(tablets.begin(), tablets.end());
  std::vector<Cell> cells;
  for (const auto& tablet : tablets) {
    ASSIGN_OR_RETURN(std::unique_ptr<engine::CellStream> stream, tablet->Read(read));
    for (; stream->Valid(); stream->Next()) cells.emplace_back(stream->cell()).sequence = 0;
    RETURN_IF_ERROR(stream->status());
  }
  return cells;
}

struct RowWithDigest {
  std::vector<Cell> cells;
  uint64_t digest = 0;
};

StatusOr<RowWithDigest> ReadWithDigest(engine::Store* store, const std::string& row,
                                       ReadSpec read) {
  read.rows = engine::RowSet(engine::RowRange::Single(row));
  ASSIGN_OR_RETURN(std::shared_ptr<engine::Tablet> tablet, store->FindTablet("t", row));
  RowWithDigest result;
  for (bool digest : {true, false}) {
    ASSIGN_OR_RETURN(std::unique_ptr<engine::CellStream> stream, tablet->Read(read));
    if (digest) {
      ASSIGN_OR_RETURN(result.digest, engine::DigestCells(stream.get()));
      continue;
    }
    for (; stream->Valid(); stream->Next()) result.cells.emplace_back(stream->cell());
    RETURN_IF_ERROR(stream->status());
  }
  return result;
}

// Errors that say that nothing was and will be written. After others a later life of the server may
// still find the write in its log.
bool IsRefused(const Status& status) {
  return status.code() == StatusCode::kInvalidArgument || status.code() == StatusCode::kAborted ||
         status.code() == StatusCode::kFailedPrecondition;
}

}  // namespace

void OneServer::Record(const std::string& row, const RowOperation& operation) {
  world_->scheduler()->Note(row + " " + Print(operation));
  histories_.Add(row, operation);
}

void OneServer::ClientMain(uint64_t number) {
  std::string by = fmt::format("client{}", number);
  for (uint64_t i = 0; i < knobs_.operations_each && trouble_; ++i) {
    world_->SleepMicros(static_cast<int64_t>(world_->random()->Uniform(kThinkMaxMicros)));
    if (WaitForServer(Server::kUp, 2'000'000)) OneOperation(by);
  }
  --clients_left_;
}

void OneServer::OneOperation(const std::string& by) {
  bool ok = false;
  switch (world_->random()->Uniform(10)) {
    case 0:
      ok = ReadTable(by, 1'000'000);
      break;
    case 1:
      ok = Transact(by, DrawRowToWrite());
      break;
    case 2: {
      std::vector<RowMutation> batch;
      for (uint64_t i = 2 + world_->random()->Uniform(3); i > 0; --i) {
        RowMutation mutation = DrawMutation(by, DrawRowToWrite());
        bool again = std::any_of(batch.begin(), batch.end(), [&](const RowMutation& other) {
          return other.row == mutation.row;
        });
        if (!again && !mutation.row.empty()) batch.push_back(std::move(mutation));
      }
      ok = Write(by, batch);
      break;
    }
    case 3:
    case 4:
    case 5:
      ok = ReadRow(by, DrawRow(), DrawRead());
      break;
    default:
      ok = Write(by, {DrawMutation(by, DrawRowToWrite())});
  }
  // Who meets trouble waits a little: too many unknown outcomes explain everything.
  if (!ok) world_->SleepMicros(10'000);
}

bool OneServer::ReadRow(const std::string& by, const std::string& row, const ReadSpec& read) {
  RowOperation operation;
  operation.by = by;
  operation.when.called = histories_.NextMoment();
  ReadSpec of_row = read;
  of_row.rows = engine::RowSet(engine::RowRange::Single(row));
  auto cells = OnServer<std::vector<Cell>>(
      [of_row](engine::Store* store) { return ReadCells(store, of_row); });
  operation.when.returned = histories_.NextMoment();
  if (!cells.ok()) return false;
  operation.reads = true;
  operation.read = read;
  operation.cells = CellsText(std::move(*cells));
  Record(row, operation);
  return true;
}

// A read of each row, all at some moments of the call.
bool OneServer::ReadTable(const std::string& by, int64_t timeout_us) {
  RowOperation operation;
  operation.by = by + " (scan)";
  operation.when.called = histories_.NextMoment();
  ReadSpec read;
  read.reverse = world_->random()->OneIn(3);
  auto cells = OnServer<std::vector<Cell>>(
      [read](engine::Store* store) { return ReadCells(store, read); }, timeout_us);
  operation.when.returned = histories_.NextMoment();
  if (!cells.ok()) return false;
  operation.reads = true;
  operation.read = read;
  std::map<std::string, std::vector<Cell>> by_row;
  for (Cell& cell : *cells) by_row[cell.row].push_back(std::move(cell));
  for (const std::string& row : knobs_.rows) {
    operation.cells = CellsText(by_row[row]);
    Record(row, operation);
  }
  if (by_row.size() > knobs_.rows.size())
    world_->scheduler()->Fail("a scan saw a row nobody wrote");
  return true;
}

bool OneServer::Write(const std::string& by, const std::vector<RowMutation>& batch) {
  if (batch.empty() || batch[0].row.empty()) return true;  // nothing that may be written
  uint64_t called = histories_.NextMoment();
  auto statuses =
      OnServer<std::vector<Status>>([batch](engine::Store* store) -> StatusOr<std::vector<Status>> {
        std::vector<const RowMutation*> pointers;
        for (const RowMutation& mutation : batch) pointers.push_back(&mutation);
        return store->Apply("t", pointers);
      });
  uint64_t returned = histories_.NextMoment();
  bool ok = statuses.ok();
  for (size_t i = 0; i < batch.size(); ++i) {
    Status status = statuses.ok() ? (*statuses)[i] : statuses.status();
    ok = ok && status.ok();
    if (IsRefused(status)) continue;
    RowOperation operation;
    operation.by = by;
    operation.when = {called, status.ok() ? returned : Interval::kUnknown};
    operation.mutation = batch[i];
    Record(batch[i].row, operation);
  }
  return ok;
}

// Reads a row, then changes it if it is still the same.
bool OneServer::Transact(const std::string& by, const std::string& row) {
  if (row.empty()) return true;
  RowOperation seen;
  seen.by = by + " (reads first)";
  seen.when.called = histories_.NextMoment();
  ReadSpec read = DrawRead();
  auto before = OnServer<RowWithDigest>(
      [row, read](engine::Store* store) { return ReadWithDigest(store, row, read); });
  if (!before.ok()) return false;
  // Cells and digest come from two reads.
  RowOperation operation;
  operation.by = by + " (if unchanged)";
  operation.when.called = seen.when.called;
  operation.reads = true;
  operation.read = read;
  operation.cells = CellsText(before->cells);
  operation.mutation = DrawMutation(by, row);
  engine::RowCheck check{read, before->digest};
  auto committed = OnServer<bool>(
      [check, mutation = operation.mutation](engine::Store* store) -> StatusOr<bool> {
        RETURN_IF_ERROR(store->CommitRow("t", mutation, {&check, 1}));
        return true;
      });
  if (IsRefused(committed.status())) return true;
  if (committed.ok()) operation.when.returned = histories_.NextMoment();
  Record(row, operation);
  return committed.ok();
}

std::string OneServer::DrawRow() {
  return knobs_.rows[world_->random()->Uniform(knobs_.rows.size())];
}

std::string OneServer::DrawRowToWrite() {
  for (int i = 0; i < 20; ++i) {
    std::string row = DrawRow();
    if (histories_.unknown_in(row) < kUnknownInRowMax) return row;
  }
  return "";
}

ReadSpec OneServer::DrawRead() {
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

RowMutation OneServer::DrawMutation(const std::string& by, const std::string& row) {
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
  std::string value = fmt::format("{}.{}.{}", by, ++next_value_,
                                  std::string(random->Uniform(random->OneIn(4) ? 600 : 60), 'v'));
  if (kind % 2 == 0) mutation.Set("s", qualifier, value);
  if (kind % 2 == 1 || random->OneIn(3)) mutation.Set("a", qualifier, value, time);
  return mutation;
}

}  // namespace sippar::sim
