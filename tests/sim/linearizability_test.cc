// Tests the check itself: histories of a register and a counter, correct and incorrect.
// SPDX-License-Identifier: Apache-2.0
#include "tests/sim/linearizability.h"

#include <gtest/gtest.h>

#include "engine/base/random.h"
#include "tests/sim/row_history.h"

namespace sippar::sim {
namespace {

struct RegisterOperation {
  char kind;  // 'w' writes, 'r' reads, '+' adds and returns nothing
  int value;
  Interval when;
};

class RegisterState final : public SequentialState {
 public:
  RegisterState(int value, const std::vector<RegisterOperation>* operations)
      : value_(value), operations_(operations) {}
  std::unique_ptr<SequentialState> After(size_t index) const override {
    const RegisterOperation& operation = (*operations_)[index];
    if (operation.kind == 'r' && operation.value != value_) return nullptr;
    int after = operation.kind == 'w'   ? operation.value
                : operation.kind == '+' ? value_ + operation.value
                                        : value_;
    return std::make_unique<RegisterState>(after, operations_);
  }
  std::string Fingerprint() const override { return std::to_string(value_); }

 private:
  int value_;
  const std::vector<RegisterOperation>* operations_;
};

LinearizabilityResult::Verdict Check(const std::vector<RegisterOperation>& operations) {
  std::vector<Interval> intervals;
  for (const RegisterOperation& operation : operations) intervals.push_back(operation.when);
  return CheckLinearizable(RegisterState(0, &operations), intervals).verdict;
}

constexpr auto kRight = LinearizabilityResult::kLinearizable;
constexpr auto kWrong = LinearizabilityResult::kViolation;
constexpr uint64_t kOpen = Interval::kUnknown;

TEST(Linearizability, NothingAndOneThingAreRight) {
  EXPECT_EQ(Check({}), kRight);
  EXPECT_EQ(Check({{'r', 0, {1, 2}}}), kRight);
  EXPECT_EQ(Check({{'r', 1, {1, 2}}}), kWrong);
}

TEST(Linearizability, AReadAfterAWriteSeesIt) {
  EXPECT_EQ(Check({{'w', 1, {1, 2}}, {'r', 1, {3, 4}}}), kRight);
  EXPECT_EQ(Check({{'w', 1, {1, 2}}, {'r', 0, {3, 4}}}), kWrong);
}

TEST(Linearizability, ReadsBesideAWriteSeeOldOrNewButNotBack) {
  EXPECT_EQ(Check({{'w', 1, {1, 9}}, {'r', 0, {2, 3}}, {'r', 1, {4, 5}}}), kRight);
  EXPECT_EQ(Check({{'w', 1, {1, 9}}, {'r', 1, {2, 3}}, {'r', 0, {4, 5}}}), kWrong);
}

TEST(Linearizability, UnknownOutcomesMayHappenLateOrNever) {
  EXPECT_EQ(Check({{'w', 1, {1, kOpen}}, {'r', 0, {2, 3}}, {'r', 0, {8, 9}}}), kRight);
  EXPECT_EQ(Check({{'w', 1, {1, kOpen}}, {'r', 0, {2, 3}}, {'r', 1, {8, 9}}}), kRight);
  EXPECT_EQ(Check({{'w', 1, {1, kOpen}}, {'r', 1, {2, 3}}, {'r', 0, {8, 9}}}), kWrong);
  // The value is read before its write was called.
  EXPECT_EQ(Check({{'w', 1, {5, kOpen}}, {'r', 1, {2, 3}}}), kWrong);
}

TEST(Linearizability, AddsAreNeverLostOrDoubled) {
  EXPECT_EQ(Check({{'+', 1, {1, 5}}, {'+', 2, {2, 4}}, {'r', 3, {6, 7}}}), kRight);
  EXPECT_EQ(Check({{'+', 1, {1, 5}}, {'+', 2, {2, 4}}, {'r', 2, {6, 7}}}), kWrong);
  EXPECT_EQ(Check({{'+', 1, {1, kOpen}}, {'+', 2, {2, 4}}, {'r', 4, {6, 7}}}), kWrong);
}

TEST(Linearizability, TheDeepestBeginningIsShown) {
  std::vector<RegisterOperation> operations = {
      {'w', 1, {1, 2}}, {'w', 2, {3, 4}}, {'r', 1, {5, 6}}};
  LinearizabilityResult result =
      CheckLinearizable(RegisterState(0, &operations), {{1, 2}, {3, 4}, {5, 6}});
  EXPECT_EQ(result.verdict, kWrong);
  EXPECT_EQ(result.order, (std::vector<size_t>{0, 1}));
}

TEST(Linearizability, TwinsOfUnknownOutcomeAreTriedInTheirOrder) {
  std::vector<RegisterOperation> operations;
  for (uint64_t i = 0; i < 40; ++i) {
    operations.push_back({'+', 1, {i + 1, kOpen, i == 0 ? Interval::kNoTwin : i - 1}});
  }
  operations.push_back({'r', 17, {101, 102}});
  operations.push_back({'r', 40, {103, 104}});
  EXPECT_EQ(Check(operations), kRight);
  operations.back().value = 41;
  EXPECT_EQ(Check(operations), kWrong);
  operations.back().value = 16;
  EXPECT_EQ(Check(operations), kWrong);
}

TEST(Linearizability, ItGivesUpInsteadOfSearchingForEver) {
  std::vector<RegisterOperation> operations;
  std::vector<Interval> intervals;
  for (int i = 0; i < 30; ++i) operations.push_back({'+', 1 << (i % 20), {1, 100}});
  operations.push_back({'r', -1, {101, 102}});
  for (const RegisterOperation& operation : operations) intervals.push_back(operation.when);
  EXPECT_EQ(CheckLinearizable(RegisterState(0, &operations), intervals, 10'000).verdict,
            LinearizabilityResult::kGaveUp);
}

// Histories of a register that takes each step within its call are correct. They become incorrect
// if one read is changed to a value that is written only later.
TEST(Linearizability, RandomHistoriesAreJudgedRightly) {
  for (uint64_t seed = 1; seed <= 300; ++seed) {
    engine::Random random(seed);
    std::vector<RegisterOperation> operations;
    int value = 0;
    for (uint64_t step = 1; step <= 60; ++step) {
      uint64_t at = 100 + step * 10;
      Interval when{at - random.Uniform(25), at + 1 + random.Uniform(25)};
      if (random.OneIn(2)) {
        value = static_cast<int>(step);
        operations.push_back({'w', value, when});
      } else {
        operations.push_back({'r', value, when});
      }
    }
    operations.push_back({'r', value, {1'000, 1'001}});
    ASSERT_EQ(Check(operations), kRight) << "seed " << seed;
    operations.push_back({'w', 99, {2'000, 2'001}});
    operations.push_back({'r', 99, {1'500, 1'501}});
    ASSERT_EQ(Check(operations), kWrong) << "seed " << seed;
  }
}

RowOperation WriteOf(const engine::RowMutation& mutation, Interval when) {
  RowOperation operation;
  operation.when = when;
  operation.mutation = mutation;
  return operation;
}

RowOperation ReadOf(const std::string& cells, Interval when) {
  RowOperation operation;
  operation.when = when;
  operation.reads = true;
  operation.cells = cells;
  return operation;
}

// Rows follow the oracle's data model: deletes, versions, counters, times that the server chooses.
TEST(RowHistories, ARowIsExplainedByTheDataModel) {
  engine::TableSchema schema;
  schema.name = "t";
  schema.families = {{"a", engine::FamilyType::kBytes, engine::GcPolicy::MaxVersions(1)},
                     {"sn", engine::FamilyType::kCounter, engine::GcPolicy::MaxVersions(1)}};
  schema.Normalize();
  using engine::RowMutation;
  std::string two = "r sn:@0=\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x02\n";
  auto check = [&](const std::string& last_seen) {
    RowHistories histories(schema);
    histories.Add("r", WriteOf(RowMutation("r").Set("a", "q", "v", 5), {1, 2}));
    histories.Add("r", ReadOf("r a:q@5=v\n", {3, 4}));
    histories.Add("r", WriteOf(RowMutation("r").Increment("sn", "", 1), {5, 8}));
    histories.Add("r", WriteOf(RowMutation("r").Increment("sn", "", 1), {6, 7}));
    histories.Add("r", WriteOf(RowMutation("r").DeleteColumn("a", "q"), {9, Interval::kUnknown}));
    histories.Add("r", ReadOf(last_seen, {10, 11}));
    return histories.Check();
  };
  EXPECT_EQ(check(two), "");
  EXPECT_EQ(check("r a:q@5=v\n" + two), "");
  EXPECT_NE(check(""), "");
  EXPECT_NE(check("r a:q@5=v\n"), "");
}

}  // namespace
}  // namespace sippar::sim
