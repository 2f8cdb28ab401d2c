// Faults of a connection: silence, damage at every byte, peers that do not belong to the cluster,
// and connections that are never established.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <unistd.h>

#include "cluster/net/failure.h"
#include "engine/base/random.h"
#include "tests/cluster/net/raw_peer.h"

namespace sippar::net {
namespace {

constexpr int64_t kSecond = 1'000'000;

std::string Conversation() {
  std::vector<Frame> frames;
  frames.push_back(HelloFrame(HelloOf("client", "c1")));
  for (uint64_t call = 1; call <= 2; ++call) {
    frames.push_back({.kind = FrameKind::kRequest, .method = kEcho, .call = call, .body = "body"});
  }
  return Encoded(std::move(frames));
}

TEST(WireFaults, EveryByteOfAConversationDamagedGivesNoWrongCallAndAReason) {
  WireWorld world;
  world.StartServer();
  std::string good = Conversation();
  for (size_t at = 0; at < good.size(); ++at) {
    std::string damaged = good;
    damaged[at] = static_cast<char>(damaged[at] ^ (1 << at % 8));
    auto peer = RawPeer::To(world.server->port());
    peer->Send(damaged);
    std::vector<Frame> frames = peer->Frames();
    ASSERT_FALSE(frames.empty()) << at;
    EXPECT_EQ(frames.back().kind, FrameKind::kGoodbye) << at;
    EXPECT_EQ(DecodeFailure(frames.back().body).code(), StatusCode::kDataLoss) << at;
    for (const Frame& frame : frames) {
      if (frame.kind == FrameKind::kReply) {
        EXPECT_EQ(frame.body, "body");
      }
    }
  }
  EXPECT_TRUE(Eventually([&] { return world.server->connections() == 0; }));
}

TEST(WireFaults, AConversationCutDoubledOrDelayedAnywhereHarmsNoOther) {
  WireWorld world;
  world.StartServer();
  std::string good = Conversation();
  for (size_t at = 0; at < good.size(); at += 3) {
    auto cut = RawPeer::To(world.server->port());
    cut->Send(good.substr(0, at));
    cut->Finish();
    for (const Frame& frame : cut->Frames()) EXPECT_NE(frame.kind, FrameKind::kGoodbye) << at;
    auto doubled = RawPeer::To(world.server->port());
    doubled->Send(good.substr(0, at) + good.substr(at / 2));
    size_t replies = 0;
    for (const Frame& frame : doubled->Frames(at == 0 ? 3 : SIZE_MAX)) {
      replies += frame.kind == FrameKind::kReply;
    }
    EXPECT_LE(replies, 2u);
  }
  auto delayed = RawPeer::To(world.server->port());
  for (char byte : good) delayed->Send(std::string_view(&byte, 1));
  EXPECT_EQ(delayed->Frames(3).size(), 3u);
}

TEST(WireFaults, RandomBytesAndIdleConnectionsAreSurvived) {
  WireWorld world;
  world.StartServer();
  engine::Random random(3);
  std::vector<std::unique_ptr<RawPeer>> idle;
  for (int i = 0; i < 200; ++i) idle.push_back(RawPeer::To(world.server->port()));
  for (int i = 0; i < 100; ++i) {
    std::string bytes;
    for (uint64_t size = 1 + random.Uniform(500); size > 0; --size) {
      bytes.push_back(static_cast<char>(random.Next()));
    }
    auto peer = RawPeer::To(world.server->port());
    peer->Send(bytes);
    peer->Finish();
    for (const Frame& frame : peer->Frames()) EXPECT_EQ(frame.kind, FrameKind::kGoodbye);
  }
  EXPECT_TRUE(world.NewChannel()->Call(kEcho, "x", {}).ok());
  EXPECT_EQ(world.service.served(), 1);
}

TEST(WireFaults, FramesThatAreNotInOrderEndTheConnection) {
  WireWorld world;
  world.StartServer();
  Frame hello = HelloFrame(HelloOf("client", "c1"));
  Frame request{.kind = FrameKind::kRequest, .method = kHold, .call = 1};
  for (const std::vector<Frame>& frames :
       std::vector<std::vector<Frame>>{{request},
                                       {hello, hello},
                                       {hello, request, request},
                                       {hello, {.kind = FrameKind::kReply, .call = 1}}}) {
    auto peer = RawPeer::To(world.server->port());
    peer->Send(Encoded(frames));
    std::vector<Frame> answer = peer->Frames();
    ASSERT_FALSE(answer.empty());
    EXPECT_EQ(answer.back().kind, FrameKind::kGoodbye);
    EXPECT_EQ(DecodeFailure(answer.back().body).code(), StatusCode::kInvalidArgument);
  }
}

TEST(WireFaults, ADamagedAnswerIsAnErrorThatNamesBothEndsAndTheCallIsMadeAgain) {
  RawListener listener;
  WireWorld world;
  world.options.port = listener.socket->Local().port();
  auto channel = world.NewChannel();
  engine::Thread server("server", [&] {
    for (bool damages : {true, false}) {
      auto peer = listener.Accept();
      ASSERT_EQ(peer->Frames(1).size(), 1u);
      std::string hello = Encoded({HelloFrame(HelloOf("tabletserver", "ts9.3"))});
      peer->Send(hello);
      uint64_t call = peer->Frames(2).at(1).call;
      std::string bytes = Encoded({HelloFrame(HelloOf("tabletserver", "ts9.3")),
                                   {.kind = FrameKind::kReply, .call = call, .body = "answer"}});
      if (damages) bytes.back() = static_cast<char>(bytes.back() ^ 4);
      peer->Send(bytes.substr(hello.size()));
      std::vector<Frame> last = peer->Frames(damages ? 3 : 2);
      if (damages) {
        EXPECT_EQ(last.back().kind, FrameKind::kGoodbye);
      }
    }
  });
  Status damaged = channel->Call(kEcho, "x", {}).status();
  EXPECT_EQ(damaged.code(), StatusCode::kUnavailable);
  EXPECT_FALSE(IsNotBegun(damaged));  // the server had received the request
  for (const char* part : {"client c1", "tabletserver ts9.3", "127.0.0.1:", "checksum"}) {
    EXPECT_NE(MessageOf(damaged).find(part), std::string_view::npos) << damaged;
  }
  auto again = channel->Call(kEcho, "x", {});
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(*again, "answer");
  channel->Close();
}

// A server that stops sends its last answer and a goodbye; one read may return both.
TEST(WireFaults, AnAnswerThatComesWithAGoodbyeCounts) {
  RawListener listener;
  WireWorld world;
  world.options.port = listener.socket->Local().port();
  auto channel = world.NewChannel();
  engine::Thread server("server", [&] {
    auto peer = listener.Accept();
    ASSERT_EQ(peer->Frames(1).size(), 1u);
    std::string hello = Encoded({HelloFrame(HelloOf("tabletserver", "ts9.3"))});
    peer->Send(hello);
    uint64_t call = peer->Frames(2).at(1).call;
    peer->Send(Encoded({HelloFrame(HelloOf("tabletserver", "ts9.3")),
                        {.kind = FrameKind::kReply, .call = call, .body = "answer"},
                        {.kind = FrameKind::kGoodbye,
                         .body = EncodeGoodbye(Unavailable("ts9.3: the server is stopping"))}})
                   .substr(hello.size()));
    peer->Frames();
  });
  auto answer = channel->Call(kEcho, "x", {});
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_EQ(*answer, "answer");
  server.Join();
}

TEST(WireFaults, APartBeyondItsCreditEndsTheConnection) {
  RawListener listener;
  WireWorld world;
  world.options.port = listener.socket->Local().port();
  auto channel = world.NewChannel();
  constexpr size_t kPart = kStreamWindow / 2;
  engine::Thread server("server", [&] {
    auto peer = listener.Accept();
    ASSERT_EQ(peer->Frames(1).size(), 1u);
    std::string hello = Encoded({HelloFrame(HelloOf("tabletserver", "ts9.3"))});
    peer->Send(hello);
    uint64_t call = peer->Frames(2).at(1).call;
    std::vector<Frame> frames = {HelloFrame(HelloOf("tabletserver", "ts9.3"))};
    for (int part = 0; part < 3; ++part) {
      frames.push_back({.kind = FrameKind::kPart, .call = call, .body = std::string(kPart, 'p')});
    }
    peer->Send(Encoded(std::move(frames)).substr(hello.size()));
    std::vector<Frame> said = peer->Frames();
    ASSERT_EQ(said.size(), 3u);
    EXPECT_EQ(said[2].kind, FrameKind::kGoodbye);
    EXPECT_NE(MessageOf(DecodeFailure(said[2].body)).find("credit"), std::string_view::npos);
  });
  auto stream = channel->Open(kCount, "", 0);
  server.Join();
  EXPECT_EQ(stream->held_bytes(), 2 * CostOf(kPart));
  for (int part = 0; part < 2; ++part) {
    auto taken = stream->Next();
    ASSERT_TRUE(taken.ok()) << taken.status();
    EXPECT_EQ((*taken)->size(), kPart);
  }
  EXPECT_EQ(stream->Next().status().code(), StatusCode::kUnavailable);
}

TEST(WireFaults, APeerThatSaysNoGoodHelloIsToldApartFromNoPeer) {
  std::string damaged = Encoded({HelloFrame(HelloOf("tabletserver", "ts9.3"))});
  damaged[3] = static_cast<char>(damaged[3] ^ 1);
  for (const std::string& answer :
       {damaged, std::string(), "HTTP/1.1 400 Bad Request\r\n" + std::string(60, '\n')}) {
    RawListener listener;
    WireWorld world;
    world.options.port = listener.socket->Local().port();
    engine::Thread server("server", [&] {
      auto peer = listener.Accept();
      peer->Frames(1);
      peer->Send(answer);
      if (answer.empty()) peer->Finish();
    });
    Status refused = world.NewChannel()->Call(kEcho, "x", {}).status();
    server.Join();
    EXPECT_EQ(refused.code(), StatusCode::kUnavailable) << refused;
    EXPECT_TRUE(IsNotBegun(refused));
    EXPECT_TRUE(IsWithoutHello(refused)) << refused;
  }
}

TEST(WireFaults, N5_APeerThatSaysNothingIsAskedAndThenLeft) {
  RawListener listener;
  WireWorld world;
  world.options.port = listener.socket->Local().port();
  ChannelOptions to = world.To(Lane::kUsers);
  to.keepalive = {.ask_after_us = kSecond / 10, .leave_after_us = kSecond / 4};
  auto channel = world.NewChannel(to);
  engine::Thread server("server", [&] {
    auto peer = listener.Accept();
    peer->Frames(1);
    peer->Send(Encoded({HelloFrame(HelloOf("tabletserver", "ts9.3"))}));
    std::vector<Frame> frames = peer->Frames();  // reads until the other end closes the connection
    ASSERT_EQ(frames.size(), 3u);
    EXPECT_EQ(frames[1].kind, FrameKind::kRequest);
    EXPECT_EQ(frames[2].kind, FrameKind::kPing);
  });
  int64_t start = engine::Clock::System()->MonotonicNanos();
  // A call without a timeout must end as well.
  Status left = channel->Call(kEcho, "x", {.timeout_us = 0}).status();
  int64_t micros = (engine::Clock::System()->MonotonicNanos() - start) / 1000;
  EXPECT_EQ(left.code(), StatusCode::kUnavailable);
  EXPECT_FALSE(IsNotBegun(left));
  EXPECT_NE(MessageOf(left).find("has said nothing for"), std::string_view::npos) << left;
  EXPECT_GE(micros, kSecond / 5);
  EXPECT_LT(micros, 8 * kSecond);
}

TEST(WireFaults, N5_AMemberThatTellsItsLeaseIsLeftAfterTwoThirdsOfIt) {
  RawListener listener;
  WireWorld world;
  world.options.port = listener.socket->Local().port();
  ChannelOptions to = world.To(Lane::kUsers);
  to.keepalive = {
      .ask_after_us = 60 * kSecond, .leave_after_us = 90 * kSecond, .follows_lease = true};
  auto channel = world.NewChannel(to);
  engine::Thread server("server", [&] {
    auto peer = listener.Accept();
    peer->Frames(1);
    Hello hello = HelloOf("tabletserver", "ts9.3");
    hello.lease_us = 3 * kSecond / 2;
    peer->Send(Encoded({HelloFrame(hello)}));
    std::vector<Frame> frames = peer->Frames();  // reads until the other end closes the connection
    ASSERT_EQ(frames.size(), 3u);
    EXPECT_EQ(frames[2].kind, FrameKind::kPing);
  });
  const int64_t start = engine::Clock::System()->MonotonicNanos();
  Status left = channel->Call(kEcho, "x", {.timeout_us = 0}).status();
  const int64_t micros = (engine::Clock::System()->MonotonicNanos() - start) / 1000;
  EXPECT_EQ(left.code(), StatusCode::kUnavailable);
  EXPECT_NE(MessageOf(left).find("has said nothing for"), std::string_view::npos) << left;
  EXPECT_GE(micros, kSecond * 9 / 10);
  EXPECT_LT(micros, 30 * kSecond);
}

TEST(WireFaults, AQuietLineToALivePeerStays) {
  WireWorld world;
  world.options.keepalive = {.ask_after_us = kSecond / 50, .leave_after_us = 3 * kSecond};
  world.StartServer();
  ChannelOptions to = world.To(Lane::kUsers);
  to.keepalive = world.options.keepalive;
  auto channel = world.NewChannel(to);
  ASSERT_TRUE(channel->Call(kEcho, "x", {}).ok());
  engine::Clock::System()->SleepMicros(kSecond / 2);
  EXPECT_EQ(world.server->connections(), 1u);
  EXPECT_TRUE(channel->Call(kEcho, "x", {}).ok());
}

TEST(WireFaults, WithoutAConnectionNothingIsDone) {
  WireWorld world;
  ChannelOptions to = world.To(Lane::kUsers);
  {
    RawListener listener;  // its port is closed again
    to.port = listener.socket->Local().port();
  }
  auto channel = world.NewChannel(to);
  for (int i = 0; i < 5; ++i) {
    Status refused = channel->Call(kEcho, "x", {}).status();
    EXPECT_EQ(refused.code(), StatusCode::kUnavailable);
    EXPECT_TRUE(IsNotBegun(refused)) << refused;
    EXPECT_FALSE(IsWithoutHello(refused));
    EXPECT_NE(MessageOf(refused).find("127.0.0.1"), std::string_view::npos);
  }
  to.host = "no-such-host.invalid";
  EXPECT_TRUE(IsNotBegun(world.NewChannel(to)->Call(kEcho, "x", {}).status()));

  // The listener never sends a hello: first the call's own timeout ends the call, then the
  // connection's.
  RawListener silent;
  to.host = "127.0.0.1";
  to.port = silent.socket->Local().port();
  to.connect_max_us = kSecond / 5;
  auto waiting = world.NewChannel(to);
  Status late = waiting->Call(kEcho, "x", {.timeout_us = kSecond / 20}).status();
  EXPECT_EQ(late.code(), StatusCode::kUnavailable);
  EXPECT_TRUE(IsNotBegun(late)) << late;
  EXPECT_TRUE(IsNotBegun(waiting->Call(kEcho, "x", {}).status()));
  channel->Close();
  EXPECT_TRUE(IsNotBegun(channel->Call(kEcho, "x", {}).status()));
}

TEST(WireFaults, ARequestThatNeverLeftItsQueueIsCertainlyNotBegun) {
  RawListener listener;
  WireWorld world;
  world.options.port = listener.socket->Local().port();
  auto channel = world.NewChannel();
  std::unique_ptr<RawPeer> peer;
  engine::Thread server("server", [&] {
    peer = listener.Accept();
    peer->Frames(1);
    peer->Send(Encoded({HelloFrame(HelloOf("tabletserver", "ts9.3"))}));
    // The peer reads nothing more, so the connection fills up.
  });
  std::atomic<int> large_unknown{0};
  channel->Begin(kEcho, std::string(64 << 20, 'x'), 20 * kSecond,
                 [&](const StatusOr<std::string>& answer) {
                   if (!answer.ok() && !IsNotBegun(answer.status())) ++large_unknown;
                 });
  server.Join();
  EXPECT_TRUE(Eventually([&] {
    // While the large call is being sent, a small call waits.
    Status late = channel->Call(kEcho, "x", {.timeout_us = kSecond / 20}).status();
    return IsNotBegun(late) && MessageOf(late).find("in time") != std::string_view::npos;
  }));
  channel->Close();
  EXPECT_EQ(large_unknown, 1);
}

TEST(WireFaults, AMessageBeyondTheBoundIsRefusedOnBothSides) {
  WireWorld world;
  for (LaneBounds& bounds : world.options.bounds) bounds.bytes_max = SIZE_MAX;
  world.StartServer();
  auto channel = world.NewChannel();
  Status large = channel->Call(kEcho, std::string(kBodySizeMax + 1, 'x'), {}).status();
  EXPECT_EQ(large.code(), StatusCode::kInvalidArgument);
  EXPECT_TRUE(IsNotBegun(large));
  EXPECT_EQ(channel->Call(kTooMuch, "", {}).status().code(), StatusCode::kFailedPrecondition);
  EXPECT_TRUE(channel->Call(kEcho, "x", {}).ok());
}

TEST(WireFaults, OtherVersionsClustersAndLivesAreRefusedNamingBoth) {
  WireWorld world;
  world.StartServer();
  ChannelOptions newer = world.To(Lane::kUsers);
  newer.hello.oldest = kVersionNewest + 1, newer.hello.newest = kVersionNewest + 2;
  ChannelOptions strange = world.To(Lane::kUsers);
  strange.hello.cluster = "another";
  ChannelOptions late = world.To(Lane::kUsers);
  late.hello.expected = "ts1.0";
  ChannelOptions neighbour = world.To(Lane::kUsers);
  neighbour.hello.newest = kVersionNewest + 1;
  std::vector<std::pair<ChannelOptions, StatusCode>> cases = {
      {newer, StatusCode::kUnimplemented},
      {strange, StatusCode::kInvalidArgument},
      {late, StatusCode::kUnavailable}};
  for (const auto& [to, code] : cases) {
    Status refused = world.NewChannel(to)->Call(kEcho, "x", {}).status();
    EXPECT_EQ(refused.code(), code) << refused;
    EXPECT_TRUE(IsNotBegun(refused));
    for (const char* part : {"client c1", "tabletserver ts1.1"}) {
      EXPECT_NE(MessageOf(refused).find(part), std::string_view::npos) << refused;
    }
  }
  EXPECT_TRUE(world.NewChannel(neighbour)->Call(kEcho, "x", {}).ok());
  EXPECT_EQ(world.service.served(), 1);
}

TEST(WireFaults, AUnixSocketServesAsWell) {
  WireWorld world;
  std::string path = testing::TempDir() + "/wire.sock";
  ::unlink(path.c_str());
  world.options.host = "unix:" + path;
  world.StartServer();
  auto answer = world.NewChannel()->Call(kEcho, "x", {});
  EXPECT_TRUE(answer.ok()) << answer.status();
  ::unlink(path.c_str());
}

}  // namespace
}  // namespace sippar::net
