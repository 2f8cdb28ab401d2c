// Tests how concurrent writes to one tablet share calls.
// SPDX-License-Identifier: Apache-2.0
#include "cluster/client/write_gatherer.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "engine/base/clock.h"
#include "engine/base/thread.h"

namespace sippar::cluster {
namespace {

using Apply = calls::ApplyRows<TabletAddress>;

// Holds each call until the test answers it; rows that begin with "bad" are rejected.
class HoldingTablets final : public TabletService {
 public:
  void Carry(const AnyCall& any, const CallOptions&) override {
    const auto& asked = std::get<Pending<Apply>>(any);
    engine::MutexLock lock(&mutex_);
    const size_t number = sizes_.size();
    sizes_.push_back(asked.call.batch.size());
    changed_.NotifyAll();
    while (answered_ <= number) changed_.Wait(&mutex_);
    std::vector<Status> answers;
    for (const RowMutation* write : asked.call.batch.values()) {
      answers.push_back(write->row.starts_with("bad") ? InvalidArgument(write->row) : OkStatus());
    }
    asked.answer = std::move(answers);
  }
  StatusOr<std::unique_ptr<CellStream>> Read(const TabletAddress&, const ReadSpec&,
                                             const CallOptions&) override {
    return Unimplemented("read");
  }
  Status Run(const TabletAddress&, const engine::Program&, const CallOptions&,
             engine::ProgramSink*) override {
    return Unimplemented("run");
  }
  // Waits for `count` calls; returns the number of writes in each call that has arrived.
  std::vector<size_t> Await(size_t count) {
    engine::MutexLock lock(&mutex_);
    while (sizes_.size() < count) changed_.Wait(&mutex_);
    return sizes_;
  }
  // Answers the calls up to `number`, counted from 1, as soon as they arrive.
  void AnswerUpTo(size_t number) {
    engine::MutexLock lock(&mutex_);
    answered_ = number;
    changed_.NotifyAll();
  }

 private:
  engine::Mutex mutex_;
  engine::CondVar changed_;
  std::vector<size_t> sizes_;
  size_t answered_ = 0;
};

class WriteGathererTest : public testing::Test {
 protected:
  WriteGathererTest() {
    location_.address.tablet_id = 7;
    location_.service = tablets_;
  }
  // Writes in a thread of its own.
  void Write(const std::string& row) {
    writers_.emplace_back("writer", [this, row] {
      RowMutation mutation;
      mutation.row = row;
      const CallTime time(engine::Clock::System(), {});
      const Status status = gatherer_.Apply(location_, mutation, time);
      engine::MutexLock lock(&mutex_);
      answers_[row] = status;
    });
  }
  std::map<std::string, Status> Join() {
    for (engine::Thread& writer : writers_) writer.Join();
    return answers_;
  }

  TabletLocation location_;
  const std::shared_ptr<HoldingTablets> tablets_ = std::make_shared<HoldingTablets>();
  WriteGatherer gatherer_;
  engine::Mutex mutex_;
  std::map<std::string, Status> answers_;
  std::vector<engine::Thread> writers_;
};

TEST_F(WriteGathererTest, OneCallIsInFlightAndTheOthersShareTheNext) {
  Write("a");
  EXPECT_EQ(tablets_->Await(1), (std::vector<size_t>{1}));
  for (int i = 0; i < 9; ++i) Write("later " + std::to_string(i));
  Write("bad");
  // While the first call is held, no second one is sent; then all waiting writes go in one call.
  // Writes that arrive later share the call after that, so there are few calls but not always two.
  tablets_->AnswerUpTo(1);
  tablets_->Await(2);
  tablets_->AnswerUpTo(100);
  const auto answers = Join();
  const std::vector<size_t> sizes = tablets_->Await(2);
  size_t writes = 0;
  for (size_t size : sizes) writes += size;
  EXPECT_EQ(writes, 11u);
  ASSERT_EQ(answers.size(), 11u);
  for (const auto& [row, status] : answers) {
    EXPECT_EQ(status.code(), row == "bad" ? StatusCode::kInvalidArgument : StatusCode::kOk) << row;
  }
}

TEST_F(WriteGathererTest, AWriteAfterAnAnswerIsSentAtOnce) {
  for (size_t i = 1; i <= 20; ++i) {
    tablets_->AnswerUpTo(i);
    RowMutation mutation;
    mutation.row = "r";
    const CallTime time(engine::Clock::System(), {});
    EXPECT_EQ(gatherer_.Apply(location_, mutation, time), OkStatus());
    EXPECT_EQ(tablets_->Await(i).size(), i);
  }
}

TEST_F(WriteGathererTest, ManyWritersAllGetTheirOwnAnswer) {
  tablets_->AnswerUpTo(SIZE_MAX);
  for (int i = 0; i < 64; ++i) Write((i % 3 == 0 ? "bad " : "row ") + std::to_string(i));
  const auto answers = Join();
  ASSERT_EQ(answers.size(), 64u);
  for (const auto& [row, status] : answers) {
    EXPECT_EQ(status.ok(), row.starts_with("row")) << row;
    if (!status.ok()) EXPECT_EQ(MessageOf(status), row);
  }
}

}  // namespace
}  // namespace sippar::cluster
