// Change streams of a cluster: whatever happens to the tablets of a table, a reader receives every
// acknowledged change once, and the changes of a row in order.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <set>

#include "cluster/api/store_paths.h"
#include "engine/base/thread.h"
#include "engine/model/change_config.h"
#include "tests/cluster/node/cluster_world.h"

namespace sippar::cluster {
namespace {

constexpr int64_t kDayMicros = int64_t{24} * 3600 * 1'000'000;

// Reads a table as clients do: by partition, with tokens.
class Follower {
 public:
  explicit Follower(DataApi* data) : data_(data) {}

  // Reads all available changes since `start_us`.
  void Begin(int64_t start_us) {
    for (const RowRange& partition : Partitions()) {
      ChangesRequest request;
      request.partition = partition;
      request.start_us = start_us;
      Read(request);
    }
  }
  // Reads the changes since the last call.
  void GoOn() {
    const std::vector<RowRange> partitions = Partitions();
    // A token that no partition contains as a whole is read to its end, which names the tokens to
    // continue with.
    for (const ChangeToken& token : std::vector<ChangeToken>(tokens_)) {
      bool fits = std::any_of(partitions.begin(), partitions.end(), [&](const RowRange& partition) {
        return engine::Intersect(token.rows, partition) == token.rows;
      });
      if (!fits) Read({token.rows, std::nullopt, {token}, std::nullopt});
    }
    for (const RowRange& partition : partitions) {
      ChangesRequest request;
      request.partition = partition;
      for (const ChangeToken& token : tokens_) {
        if (engine::Intersect(token.rows, partition) == token.rows) request.tokens.push_back(token);
      }
      if (!request.tokens.empty()) Read(request);
    }
  }

  // Values of each row, in the order of arrival.
  std::map<std::string, std::vector<std::string>> values;

