// ImportWriter with several jobs: a batch has each row once, the versions of a row keep the order
// of the file, and after a failure all records that it counts as written are written.
// SPDX-License-Identifier: Apache-2.0
#include "query/execute/import_writer.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "engine/base/limits.h"

namespace sippar::query {
namespace {

// Keeps the values of each row in the order in which they were written.
class RecordingClient final : public cluster::Client, cluster::DataApi {
 public:
  cluster::DataApi* data() override { return this; }
  cluster::AdminApi* admin() override { return nullptr; }
  engine::Clock* clock() override { return engine::Clock::System(); }
  const std::string& target() const override { return target_; }
  Status Close() override { return OkStatus(); }

  // Writes of this row fail.
  std::string broken_row;
  Status failure = InvalidArgument("broken");
  std::map<std::string, std::vector<std::string>> rows;
  size_t calls = 0;
  bool had_row_twice = false;  // two calls wrote one row at the same time

 private:
  StatusOr<std::unique_ptr<cluster::CellStream>> Read(const std::string&, const cluster::ReadSpec&,
                                                      const cluster::CallOptions&) override {
    return Unimplemented("the client only writes");
  }
  Status Run(const std::string&, const cluster::RowRange&, const engine::Program&,
             const cluster::CallOptions&, engine::ProgramSink*) override {
    return Unimplemented("the client only writes");
  }
  void Carry(const cluster::DataApi::AnyCall& call, const cluster::CallOptions&) override {
    cluster::AnswerBy(call, [this](const auto& asked) { return Perform(asked); });
  }
  StatusOr<std::vector<Status>> Perform(
      const cluster::calls::ApplyRows<cluster::LentTable>& asked) {
    {
      engine::MutexLock lock(&mutex_);
      ++calls;
      for (size_t i = 0; i < asked.batch.size(); ++i) {
        had_row_twice |= !at_work_.insert(asked.batch[i].row).second;
      }
    }
    engine::Clock::System()->SleepMicros(500);  // so that calls run at the same time
    engine::MutexLock lock(&mutex_);
    std::vector<Status> statuses;
    for (size_t i = 0; i < asked.batch.size(); ++i) {
      const engine::RowMutation& mutation = asked.batch[i];
      at_work_.erase(mutation.row);
      statuses.push_back(mutation.row == broken_row ? failure : OkStatus());
      if (!statuses.back().ok()) continue;
      for (const auto& entry : mutation.entries) rows[mutation.row].push_back(entry.value);
    }
    return statuses;
  }
  template <class Call>
  Status Perform(const Call&) {
    return Unimplemented("the client only writes");
  }

