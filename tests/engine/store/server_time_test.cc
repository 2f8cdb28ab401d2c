// Timestamps that the server gives never decrease: not when the clock goes back, and not across
// restarts, flushes, splits and merges.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/engine/store/crashing_store.h"

namespace sippar::engine {
namespace {

// A clock whose date can be set back; intervals continue.
class SteppingClock final : public Clock {
 public:
  int64_t NowMicros() override { return now_us; }
  int64_t MonotonicNanos() override { return nanos_ += 1000; }
  void SleepMicros(int64_t micros) override { nanos_ += micros * 1000; }
  std::atomic<int64_t> now_us = 1'700'000'000'123'456;

 private:
  std::atomic<int64_t> nanos_{1};
};

// Runs with tables of microseconds and of milliseconds.
class ServerTimeTest : public testing::TestWithParam<bool>, protected CrashingStore<SteppingClock> {
 protected:
  ServerTimeTest() : CrashingStore(1) {
    TableSchema schema;
    schema.name = "t";
    schema.families = {{"f", FamilyType::kBytes, {}}};
    if (GetParam()) schema.options[kGranularityOption] = "MILLIS";
    EXPECT_TRUE(store_->CreateTable(schema, {}).ok());
  }

  void Set(const std::string& value) {
    for (const char* row : {"a", "z"}) {
      RowMutation mutation(row);
      mutation.Set("f", "q", value);
      ASSERT_TRUE(store_->Apply("t", {&mutation}).front().ok());
    }
  }
  void CheckAndSet(const std::string& value) {
    for (const char* row : {"a", "z"}) {
      RowUpdate update;
      update.row = row;
      RowMutation mutation(row);
      mutation.Set("f", "q", value);
      update.check.emplace().on_true = mutation.entries;
      auto result = store_->Update("t", update);
      ASSERT_TRUE(result.ok()) << result.status();
      ASSERT_TRUE(result->matched);
    }
  }
  void Append(const std::string& value) {
    for (const char* row : {"a", "z"}) {
      auto result = store_->Update("t", ReadModifyWriteOf(row, {ModifyRule{"f", "q", value, 0}}));
      ASSERT_TRUE(result.ok()) << result.status();
      ASSERT_EQ(result->cells.size(), 1u);
    }
  }
  Cell Newest(const std::string& row) {
    auto tablet = store_->FindTablet("t", row);
    ReadSpec read;
    read.rows = RowSet(RowRange::Single(row));
    auto cells = (*tablet)->Read(read);
    return (*cells)->Valid() ? Cell((*cells)->cell()) : Cell();
  }
  // Checks that the last value written is the newest, and that its timestamp fits the table's
  // granularity.
  void ExpectNewest(const std::string& value, const std::string& when) {
    for (const char* row : {"a", "z"}) {
      Cell cell = Newest(row);
      EXPECT_EQ(cell.value, value) << when;
      EXPECT_GE(cell.timestamp_us, last_us_) << when;
      if (GetParam()) EXPECT_EQ(cell.timestamp_us % 1000, 0) << when;
      last_us_ = cell.timestamp_us;
    }
  }

