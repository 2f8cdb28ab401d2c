// Calls and streams over real sockets, plain and with TLS.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "cluster/net/failure.h"
#include "tests/cluster/net/wire_world.h"

namespace sippar::net {
namespace {

constexpr int64_t kSecond = 1'000'000;

class CallsTest : public testing::TestWithParam<bool> {
 protected:
  CallsTest() : world_(GetParam()) { world_.StartServer(); }
  WireWorld world_;
};
INSTANTIATE_TEST_SUITE_P(Wire, CallsTest, testing::Bool(), [](const auto& tested) {
  return std::string(tested.param ? "Tls" : "Plain");
});

TEST_P(CallsTest, AnswersAndFailuresComeBackOfAnySize) {
  auto channel = world_.NewChannel();
  for (size_t size : {size_t{0}, size_t{1}, size_t{1000}, size_t{16 << 10}, size_t{16 << 10 | 1},
                      size_t{300'000}, size_t{5 << 20}}) {
    for (uint16_t method : {kEcho, kSlowEcho}) {
      std::string body(size, static_cast<char>('a' + size % 26));
      auto answer = channel->Call(method, body, {});
      ASSERT_TRUE(answer.ok()) << answer.status();
      EXPECT_TRUE(*answer == body) << size;
    }
  }
  auto failed = channel->Call(kFail, "no such row", {});
  EXPECT_EQ(failed.status().code(), StatusCode::kNotFound);
  EXPECT_EQ(MessageOf(failed.status()), "no such row");
  EXPECT_EQ(WaitHintOf(failed.status()), 77);
  EXPECT_EQ(channel->Call(99, "", {}).status().code(), StatusCode::kUnimplemented);
  EXPECT_EQ(channel->Call(kForget, "", {}).status().code(), StatusCode::kInternal);
  EXPECT_EQ(channel->calls_in_flight(), 0u);
  EXPECT_EQ(world_.server->connections(), 1u);
}

TEST_P(CallsTest, ManyThreadsGetTheirOwnAnswers) {
  auto channel = world_.NewChannel();
  std::atomic<int> wrong{0};
  {
    std::vector<engine::Thread> threads;
    for (int thread = 0; thread < 16; ++thread) {
      threads.emplace_back("caller", [&, thread] {
        for (int i = 0; i < 200; ++i) {
          std::string body = fmt::format("{} {} {}", thread, i, std::string(i * 10, 'x'));
          uint16_t method = i % 3 == 0 ? kSlowEcho : kEcho;
          auto answer = channel->Call(method, body, {});
          if (!answer.ok() || *answer != body) ++wrong;
        }
      });
    }
  }
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(world_.service.served(), 16 * 200);
}

TEST_P(CallsTest, CallsWithoutAThreadAreAnsweredToo) {
  auto channel = world_.NewChannel();
  std::atomic<int> good{0}, all{0};
  for (int i = 0; i < 500; ++i) {
    std::string body = fmt::format("call {}", i);
    channel->Begin(kEcho, body, 10 * kSecond, [&, body](StatusOr<std::string> answer) {
      if (answer.ok() && *answer == body) ++good;
      ++all;
    });
  }
  EXPECT_TRUE(Eventually([&] { return all == 500; }));
  EXPECT_EQ(good, 500);
}

TEST_P(CallsTest, AnswersOfOneGroupLeaveTogether) {
  auto channel = world_.NewChannel();
  std::atomic<int> good{0};
  for (int i = 0; i < 64; ++i) {
    std::string body = fmt::format("write {}", i);
    channel->Begin(kGroup, body, 10 * kSecond, [&, body](StatusOr<std::string> answer) {
      if (answer.ok() && *answer == body) ++good;
    });
  }
  EXPECT_TRUE(Eventually([&] { return good == 64; }));
}

TEST_P(CallsTest, AnAttemptThatRanOutIsUnavailableAndItsServerHearsOfIt) {
  auto channel = world_.NewChannel();
  ASSERT_TRUE(channel->Call(kEcho, "x", {}).ok());  // opens the connection
  auto late = channel->Call(kWait, "", {.timeout_us = kSecond});
  EXPECT_EQ(late.status().code(), StatusCode::kUnavailable);
  // The request was sent, so its outcome is unknown.
  EXPECT_FALSE(IsNotBegun(late.status())) << late.status();
  EXPECT_TRUE(Eventually([&] { return world_.service.left() == 1; }));

  std::atomic<int> code{-1};
  channel->Begin(kHold, "", kSecond / 10, [&](StatusOr<std::string> answer) {
    code = static_cast<int>(answer.status().code());
  });
  EXPECT_TRUE(Eventually([&] { return code != -1; }));
  EXPECT_EQ(code, static_cast<int>(StatusCode::kUnavailable));
  // The connection still works, and no call takes the late answer.
  world_.service.Release();
  EXPECT_TRUE(channel->Call(kEcho, "x", {}).ok());
  EXPECT_EQ(channel->calls_in_flight(), 0u);
}

TEST_P(CallsTest, ACallThatIsCancelledEndsOnBothSides) {
  auto channel = world_.NewChannel();
  std::atomic<bool> cancel{false};
  engine::Thread other("canceller", [&] {
    EXPECT_TRUE(Eventually([&] { return world_.service.waiting() == 1; }));
    cancel = true;
  });
  auto cancelled = channel->Call(kWait, "", {.cancel = &cancel});
  EXPECT_EQ(cancelled.status().code(), StatusCode::kCancelled);
  EXPECT_TRUE(Eventually([&] { return world_.service.left() == 1; }));
  other.Join();
  // The flag ends later calls as well.
  auto again = channel->Call(kHold, "", {.cancel = &cancel});
  EXPECT_EQ(again.status().code(), StatusCode::kCancelled);
}

TEST_P(CallsTest, AStreamComesWholeAndInOrder) {
  auto channel = world_.NewChannel();
  for (const char* plan : {"0 8", "1 8", "1000 100", "20 1000000"}) {
    auto stream = channel->Open(kCount, plan, 0);
    int parts = 0;
    for (;;) {
      auto part = stream->Next();
      ASSERT_TRUE(part.ok()) << part.status();
      if (!part->has_value()) break;
      ASSERT_EQ((*part)->substr(0, 8), fmt::format("{:08}", parts++));
    }
    EXPECT_EQ(stream->End(), fmt::format("{} parts", parts));
  }
  auto failed = channel->Open(kFail, "no such table", 0)->Next();
  EXPECT_EQ(failed.status().code(), StatusCode::kNotFound);
}

TEST_P(CallsTest, ASlowReaderStopsItsScanAndHoldsAWindow) {
  auto channel = world_.NewChannel();
  auto stream = channel->Open(kCount, "1000 100000", 0);
  EXPECT_TRUE(Eventually([&] { return stream->held_bytes() >= kStreamWindow; }));
  engine::Clock::System()->SleepMicros(50'000);
  EXPECT_LT(stream->held_bytes(), kStreamWindow + 100'001);
  int written = world_.service.parts_written();
  EXPECT_LE(written, 22);
  // Other calls overtake the stream on the same connection.
  EXPECT_TRUE(channel->Call(kEcho, "x", {}).ok());
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(stream->Next().ok());
  EXPECT_TRUE(Eventually([&] { return world_.service.parts_written() > written; }));
  stream->Cancel();
  EXPECT_TRUE(Eventually([&] { return world_.service.streams_cancelled() == 1; }));
  EXPECT_LT(world_.service.parts_written(), 100);
  while (stream->Next().ok()) continue;  // reads the parts that had already arrived
  EXPECT_EQ(stream->Next().status().code(), StatusCode::kCancelled);
}

TEST_P(CallsTest, AStreamThatSaysNothingCanBeLeftAndOneWithATimeoutEndsByItself) {
  auto channel = world_.NewChannel();
  auto stream = channel->Open(kHold, "", 0);
  EXPECT_FALSE(stream->Await(kSecond / 20));
  stream->Cancel();
  EXPECT_TRUE(stream->Await(0));
  EXPECT_EQ(stream->Next().status().code(), StatusCode::kCancelled);
  auto limited = channel->Open(kWait, "", kSecond);
  EXPECT_EQ(limited->Next().status().code(), StatusCode::kUnavailable);
  EXPECT_TRUE(Eventually([&] { return world_.service.left() == 1; }));
  EXPECT_EQ(channel->calls_in_flight(), 0u);
}

TEST_P(CallsTest, LanesDoNotWaitForEachOther) {
  for (LaneBounds& bounds : world_.options.bounds) bounds.threads_max = 2;
  world_.server->Stop(0);
  world_.options.port = 0;
  world_.StartServer();
  auto users = world_.NewChannel(Lane::kUsers);
  for (int i = 0; i < 40; ++i) {
    users->Begin(kWait, "", 10 * kSecond, [](const StatusOr<std::string>&) {});
  }
  ASSERT_TRUE(Eventually([&] { return world_.service.waiting() == 2; }));
  for (Lane lane : {Lane::kMaster, Lane::kRoot, Lane::kMetadata}) {
    auto answer = world_.NewChannel(lane)->Call(kSlowEcho, "x", {.timeout_us = 5 * kSecond});
    EXPECT_TRUE(answer.ok()) << NameOf(lane) << ": " << answer.status();
  }
  EXPECT_EQ(world_.service.waiting(), 2);
}

TEST_P(CallsTest, WhatABoundRefusesIsCertainlyNotBegun) {
  world_.options.bounds[static_cast<size_t>(Lane::kUsers)].calls_max = 4;
  world_.server->Stop(0);
  world_.options.port = 0;
  world_.StartServer();
  auto channel = world_.NewChannel();
  std::atomic<int> done{0};
  for (int i = 0; i < 4; ++i) {
    channel->Begin(kHold, "", 10 * kSecond, [&](const StatusOr<std::string>&) { ++done; });
  }
  ASSERT_TRUE(Eventually([&] { return world_.service.held() == 4; }));
  auto refused = channel->Call(kEcho, "x", {});
  EXPECT_EQ(refused.status().code(), StatusCode::kUnavailable);
  EXPECT_TRUE(IsNotBegun(refused.status()));
  EXPECT_GT(WaitHintOf(refused.status()), 0);
  world_.service.Release();
  EXPECT_TRUE(Eventually([&] { return done == 4; }));
  EXPECT_TRUE(Eventually([&] { return channel->Call(kEcho, "x", {}).ok(); }));

  ChannelOptions narrow = world_.To(Lane::kUsers);
  narrow.bounds.bytes_max = 100;
  auto own = world_.NewChannel(narrow);
  own->Begin(kHold, std::string(90, 'x'), 10 * kSecond, [](const StatusOr<std::string>&) {});
  int served = world_.service.served();
  auto kept_back = own->Call(kEcho, std::string(20, 'x'), {});
  EXPECT_EQ(kept_back.status().code(), StatusCode::kUnavailable);
  EXPECT_TRUE(IsNotBegun(kept_back.status()));
  EXPECT_TRUE(Eventually([&] { return world_.service.held() == 1; }));
  EXPECT_EQ(world_.service.served(), served + 1);
}

TEST_P(CallsTest, AServerThatStopsFinishesWhatRunsAndRefusesTheRest) {
  auto channel = world_.NewChannel();
  std::atomic<int> released{0};
  channel->Begin(kHold, "", 10 * kSecond, [&](const StatusOr<std::string>& answer) {
    if (answer.ok()) ++released;
  });
  ASSERT_TRUE(Eventually([&] { return world_.service.held() == 1; }));
  engine::Thread stopper("stopper", [&] { world_.server->Stop(10 * kSecond); });
  Status refused;
  EXPECT_TRUE(Eventually([&] {
    refused = channel->Call(kEcho, "x", {}).status();
    return !refused.ok();
  }));
  EXPECT_EQ(refused.code(), StatusCode::kUnavailable);
  EXPECT_TRUE(IsNotBegun(refused)) << refused;
  world_.service.Release();
  stopper.Join();
  EXPECT_TRUE(Eventually([&] { return released == 1; }));
  // After that, there is no listener.
  Status gone = channel->Call(kEcho, "x", {}).status();
  EXPECT_EQ(gone.code(), StatusCode::kUnavailable);
  EXPECT_TRUE(IsNotBegun(gone)) << gone;
}

TEST_P(CallsTest, AServerThatStopsDoesNotWaitForAnEndlessCall) {
  auto channel = world_.NewChannel();
  std::atomic<int> code{-1};
  channel->Begin(kEndless, "", 0, [&](const StatusOr<std::string>& answer) {
    code = static_cast<int>(answer.status().code());
  });
  ASSERT_TRUE(Eventually([&] { return world_.service.waiting() == 1; }));
  int64_t start = engine::Clock::System()->MonotonicNanos();
  world_.server->Stop(60 * kSecond);
  EXPECT_LT(engine::Clock::System()->MonotonicNanos() - start, 30 * kSecond * 1000);
  EXPECT_EQ(world_.service.left(), 1);
  EXPECT_TRUE(Eventually([&] { return code == static_cast<int>(StatusCode::kUnavailable); }));
}

TEST_P(CallsTest, ACallWithoutATimeoutWaitsUntilItsConnectionEnds) {
  std::atomic<int> code{-1};
  auto channel = world_.NewChannel();
  channel->Begin(kHold, "", 0, [&](const StatusOr<std::string>& answer) {
    code = static_cast<int>(answer.status().code());
  });
  engine::Thread stopper("stopper", [&] {
    EXPECT_TRUE(Eventually([&] { return world_.service.held() == 2; }));
    EXPECT_EQ(code, -1);
    world_.server->Stop(0);
  });
  auto cut = channel->Call(kHold, "", {.timeout_us = 0});
  stopper.Join();
  EXPECT_TRUE(Eventually([&] { return code == static_cast<int>(StatusCode::kUnavailable); }));
  EXPECT_EQ(cut.status().code(), StatusCode::kUnavailable);
  EXPECT_FALSE(IsNotBegun(cut.status())) << cut.status();
}

TEST_P(CallsTest, AChannelThatDoesNotReconnectIsClosedWithItsConnection) {
  ChannelOptions to = world_.To(Lane::kUsers);
  to.reconnects = false;
  auto channel = world_.NewChannel(to);
  ASSERT_TRUE(channel->Call(kEcho, "x", {}).ok());
  EXPECT_FALSE(channel->is_closed());
  world_.server->Stop(0);
  EXPECT_TRUE(Eventually([&] { return channel->is_closed(); }));
  world_.StartServer();  // on its old port
  auto refused = channel->Call(kEcho, "x", {});
  EXPECT_EQ(refused.status().code(), StatusCode::kUnavailable);
  EXPECT_TRUE(IsNotBegun(refused.status()));
}

TEST_P(CallsTest, SlowReadersHoldNoThreadThatCallsNeed) {
  for (LaneBounds& bounds : world_.options.bounds) bounds.threads_max = bounds.streams_max = 2;
  world_.server->Stop(0);
  world_.options.port = 0;
  world_.StartServer();
  auto channel = world_.NewChannel();
  std::vector<std::shared_ptr<ReplyStream>> slow;
  for (int i = 0; i < 8; ++i) slow.push_back(channel->Open(kCount, "1000 100000", 0));
  EXPECT_TRUE(Eventually([&] { return slow[1]->held_bytes() >= kStreamWindow; }));
  EXPECT_TRUE(channel->Call(kSlowEcho, "x", {.timeout_us = 5 * kSecond}).ok());
  for (const auto& stream : slow) stream->Cancel();
  EXPECT_TRUE(Eventually([&] { return channel->calls_in_flight() == 0; }));
}

TEST_P(CallsTest, AServerIsMetByTheNameOfItsLifeOnceItHasOne) {
  ChannelOptions to = world_.To(Lane::kUsers);
  to.hello.expected = "ts1.2";
  auto channel = world_.NewChannel(to);
  EXPECT_TRUE(IsNotBegun(channel->Call(kEcho, "x", {}).status()));
  world_.server->SetName("ts1.2");
  EXPECT_TRUE(Eventually([&] { return channel->Call(kEcho, "x", {}).ok(); }));
}

TEST_P(CallsTest, AConnectionIsMadeAgainAfterItsServerCameBack) {
  auto channel = world_.NewChannel();
  ASSERT_TRUE(channel->Call(kEcho, "x", {}).ok());
  world_.server->Stop(0);
  EXPECT_FALSE(channel->Call(kEcho, "x", {}).ok());
  world_.StartServer();  // on its old port
  EXPECT_TRUE(Eventually([&] { return channel->Call(kEcho, "x", {}).ok(); }));
}

}  // namespace
}  // namespace sippar::net
