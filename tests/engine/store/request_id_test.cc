// A write with a request id is done once, however often it arrives: immediately again, after a
// flush, after a crash, or after its tablet was split, merged, or both.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "engine/tablet/request_memory.h"
#include "tests/engine/store/crashing_store.h"

namespace sippar::engine {
namespace {

class RequestIdTest : public testing::Test, protected CrashingStore<ManualClock> {
 protected:
  RequestIdTest() : CrashingStore(1, 1'000'000'000) {
    TableSchema schema;
    schema.name = "t";
    schema.families = {{"n", FamilyType::kCounter, {}}, {"f", FamilyType::kBytes, {}}};
    EXPECT_TRUE(store_->CreateTable(schema, {}).ok());
  }

  Status Increment(const std::string& row, RequestId request) {
    RowMutation mutation(row);
    mutation.Increment("n", "q", 1).Append("f", "log", "x");
    mutation.request = request;
    return store_->Apply("t", {&mutation}).front();
  }
  // Runs INCREMENT n:q BY 1 RETURNING n:q on the row.
  StatusOr<int64_t> Next(const std::string& row, RequestId request) {
    RowUpdate next;
    next.row = row;
    next.request = request;
    next.families.counters = {"n"};
    next.read.columns = {ColumnPattern::Exact("n", "q")};
    next.read.versions_per_column = 1;
    next.slots = {{SlotDef::kNewest, 0}};
    RowWrite& write = next.writes.emplace_back();
    write.kind = RowWrite::kIncrement;
    write.family = "n";
    write.qualifier = "q";
    write.value = Expression::Literal(Value::Int64(1));
    next.returning = {Expression::Slot(0)};
    ASSIGN_OR_RETURN(RowUpdateResult result, store_->Update("t", next));
    return result.returning[0].integer();
  }
  int64_t Counter(const std::string& row) {
    auto tablet = store_->FindTablet("t", row);
    ReadSpec read;
    read.rows = RowSet(RowRange::Single(row));
    read.columns = {ColumnPattern::Exact("n", "q")};
    auto cells = (*tablet)->Read(read);
    return (*cells)->Valid() ? *DecodeInt64((*cells)->cell().value) : 0;
  }
};

// Runs each step in turn between a write and its repetitions.
TEST_F(RequestIdTest, ARepeatedWriteFindsItsAnswer) {
  const RequestId request{77, 5, 1};
  ASSERT_TRUE(Increment("a", request).ok());
  ASSERT_EQ(*Next("z", {77, 6, 1}), 1);
  const std::vector<std::pair<std::string, std::function<Status()>>> steps = {
      {"at once", [] { return OkStatus(); }},
      {"crash", [&] { return Crash(), OkStatus(); }},
      {"flush", [&] { return store_->Flush("t"); }},
      {"crash after the flush", [&] { return Crash(), OkStatus(); }},
      {"split", [&] { return store_->Split("t", "m"); }},
      {"crash after the split", [&] { return Crash(), OkStatus(); }},
      {"merge", [&] { return store_->Merge("t", RowRange::All()); }},
      {"major compaction", [&] { return store_->CompactMajor("t", ""); }},
      {"reopening", [&] { return Crash(), OkStatus(); }},
  };
  for (const auto& [name, step] : steps) {
    Status status = step();
    ASSERT_TRUE(status.ok()) << name << ": " << status;
    EXPECT_TRUE(Increment("a", request).ok()) << name;
    EXPECT_EQ(Counter("a"), 1) << name;
    auto again = Next("z", {77, 6, 1});
    ASSERT_TRUE(again.ok()) << name << ": " << again.status();
    EXPECT_EQ(*again, 1) << name;
    EXPECT_EQ(Counter("z"), 1) << name;
  }
  // A new number means a new write; a write without an id is always new.
  EXPECT_TRUE(Increment("a", {77, 7, 1}).ok());
  EXPECT_TRUE(Increment("a", {}).ok());
  EXPECT_EQ(Counter("a"), 3);
}

TEST_F(RequestIdTest, AnswersBelongToTheirCallers) {
  EXPECT_EQ(*Next("a", {1, 1, 1}), 1);
  EXPECT_EQ(*Next("a", {2, 1, 1}), 2);
  EXPECT_EQ(*Next("a", {1, 2, 1}), 3);
  EXPECT_EQ(*Next("a", {1, 1, 1}), 1);
  EXPECT_EQ(*Next("a", {2, 1, 1}), 2);
  EXPECT_EQ(Counter("a"), 3);
}

TEST_F(RequestIdTest, BatchesAndRowTransactionsToo) {
  std::vector<RowMutation> batch;
  std::vector<const RowMutation*> pointers;
  for (uint64_t i = 0; i < 6; ++i) {
    batch.push_back(RowMutation(i % 2 == 0 ? "a" : "b").Increment("n", "q", 1));
    batch.back().request = {9, i + 1, 1};
  }
  for (const RowMutation& mutation : batch) pointers.push_back(&mutation);
  for (int i = 0; i < 3; ++i) {
    for (const Status& status : store_->Apply("t", pointers)) EXPECT_TRUE(status.ok()) << status;
  }
  EXPECT_EQ(Counter("a") + Counter("b"), 6);

  ReadSpec read;
  auto cells = (*store_->FindTablet("t", "a"))->Read(read);
  RowMutation committed("a");
  auto of_row = [&] {
    ReadSpec only = read;
    only.rows = RowSet(RowRange::Single("a"));
    return *(*store_->FindTablet("t", "a"))->Read(only);
  };
  RowCheck check{read, *DigestCells(of_row().get())};
  committed.Set("f", "q", "v").request = {9, 20, 7};
  EXPECT_TRUE(store_->CommitRow("t", committed, {&check, 1}).ok());
  // The repetition succeeds although the condition no longer holds.
  EXPECT_TRUE(store_->CommitRow("t", committed, {&check, 1}).ok());
  committed.request.number = 21;
  EXPECT_EQ(store_->CommitRow("t", committed, {&check, 1}).code(), StatusCode::kAborted);
}

// A copy is in flight while its client gets the answer and continues.
TEST_F(RequestIdTest, ALateCopyIsRefused) {
  ASSERT_TRUE(Increment("a", {5, 1, 1}).ok());
  ASSERT_TRUE(Increment("a", {5, 2, 2}).ok());  // the client has received the answer to number 1
  EXPECT_EQ(Increment("a", {5, 1, 1}).code(), StatusCode::kAborted);
  EXPECT_EQ(Counter("a"), 2);
}

TEST(RequestMemory, IsBounded) {
  RequestMemory memory;
  for (uint64_t i = 1; i <= 100'000; ++i) memory.Remember({3, i, i}, "answer", 0, 0);
  EXPECT_LT(memory.Encode().size(), 100u);  // answered requests are forgotten
  std::string large(100 << 10, 'x');
  for (uint64_t client = 10; client < 200; ++client) {
    memory.Remember({client, 1, 1}, large, static_cast<int64_t>(client), 0);
  }
  EXPECT_LT(memory.Encode().size(), kRequestMemoryBytesMax + large.size());
  EXPECT_TRUE(memory.Find({199, 1, 1})->has_value());
  EXPECT_FALSE(memory.Find({10, 1, 1})->has_value());
  memory.Remember({400, 1, 1}, "new", kRequestMemoryUs * 6, kRequestMemoryUs / 2);
  EXPECT_TRUE(memory.Find({199, 1, 1})->has_value());  // only the wall clock has jumped
  memory.Remember({500, 1, 1}, "new", 0, kRequestMemoryUs + 1'000);
  EXPECT_FALSE(memory.Find({199, 1, 1})->has_value());  // silent for more than kRequestMemoryUs
  EXPECT_TRUE(memory.Find({500, 1, 1})->has_value());
}

TEST(RequestMemory, DamageIsAnErrorAndNothingElse) {
  RequestMemory memory;
  memory.Remember({3, 1, 1}, "one", 5, 5);
  memory.Remember({4, 1, 1}, "two", 5, 5);
  std::string bytes = memory.Encode();
  for (size_t size = 1; size < bytes.size(); ++size) {
    EXPECT_EQ(RequestMemory().Add(bytes.substr(0, size), 0).code(), StatusCode::kDataLoss) << size;
  }
  auto joined = JoinRequests(bytes, bytes);
  ASSERT_TRUE(joined.ok());
  EXPECT_EQ(*joined, bytes);
}

}  // namespace
}  // namespace sippar::engine
