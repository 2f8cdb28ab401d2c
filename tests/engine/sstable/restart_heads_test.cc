// A search that uses the heads of a block's restart points finds the same entries as one without.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstring>
#include <set>

#include "engine/base/random.h"
#include "engine/sstable/block_builder.h"
#include "engine/sstable/block_cursor.h"

namespace sippar::engine {
namespace {

// Few letters, including 0, and a long common prefix, so that heads are often equal or padded.
std::string SomeKey(Random* random) {
  std::string key(random->Uniform(2) == 0 ? "" : "com.example/a-long-beginning");
  for (uint64_t size = random->Uniform(12); size > 0; --size) {
    key.push_back("\0\1ab\xff"[random->Uniform(5)]);
  }
  return key;
}

std::string Where(const BlockCursor& cursor) {
  return cursor.Valid() ? std::string(cursor.key()) : "(nowhere)";
}

TEST(RestartHeadsTest, ChangeNoAnswer) {
  uint64_t with_heads = 0;
  for (uint64_t seed = 1; seed <= 300; ++seed) {
    Random random(seed);
    std::set<std::string> keys;
    for (uint64_t i = 1 + random.Uniform(200); i > 0; --i) keys.insert(SomeKey(&random));
    BlockBuilder builder;
    for (const std::string& key : keys) builder.Add(key, std::string(random.Uniform(800), 'v'));
    std::string bytes(builder.Finish());
    Block block(bytes.size());
    std::memcpy(block.data(), bytes.data(), bytes.size());
    block.SetHeads(MakeRestartHeads(block.bytes()));
    with_heads += block.heads().heads.empty() ? 0 : 1;
    BlockCursor plain, headed;
    plain.Init(bytes);
    headed.Init(block);
    for (int i = 0; i < 200; ++i) {
      std::string target = SomeKey(&random);
      plain.Seek(target);
      headed.Seek(target);
      ASSERT_EQ(Where(headed), Where(plain)) << "seed " << seed;
      plain.SeekBefore(target);
      headed.SeekBefore(target);
      ASSERT_EQ(Where(headed), Where(plain)) << "seed " << seed;
      if (headed.Valid()) {
        headed.Next();
        plain.Next();
        ASSERT_EQ(Where(headed), Where(plain)) << "seed " << seed;
      }
    }
    plain.SeekToLast();
    headed.SeekToLast();
    ASSERT_EQ(Where(headed), Where(plain)) << "seed " << seed;
  }
  EXPECT_GT(with_heads, 200u);
}

TEST(RestartHeadsTest, AreNotMadeOfADamagedBlock) {
  BlockBuilder builder;
  for (char c = 'a'; c <= 'z'; ++c) builder.Add(std::string(1, c), std::string(2000, 'v'));
  std::string bytes(builder.Finish());
  EXPECT_FALSE(MakeRestartHeads(bytes).heads.empty());
  bytes[bytes.size() - 8] = '\x7f';  // damages the offset of a restart point
  EXPECT_TRUE(MakeRestartHeads(bytes).heads.empty());
  EXPECT_TRUE(MakeRestartHeads("").heads.empty());
}

}  // namespace
}  // namespace sippar::engine