 private:
  std::vector<RowRange> Partitions() {
    auto ranges = data_->Do(calls::TabletRanges{"t"});
    EXPECT_TRUE(ranges.ok()) << ranges.status();
    return ranges.ok() ? *std::move(ranges) : std::vector<RowRange>();
  }
  void Read(const ChangesRequest& request) {
    auto stream = data_->ReadChanges("t", request, {});
    // A merged tablet can be read only with the tokens of all its parents.
    if (stream.status().code() == StatusCode::kInvalidArgument) return;
    ASSERT_TRUE(stream.ok()) << stream.status();
    for (;;) {
      auto batch = (*stream)->Next(20'000);
      ASSERT_TRUE(batch.ok()) << batch.status();
      for (const Change& change : batch->changes) {
        for (const auto& entry : change.mutation.entries) {
          values[change.mutation.row].push_back(entry.value);
        }
      }
      if (!batch->changes.empty()) continue;
      std::erase_if(tokens_, [&](const ChangeToken& token) {
        return !engine::Intersect(token.rows, request.partition).IsEmpty();
      });
      if (!batch->is_over) batch->tokens = {{request.partition, batch->token}};
      for (ChangeToken& token : batch->tokens) tokens_.push_back(std::move(token));
      return;
    }
  }

  DataApi* const data_;
  std::vector<ChangeToken> tokens_;
};

class ClusterChanges : public ClusterWorld {
 protected:
  static engine::TableSchema SchemaWithStream() {
    engine::TableSchema schema;
    schema.name = "t";
    schema.families.emplace_back().name = "f";
    engine::SetChangeStream(engine::ChangeStreamConfig{kDayMicros, 0}, &schema);
    return schema;
  }
  void CreateWithStream(const std::vector<std::string>& splits) {
    ASSERT_OK_(cluster_->admin()->Do(calls::CreateTable{SchemaWithStream(), splits}));
    follower_ = std::make_unique<Follower>(cluster_->data());
    follower_->Begin(Since());
  }
  int64_t Since() {
    auto info = cluster_->admin()->Do(calls::GetTable{"t"});
    EXPECT_OK(info);
    auto config = engine::ChangeStreamOf(info->schema);
    return config.has_value() ? config->since_us : -1;
  }
  void WriteAndNote(int from, int to, const std::string& mark) {
    Write(from, to, mark);
    for (int row = from; row < to; ++row) {
      noted_[RowOf(row)].push_back(fmt::format("{} {}", row, mark));
    }
  }
  void CheckFollower() {
    // The tokens of merged tablets arrive one after the other.
    for (int i = 0; i < 100 && follower_->values != noted_; ++i) {
      follower_->GoOn();
      engine::Clock::System()->SleepMicros(20'000);
    }
    ASSERT_EQ(follower_->values.size(), noted_.size());
    for (const auto& [row, values] : noted_) ASSERT_EQ(follower_->values[row], values) << row;
  }

  std::unique_ptr<Follower> follower_;
  std::map<std::string, std::vector<std::string>> noted_;
};

TEST_F(ClusterChanges, EachOnceAndInOrderThroughSplitsMergesMovesAndDeaths) {
  Start(3);
  CreateWithStream({RowOf(200)});
  WriteAndNote(0, 400, "a");
  follower_->GoOn();
  EXPECT_OK(cluster_->admin()->Do(calls::Split{"t", RowOf(100)}));
  WriteAndNote(50, 150, "b");
  follower_->GoOn();
  Crash("s1");
  WriteAndNote(0, 400, "c");
  EXPECT_OK(cluster_->admin()->Do(calls::Merge{"t", {RowOf(0), RowOf(300)}}));
  WriteAndNote(0, 400, "d");
  follower_->GoOn();
  EXPECT_OK(cluster_->StopServer("s2"));
  WriteAndNote(100, 300, "e");
  EXPECT_OK(cluster_->admin()->Do(calls::Split{"t", RowOf(300)}));
  StartServer("s4");
  Crash("s3");
  WriteAndNote(0, 400, "f");
  CheckFollower();
  CheckAll();
  // Reads everything again from the servers that have the tablets now.
  follower_ = std::make_unique<Follower>(cluster_->data());
  follower_->Begin(Since());
  CheckFollower();
}

// Change files are ordered by the tablet's epochs; the epochs of server lives would be misleading
// after a tablet moves back.
TEST_F(ClusterChanges, OfATabletThatWentToAnOlderServer) {
  Start(2);
  CreateWithStream({RowOf(100), RowOf(200), RowOf(300)});
  WriteAndNote(0, 400, "a");
  EXPECT_OK(cluster_->admin()->Do(calls::Flush{"t"}));
  EXPECT_OK(cluster_->StopServer("s2"));
  WriteAndNote(0, 400, "b");
  EXPECT_OK(cluster_->admin()->Do(calls::Flush{"t"}));
  CheckFollower();
}

TEST_F(ClusterChanges, AStreamBeginsOnALiveTableWithoutAHole) {
  Start(2);
  CreateTable({RowOf(100), RowOf(200), RowOf(300)});
  std::atomic<bool> begun{false};
  std::atomic<bool> stop{false};
  std::vector<std::string> after;  // rows written after the change of the table was acknowledged
  engine::Thread writer("writer", [&] {
    for (int i = 0; !stop; ++i) {
      bool counts = begun;
      RowMutation mutation(RowOf(i * 37 % 400));
      mutation.Set("f", "q", std::to_string(i));
      ASSERT_OK_(cluster_->data()->Apply("t", mutation));
      if (counts) after.push_back(std::to_string(i));
    }
  });
  engine::Clock::System()->SleepMicros(20'000);
  auto info = cluster_->admin()->Do(calls::GetTable{"t"});
  EXPECT_OK(cluster_->admin()->Do(calls::AlterTable{SchemaWithStream(), info->schema_version}));
  begun = true;
  engine::Clock::System()->SleepMicros(50'000);
  stop = true;
  writer.Join();
  EXPECT_GT(Since(), 0);
  Follower follower(cluster_->data());
  follower.Begin(Since());
  EXPECT_GT(after.size(), 0u);
  std::multiset<std::string> all;
  auto is_given = [&](const std::string& value) { return all.contains(value); };
  for (int i = 0; i < 100 && !std::all_of(after.begin(), after.end(), is_given); ++i) {
    follower.GoOn();
    all.clear();
    for (const auto& [row, values] : follower.values) all.insert(values.begin(), values.end());
  }
  for (const std::string& value : after) EXPECT_EQ(all.count(value), 1u) << value;
  // The stream is switched off: its old changes cannot be read any more.
  info = cluster_->admin()->Do(calls::GetTable{"t"});
  engine::TableSchema without = info->schema;
  engine::SetChangeStream(std::nullopt, &without);
  EXPECT_OK(cluster_->admin()->Do(calls::AlterTable{without, info->schema_version}));
  ChangesRequest request;
  request.partition = RowRange::All();
  EXPECT_CODE(cluster_->data()->ReadChanges("t", request, {}).status(),
              StatusCode::kFailedPrecondition);
}

TEST_F(ClusterChanges, BadRequestsAreRefusedAtOnce) {
  Start(1);
  CreateWithStream({});
  ChangesRequest request;
  request.partition = RowRange::All();
  request.start_us = Since() - 1;
  EXPECT_CODE(cluster_->data()->ReadChanges("t", request, {}).status(), StatusCode::kOutOfRange);
  request.start_us = engine::Clock::System()->NowMicros() + kDayMicros;
  EXPECT_CODE(cluster_->data()->ReadChanges("t", request, {}).status(),
              StatusCode::kInvalidArgument);
  EXPECT_CODE(cluster_->data()->ReadChanges("u", request, {}).status(), StatusCode::kNotFound);
  engine::TableSchema schema = SchemaWithStream();
  engine::SetChangeStream(engine::ChangeStreamConfig{kDayMicros / 2, 0}, &schema);
  EXPECT_CODE(cluster_->admin()->Do(calls::AlterTable{schema, 1}), StatusCode::kInvalidArgument);
  schema.name = "v";
  EXPECT_CODE(cluster_->admin()->Do(calls::CreateTable{schema, {}}), StatusCode::kInvalidArgument);
}

TEST_F(ClusterChanges, WhatIsTooOldGoesAndWhatMayBeNewerStays) {
  Start(1);
  CreateWithStream({});
  WriteAndNote(0, 10, "a");
  EXPECT_OK(cluster_->admin()->Do(calls::Flush{"t"}));
  uint64_t table_id = cluster_->admin()->Do(calls::GetTable{"t"})->table_id;
  const std::string directory = store_paths::ChangesOf("/db", table_id);
  const std::string newer = store_paths::ChangesOf("/db", table_id + 1);
  EXPECT_OK(disk_.CreateDir(newer));
  std::shared_ptr<LockSession> session = *locks_->OpenSession({"test", 0});
  master::ActionJob job(Places(), session.get(), 1);
  auto purge = [&](std::map<uint64_t, int64_t> kept_us) {
    master::action::PurgeTrash asked{0, std::move(kept_us), table_id + 1};
    asked.wall_us = engine::Clock::System()->NowMicros();
    EXPECT_OK(job.CarryOut({1, std::move(asked)}).status);
  };
  purge({{table_id, kDayMicros}});
  EXPECT_EQ(disk_.List(directory)->size(), 2u);  // including its mark
  purge({{table_id, -engine::kChangesGraceUs - 1}});
  EXPECT_EQ(disk_.List(directory)->size(), 0u);
  purge({});
  EXPECT_FALSE(*disk_.Exists(directory));
  EXPECT_TRUE(*disk_.Exists(newer));
}

}  // namespace
}  // namespace sippar::cluster