  engine::Mutex mutex_;
  std::set<std::string> at_work_;
  std::string target_ = "recording";
};

engine::RowMutation Mutation(const std::string& row, uint64_t value) {
  engine::RowMutation mutation(row);
  mutation.Set("f", "q", fmt::format("{:08}", value));
  return mutation;
}

TEST(ImportWriter, VersionsOfARowKeepTheOrderOfTheFile) {
  for (size_t jobs : {1U, 2U, 4U, 16U}) {
    RecordingClient client;
    ImportWriter writer(&client, "t", jobs);
    constexpr uint64_t kRecords = 60'000;
    for (uint64_t i = 0; i < kRecords; ++i) {
      // Some rows come again soon, some after many batches.
      const uint64_t row = i % 3 == 0 ? i % 7 : i % 20'011;
      ASSERT_TRUE(writer.Add(Mutation(fmt::format("r{}", row), i), i + 1).ok());
    }
    ASSERT_TRUE(writer.Flush().ok());
    EXPECT_EQ(writer.written_records(), kRecords);
    EXPECT_EQ(writer.written_rows(), writer.rows());
    EXPECT_EQ(writer.cells(), kRecords);
    EXPECT_FALSE(client.had_row_twice);
    size_t values = 0;
    for (const auto& [row, versions] : client.rows) {
      EXPECT_TRUE(std::is_sorted(versions.begin(), versions.end())) << row << ", jobs " << jobs;
      values += versions.size();
    }
    EXPECT_EQ(values, kRecords);
  }
}

TEST(ImportWriter, WhatCountsAsWrittenIsWritten) {
  constexpr uint64_t kRecords = 50'000;
  for (size_t jobs : {1U, 3U, 8U}) {
    for (uint64_t broken : {0U, 1U, 9'999U, 31'234U, 49'999U}) {
      RecordingClient client;
      client.broken_row = fmt::format("r{}", broken);
      ImportWriter writer(&client, "t", jobs);
      Status status;
      for (uint64_t i = 0; i < kRecords && status.ok(); ++i) {
        status = writer.Add(Mutation(fmt::format("r{}", i), i), i + 1);
      }
      if (status.ok()) status = writer.Flush();
      EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
      EXPECT_NE(MessageOf(status).find(fmt::format("row '{}'", client.broken_row)),
                std::string::npos);
      EXPECT_TRUE(writer.has_failed());
      ASSERT_LE(writer.written_records(), broken);
      for (uint64_t i = 0; i < writer.written_records(); ++i) {
        ASSERT_EQ(client.rows.count(fmt::format("r{}", i)), 1U) << i;
      }
      EXPECT_EQ(writer.written_rows(), client.rows.size());
    }
  }
}

TEST(ImportWriter, TellsWhetherMoreMayBeWritten) {
  for (const Status& failure : {InvalidArgument("broken"), Unavailable("no answer")}) {
    RecordingClient client;
    client.broken_row = "r7000";  // in one of several parts
    client.failure = failure;
    ImportWriter writer(&client, "t", 4);
    for (uint64_t i = 0; i < 8'000; ++i) {
      (void)writer.Add(Mutation(fmt::format("r{}", i), i), i + 1);
    }
    EXPECT_FALSE(writer.lacks_outcome()) << "no batch has failed yet";
    EXPECT_EQ(writer.Flush().code(), failure.code());
    EXPECT_EQ(writer.lacks_outcome(), failure.code() == StatusCode::kUnavailable);
  }
}

TEST(ImportWriter, ARowInSeveralBatchesCountsOnce) {
  for (size_t jobs : {1U, 4U}) {
    RecordingClient client;
    ImportWriter writer(&client, "t", jobs);
    constexpr uint64_t kRecords = 2 * limits::kMutationEntriesMax + 1;  // three batches at least
    for (uint64_t i = 0; i < kRecords; ++i) ASSERT_TRUE(writer.Add(Mutation("r", i), i + 1).ok());
    ASSERT_TRUE(writer.Flush().ok());
    EXPECT_GE(client.calls, 3U);
    EXPECT_EQ(writer.rows(), 1U);
    EXPECT_EQ(writer.written_rows(), 1U);
  }
}

TEST(ImportWriter, SmallBatchesAreOneCall) {
  RecordingClient client;
  ImportWriter writer(&client, "t", 8);
  for (uint64_t i = 0; i < 50; ++i) {
    ASSERT_TRUE(writer.Add(Mutation(fmt::format("r{}", i), i), i + 1).ok());
  }
  ASSERT_TRUE(writer.Flush().ok());
  EXPECT_EQ(client.calls, 1U);
}

TEST(ImportWriter, LargeBatchesAreAsManyCallsAsJobs) {
  RecordingClient client;
  ImportWriter writer(&client, "t", 8);
  for (uint64_t i = 0; i < 8'000; ++i) {
    ASSERT_TRUE(writer.Add(Mutation(fmt::format("r{}", i), i), i + 1).ok());
  }
  ASSERT_TRUE(writer.Flush().ok());
  EXPECT_EQ(client.calls, 8U);
}

}  // namespace
}  // namespace sippar::query
