// The messages of streams and the head of a call over cluster/net are the same after encoding and
// decoding, and other bytes are rejected.
// SPDX-License-Identifier: Apache-2.0
#include "cluster/wire/stream_messages.h"

#include <gtest/gtest.h>

#include "cluster/wire/methods.h"

namespace sippar::cluster {
namespace {

ReadSpec SomeRead() {
  ReadSpec read;
  read.rows = engine::RowSet(RowRange{"a", "m"});
  read.reverse = true;
  return read;
}

// No prefix of `bytes` decodes as a T, so a truncated message is never taken for another one.
template <class T>
void ExpectWhole(const std::string& bytes) {
  for (size_t size = 0; size < bytes.size(); ++size) {
    T value;
    EXPECT_FALSE(DecodeValue(bytes.substr(0, size), &value)) << size;
  }
  T value;
  EXPECT_FALSE(DecodeValue(bytes + "x", &value));
}

TEST(StreamMessages, RequestsForATabletCarryItsEpoch) {
  const std::string bytes = EncodeValue(ReadRequest<TabletAddress>{{7, 3}, SomeRead()});
  ReadRequest<TabletAddress> found;
  ASSERT_TRUE(DecodeValue(bytes, &found));
  EXPECT_EQ(found.to.tablet_id, 7u);
  EXPECT_EQ(found.to.tablet_epoch, 3u);
  EXPECT_EQ(EncodeValue(*found.read), EncodeValue(SomeRead()));
  ExpectWhole<ReadRequest<TabletAddress>>(bytes);
}

TEST(StreamMessages, AReadOfAPartOfEachValueCarriesThePart) {
  ReadSpec read = SomeRead();
  read.versions_offset = 2;
  read.value_size_max = 100;
  read.value_part = {5 << 20, 1 << 20};
  const std::string bytes = EncodeValue(ReadRequest<TabletAddress>{{7, 3}, read});
  ReadRequest<TabletAddress> found;
  ASSERT_TRUE(DecodeValue(bytes, &found));
  EXPECT_EQ(found.read->value_part, read.value_part);
  EXPECT_EQ(found.read->versions_offset, 2u);
  EXPECT_EQ(found.read->value_size_max, 100u);
  ExpectWhole<ReadRequest<TabletAddress>>(bytes);
}

TEST(StreamMessages, RequestsForATableCarryItsName) {
  const std::string table = "web";
  engine::Program program;
  program.read = SomeRead();
  const RowRange range{"c", "k"};
  const std::string run = EncodeValue(RunRequest<LentTable>{table, range, program});
  RunRequest<LentTable> found;
  ASSERT_TRUE(DecodeValue(run, &found));
  EXPECT_EQ(*found.to, table);
  EXPECT_EQ(found.tablet_range, range);
  EXPECT_EQ(found.program->Encode(), program.Encode());
  ExpectWhole<RunRequest<LentTable>>(run);

  ChangesCall<LentTable> wanted{table, {}};
  wanted.wanted.partition = range;
  wanted.wanted.start_us = 5;
  wanted.wanted.tokens = {{range, "token"}};
  ChangesCall<LentTable> asked;
  ASSERT_TRUE(DecodeValue(EncodeValue(wanted), &asked));
  EXPECT_EQ(asked.wanted.partition, range);
  EXPECT_EQ(asked.wanted.start_us, 5);
  ASSERT_EQ(asked.wanted.tokens.size(), 1u);
  EXPECT_EQ(asked.wanted.tokens[0].token, "token");
  EXPECT_FALSE(asked.wanted.end_us.has_value());
}

TEST(StreamMessages, APartKeepsItsMark) {
  for (const std::string& bytes :
       {std::string(), std::string("\0\1", 2), std::string(70'000, 'x')}) {
    for (bool is_marked : {false, true}) {
      auto part = DecodePart(EncodePart({bytes, is_marked}));
      ASSERT_TRUE(part.ok()) << part.status();
      EXPECT_EQ(part->bytes, bytes);
      EXPECT_EQ(part->is_marked, is_marked);
    }
  }
  EXPECT_EQ(DecodePart("").status().code(), StatusCode::kInternal);
  EXPECT_EQ(DecodePart("cells\2").status().code(), StatusCode::kInternal);
}

TEST(StreamMessages, TheEndCarriesOutcomeCountersAndWhatWasLeft) {
  LastPart last;
  last.part = EncodePart({"cells", true});
  last.end.outcome = NotServed("tablet 7 has left this server");
  last.end.counters.cells_returned = 12;
  const std::string bytes = EncodeValue(last);
  LastPart found;
  ASSERT_TRUE(DecodeValue(bytes, &found));
  EXPECT_EQ(found.part, last.part);
  EXPECT_EQ(found.end.outcome, last.end.outcome);
  EXPECT_TRUE(HasCause(found.end.outcome, Cause::kNotServed));
  EXPECT_EQ(found.end.counters.cells_returned, 12u);
  ExpectWhole<LastPart>(bytes);
}

TEST(Methods, ACallIsSentByItsName) {
  const std::string call("\0bytes", 6);
  const std::string bytes = EncodeNamedCall({"ApplyRows", call});
  NamedCall found;
  ASSERT_TRUE(DecodeNamedCall(bytes, &found));
  EXPECT_EQ(found.name, "ApplyRows");
  EXPECT_EQ(found.call, call);
  ASSERT_TRUE(DecodeNamedCall(EncodeNamedCall({"ListTables", ""}), &found));
  EXPECT_EQ(found.call, "");
  EXPECT_FALSE(DecodeNamedCall("", &found));
  EXPECT_FALSE(DecodeNamedCall(bytes.substr(0, 9), &found));  // inside the name
}

}  // namespace
}  // namespace sippar::cluster