  int64_t last_us_ = 0;
};

TEST_P(ServerTimeTest, F_D3_TheClockGoesBackBeforeEachStep) {
  Set("begin");
  ExpectNewest("begin", "begin");
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
    clock_.now_us -= 3'600'000'000;
    Status status = step();
    ASSERT_TRUE(status.ok()) << name << ": " << status;
    Set(name);
    ExpectNewest(name, name);
    CheckAndSet(name + " checked");
    ExpectNewest(name + " checked", name);
    Append("!");
    ExpectNewest(name + " checked!", name);
  }
}

INSTANTIATE_TEST_SUITE_P(Granularity, ServerTimeTest, testing::Bool());

class RowOperationTest : public ServerTimeTest {
 protected:
  std::vector<StatusOr<RowUpdateResult>> Update(const std::string& table,
                                                const std::vector<const RowUpdate*>& batch) {
    return (*store_->FindTablet(table, "a"))->writer().UpdateBatch(batch);
  }
};

// Operations on one row and on several rows in one batch: each sees the effect of the earlier ones.
TEST_P(RowOperationTest, F_A3_OperationsOfABatchSeeEachOther) {
  std::vector<RowUpdate> batch;
  for (int i = 0; i < 5; ++i) {
    for (const char* row : {"a", "b"}) {
      batch.push_back(ReadModifyWriteOf(
          row, {ModifyRule{"f", "n", std::nullopt, 1}, ModifyRule{"f", "log", "x", 0}}));
    }
  }
  RowUpdate check;  // after its five appends, f:log of row a is xxxxx
  check.row = "a";
  check.check.emplace().predicate = RowFilter::Text(RowFilter::kValueRegex, "xxxxx");
  check.check->on_false = {RowMutation("a").DeleteRow().entries[0]};
  batch.push_back(check);
  std::vector<const RowUpdate*> pointers;
  for (const RowUpdate& update : batch) pointers.push_back(&update);
  auto answers = Update("t", pointers);
  for (size_t i = 0; i + 1 < answers.size(); ++i) {
    ASSERT_TRUE(answers[i].ok()) << answers[i].status();
    ASSERT_EQ(answers[i]->cells.size(), 2u);
    EXPECT_EQ(answers[i]->cells[0].value, std::string(i / 2 + 1, 'x'));
    EXPECT_EQ(*DecodeInt64(answers[i]->cells[1].value), static_cast<int64_t>(i / 2 + 1));
  }
  ASSERT_TRUE(answers.back().ok()) << answers.back().status();
  EXPECT_TRUE(answers.back()->matched);
  Crash();
  EXPECT_EQ(Newest("a").value, "xxxxx");
  EXPECT_EQ(Newest("b").value, "xxxxx");
}

// An addition of a check-and-mutate includes the additions of earlier operations in the batch.
TEST_P(RowOperationTest, F_A3_AdditionsOfABatchAreAllCounted) {
  TableSchema schema;
  schema.name = "sums";
  schema.families = {{"n", FamilyType::kSum, {}}};
  ASSERT_TRUE(store_->CreateTable(schema, {}).ok());
  RowUpdate add;
  add.row = "a";
  add.check.emplace().on_true = RowMutation("a").Add("n", "q", EncodeInt64(1), 1'000).entries;
  add.check->on_false = add.check->on_true;
  std::vector<const RowUpdate*> batch(5, &add);
  auto answers = Update("sums", batch);
  for (size_t i = 0; i < answers.size(); ++i) {
    ASSERT_TRUE(answers[i].ok()) << answers[i].status();
    EXPECT_EQ(answers[i]->matched, i > 0);
  }
  Crash();
  auto tablet = store_->FindTablet("sums", "a");
  auto cells = (*tablet)->Read(ReadSpec());
  ASSERT_TRUE((*cells)->Valid());
  EXPECT_EQ(*DecodeInt64((*cells)->cell().value), 5);
}

// A failing operation does not affect the others; an operation with a request id is done once.
TEST_P(RowOperationTest, OfABatchEachIsAnsweredForItself) {
  Set("seven b");
  RowUpdate fails = ReadModifyWriteOf("a", {ModifyRule{"f", "q", std::nullopt, 1}});
  RowUpdate once = ReadModifyWriteOf("b", {ModifyRule{"f", "q", "x", 0}});
  once.request = {77, 5, 1};
  for (int i = 0; i < 3; ++i) {
    auto answers = Update("t", {&once, &fails});
    ASSERT_TRUE(answers[0].ok()) << answers[0].status();
    ASSERT_EQ(answers[0]->cells.size(), 1u);
    EXPECT_EQ(answers[0]->cells[0].value, "x");
    EXPECT_EQ(answers[1].status().code(), StatusCode::kFailedPrecondition);
    if (i > 0) Crash();
  }
  EXPECT_EQ(Newest("b").value, "x");
}

TEST_P(RowOperationTest, SurvivesEncoding) {
  RowUpdate update;
  update.row = "r";
  update.request = {1, 2, 3};
  CheckedMutation& check = update.check.emplace();
  check.predicate = RowFilter::List(RowFilter::kChain,
                                    {RowFilter::Text(RowFilter::kFamilyRegex, "f"),
                                     RowFilter::Count(RowFilter::kColumnLimit, 1), RowFilter()});
  check.predicate.filters[2].kind = RowFilter::kValueRange;
  check.predicate.filters[2].range.limit = "x";
  check.seed = 9;
  check.on_true = RowMutation("r").Set("f", "q", "v").entries;
  check.on_false = RowMutation("r").DeleteColumn("f", "q", {1, 2}).DeleteRow().entries;
  std::string bytes = update.Encode();
  auto decoded = RowUpdate::Decode(bytes);
  ASSERT_TRUE(decoded.ok()) << decoded.status();
  EXPECT_EQ(decoded->Encode(), bytes);
  EXPECT_EQ(decoded->check->predicate, check.predicate);
  EXPECT_EQ(decoded->request, update.request);
  for (size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(RowUpdate::Decode(std::string_view(bytes).substr(0, size)).ok()) << size;
  }
  RowUpdateResult result;
  result.matched = true;
  result.cells.emplace_back().value = "v";
  auto again = RowUpdateResult::Decode(result.Encode());
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_TRUE(again->matched);
  EXPECT_EQ(again->cells, result.cells);
}

INSTANTIATE_TEST_SUITE_P(Granularity, RowOperationTest, testing::Bool());

}  // namespace
}  // namespace sippar::engine
