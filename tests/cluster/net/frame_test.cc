// SPDX-License-Identifier: Apache-2.0
#include "cluster/net/frame.h"

#include <gtest/gtest.h>

#include "cluster/net/send_queue.h"
#include "engine/base/checksum.h"
#include "engine/base/coding.h"
#include "engine/base/random.h"
#include "tests/cluster/net/encoded_frames.h"

namespace sippar::net {
namespace {

std::vector<Frame> SomeFrames() {
  std::vector<Frame> frames;
  frames.push_back({.kind = FrameKind::kHello, .body = "hello"});
  frames.push_back({.kind = FrameKind::kPing});
  frames.push_back({.kind = FrameKind::kRequest,
                    .flags = kIsStream,
                    .method = 0xfedc,
                    .call = 0x0123456789abcdef,
                    .argument = UINT64_MAX,
                    .body = std::string(20'000, 'r')});
  frames.push_back({.kind = FrameKind::kReply, .call = 7, .body = std::string("a\0b", 3)});
  return frames;
}

void ExpectSame(const std::vector<Frame>& found, const std::vector<Frame>& wanted) {
  ASSERT_EQ(found.size(), wanted.size());
  for (size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(found[i].kind, wanted[i].kind);
    EXPECT_EQ(found[i].flags, wanted[i].flags);
    EXPECT_EQ(found[i].method, wanted[i].method);
    EXPECT_EQ(found[i].call, wanted[i].call);
    EXPECT_EQ(found[i].argument, wanted[i].argument);
    EXPECT_EQ(found[i].body, wanted[i].body);
  }
}

TEST(FrameTest, FramesComeBackHoweverTheirBytesAreCut) {
  std::string bytes = Encoded(SomeFrames());
  engine::Random random(1);
  for (size_t step : {size_t{1}, size_t{7}, size_t{40}, size_t{4096}, bytes.size(), size_t{0}}) {
    FrameReader reader;
    reader.Open();
    std::vector<Frame> frames;
    for (size_t at = 0; at < bytes.size();) {
      size_t size = step == 0 ? 1 + random.Uniform(3000) : step;
      ASSERT_TRUE(reader.Feed(std::string_view(bytes).substr(at, size), &frames).ok());
      at += size;
    }
    ExpectSame(frames, SomeFrames());
  }
}

TEST(FrameTest, ATraceIdIsPutBehindTheBodyAndTakenFromIt) {
  const engine::TraceId id = engine::TraceId::New();
  for (size_t size : {0, 1, 20'000}) {
    Frame frame{.kind = FrameKind::kRequest, .body = std::string(size, 'b'), .trace = id};
    PutTrace(&frame);
    EXPECT_EQ(frame.body.size(), size + 16);
    frame.trace = {};
    ASSERT_TRUE(TakeTrace(&frame));
    EXPECT_EQ(frame.trace, id);
    EXPECT_EQ(frame.body, std::string(size, 'b'));
  }
  Frame none{.kind = FrameKind::kRequest, .body = "body"};
  PutTrace(&none);
  EXPECT_TRUE(TakeTrace(&none));
  EXPECT_EQ(none.body, "body");
  EXPECT_TRUE(none.trace.is_none());
  Frame false_claim{.kind = FrameKind::kRequest, .flags = kIsTraced, .body = "too short"};
  EXPECT_FALSE(TakeTrace(&false_claim));
}

TEST(FrameTest, ALargeBodyIsNotCopiedForATraceId) {
  Frame frame{.kind = FrameKind::kRequest, .trace = engine::TraceId::New()};
  frame.body.reserve(1 << 20);
  frame.body.resize(frame.body.capacity());
  const char* place = frame.body.data();
  const size_t size = frame.body.size();
  PutTrace(&frame);
  EXPECT_EQ(frame.body.data(), place);
  EXPECT_EQ(frame.body.size(), size);
  EXPECT_EQ(frame.flags & kIsTraced, 0);
}

TEST(FrameTest, EveryFlippedBitIsNoticedBeforeItsFrameIsGiven) {
  std::vector<Frame> sent = SomeFrames();
  sent[2].body = "short";
  std::string bytes = Encoded(sent);
  for (size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    std::string damaged = bytes;
    damaged[bit / 8] ^= static_cast<char>(1 << bit % 8);
    FrameReader reader;
    reader.Open();
    std::vector<Frame> frames;
    Status status = reader.Feed(damaged, &frames);
    ASSERT_EQ(status.code(), StatusCode::kDataLoss) << bit;
    EXPECT_NE(MessageOf(status).find("checksum"), std::string_view::npos);
    ASSERT_LT(frames.size(), sent.size());
    sent.resize(4);
    ExpectSame(frames, {sent.begin(), sent.begin() + static_cast<int64_t>(frames.size())});
    // Complete frames after the damage are not returned either.
    size_t given = frames.size();
    EXPECT_FALSE(reader.Feed(bytes, &frames).ok());
    EXPECT_EQ(frames.size(), given);
  }
}

TEST(FrameTest, AFrameThatIsLostRepeatedOrMovedIsNoticed) {
  std::vector<std::string> each;
  for (uint64_t number = 0; number < 3; ++number) {
    Frame frame{.kind = FrameKind::kReply, .call = number, .body = "body"};
    AppendFrameHeader(frame, number, &each.emplace_back());
    each.back() += frame.body;
  }
  for (const std::string& bytes :
       {each[0] + each[2], each[0] + each[0], each[1] + each[0], each[0] + each[1] + each[1]}) {
    FrameReader reader;
    reader.Open();
    std::vector<Frame> frames;
    EXPECT_EQ(reader.Feed(bytes, &frames).code(), StatusCode::kDataLoss);
  }
}

TEST(FrameTest, SizesAreBoundedBeforeAnythingIsAllocated) {
  struct Case {
    bool is_open;
    FrameKind kind;
    size_t size;
    bool is_accepted;
  };
  for (const Case& each : {Case{false, FrameKind::kHello, kSmallBodySizeMax, true},
                           Case{false, FrameKind::kHello, kSmallBodySizeMax + 1, false},
                           Case{false, FrameKind::kRequest, kSmallBodySizeMax + 1, false},
                           Case{true, FrameKind::kRequest, kBodySizeMax, true},
                           Case{true, FrameKind::kRequest, kBodySizeMax + 1, false},
                           Case{true, FrameKind::kPart, kBodySizeMax, true},
                           Case{true, FrameKind::kPing, kSmallBodySizeMax + 1, false}}) {
    // Only a header: the body that it announces never arrives.
    std::string header;
    AppendFrameHeader({.kind = each.kind}, 0, &header);
    std::string size;
    engine::PutFixed32(&size, static_cast<uint32_t>(each.size));
    header.replace(32, 4, size);
    std::string fixed = header;  // with a valid checksum, as a malicious peer would compute it
    uint64_t checksum = engine::Checksum(std::string_view(fixed).substr(8), 0);
    fixed.replace(0, 8, reinterpret_cast<const char*>(&checksum), 8);
    FrameReader reader;
    if (each.is_open) reader.Open();
    std::vector<Frame> frames;
    Status status = reader.Feed(fixed, &frames);
    EXPECT_EQ(status.code(), each.is_accepted ? StatusCode::kOk : StatusCode::kInvalidArgument)
        << each.size << " " << status;
  }
}

TEST(FrameTest, AnUnknownKindIsRefused) {
  for (int kind : {0, 10, 255}) {
    std::string bytes;
    AppendFrameHeader({.kind = static_cast<FrameKind>(kind)}, 0, &bytes);
    FrameReader reader;
    std::vector<Frame> frames;
    Status status = reader.Feed(bytes, &frames);
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument) << kind;
    EXPECT_NE(MessageOf(status).find("unknown"), std::string_view::npos);
  }
}

TEST(SendQueueTest, ARequestCanBeWithdrawnUntilItIsTaken) {
  SendQueue queue;
  queue.Push({.kind = FrameKind::kRequest, .call = 1, .body = "one"});
  queue.Push({.kind = FrameKind::kCancel, .call = 2});
  queue.Push({.kind = FrameKind::kRequest, .call = 2, .body = "two"});
  EXPECT_EQ(queue.bytes(), 3 * kFrameHeaderSize + 6);
  EXPECT_TRUE(queue.Withdraw(2));
  EXPECT_FALSE(queue.Withdraw(2));
  EXPECT_EQ(queue.bytes(), 2 * kFrameHeaderSize + 3);
  std::vector<Frame> taken = queue.Take();
  ASSERT_EQ(taken.size(), 2u);
  EXPECT_EQ(taken[1].kind, FrameKind::kCancel);
  EXPECT_FALSE(queue.Withdraw(1));
  EXPECT_TRUE(queue.empty());
  EXPECT_EQ(queue.bytes(), 0u);
}

TEST(SendQueueTest, AWriteTakesItsPartAndTheRestCanStillBeWithdrawn) {
  SendQueue queue;
  for (uint64_t call = 1; call <= 3; ++call) {
    queue.Push({.kind = FrameKind::kRequest, .call = call, .body = std::string(1'000, 'b')});
  }
  std::vector<Frame> taken = queue.Take(1'500);
  ASSERT_EQ(taken.size(), 2u);
  EXPECT_EQ(taken[1].call, 2u);
  EXPECT_EQ(queue.bytes(), kFrameHeaderSize + 1'000);
  EXPECT_FALSE(queue.Withdraw(2));
  EXPECT_TRUE(queue.Withdraw(3));
  EXPECT_TRUE(queue.empty());
  EXPECT_EQ(queue.bytes(), 0u);
}

TEST(SendQueueTest, SmallFramesShareAChunkAndLargeBodiesAreNotCopied) {
  FrameWriter writer;
  std::vector<Frame> frames;
  for (uint64_t call = 1; call <= 100; ++call) {
    frames.push_back({.kind = FrameKind::kReply, .call = call, .body = std::string(100, 'x')});
  }
  std::string large(1 << 20, 'L');
  const char* place = large.data();
  frames.push_back({.kind = FrameKind::kPart, .call = 3, .body = std::move(large)});
  frames.push_back({.kind = FrameKind::kReply, .call = 3});
  std::vector<std::string> chunks;
  writer.Append(std::move(frames), 0, &chunks);
  ASSERT_EQ(chunks.size(), 3u);
  EXPECT_EQ(chunks[1].data(), place);
  EXPECT_EQ(chunks[2].size(), kFrameHeaderSize);
}

TEST(SendQueueTest, ARequestCarriesTheTimeThatIsLeftWhenItLeaves) {
  std::vector<Frame> frames;
  for (int64_t deadline : {int64_t{0}, int64_t{5'000'000}, int64_t{1'000'000}}) {
    Frame frame{.kind = FrameKind::kRequest, .call = 1};
    frame.deadline_nanos = deadline;
    frames.push_back(std::move(frame));
  }
  FrameWriter writer;
  std::vector<std::string> chunks;
  writer.Append(std::move(frames), /*now_nanos=*/2'000'000, &chunks);
  FrameReader reader;
  std::vector<Frame> found;
  ASSERT_TRUE(reader.Feed(chunks.at(0), &found).ok());
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[0].argument, 0u);     // no timeout
  EXPECT_EQ(found[1].argument, 3000u);  // microseconds
  EXPECT_EQ(found[2].argument, 1u);     // the timeout has expired; 0 would mean none
}

}  // namespace
}  // namespace sippar::net
