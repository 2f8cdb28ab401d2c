// The memtable: order, seeks, a writer concurrent with readers.
// SPDX-License-Identifier: Apache-2.0
#include "engine/memtable/memtable.h"

#include <gtest/gtest.h>

#include <atomic>
#include <map>

#include "engine/base/random.h"
#include "engine/base/thread.h"

namespace sippar::engine {
namespace {

TEST(Memtable, AgreesWithAMapForEverySeek) {
  Random random(5);
  for (bool sequential : {false, true}) {
    Memtable memtable;
    std::map<std::string, std::string> model;
    for (int i = 0; i < 5000; ++i) {
      std::string key =
          sequential ? "k" + std::to_string(100000 + i) : std::to_string(random.Uniform(1'000'000));
      if (!model.emplace(key, std::to_string(i)).second) continue;
      memtable.Add(key, std::to_string(i), static_cast<uint64_t>(i));
    }
    auto iterator = memtable.NewIterator();
    iterator->Seek("");
    for (const auto& [key, value] : model) {
      ASSERT_TRUE(iterator->Valid());
      EXPECT_EQ(iterator->key(), key);
      EXPECT_EQ(iterator->value(), value);
      iterator->Next();
    }
    EXPECT_FALSE(iterator->Valid());
    for (int i = 0; i < 1000; ++i) {
      std::string target = std::to_string(random.Uniform(1'000'000));
      auto at = model.lower_bound(target);
      iterator->Seek(target);
      ASSERT_EQ(iterator->Valid(), at != model.end());
      if (at != model.end()) EXPECT_EQ(iterator->key(), at->first);
      iterator->SeekBefore(target);
      ASSERT_EQ(iterator->Valid(), at != model.begin());
      if (at != model.begin()) EXPECT_EQ(iterator->key(), std::prev(at)->first);
    }
    iterator->SeekBefore("");
    EXPECT_EQ(iterator->key(), model.rbegin()->first);
  }
}

TEST(Memtable, ReadersBesideTheWriterSeeOrderedWholeEntries) {
  Memtable memtable;
  std::atomic<bool> done{false};
  Thread reader("reader", [&] {
    while (!done) {
      auto iterator = memtable.NewIterator();
      std::string last;
      for (iterator->Seek(""); iterator->Valid(); iterator->Next()) {
        std::string key(iterator->key());
        EXPECT_LT(last, key);
        EXPECT_EQ(iterator->value(), "v" + key);
        last = key;
      }
    }
  });
  Random random(9);
  std::map<std::string, bool> seen;
  for (int i = 0; i < 20000; ++i) {
    std::string key = std::to_string(random.Next());
    if (seen.emplace(key, true).second) memtable.Add(key, "v" + key, 1);
  }
  done = true;
}

TEST(Memtable, SampleIsSpreadOverTheData) {
  Memtable memtable;
  for (int i = 0; i < 1000; ++i) {
    memtable.Add("k" + std::to_string(1000 + i),
                 std::string(10'000, static_cast<char>('a' + i % 26)), 1);
  }
  std::string sample = memtable.Sample(100'000);
  EXPECT_LE(sample.size(), 100'000u);
  EXPECT_GT(sample.size(), 80'000u);
  EXPECT_GT(sample.find_first_not_of(sample[100], 100), 0u);
  int letters = 0;
  for (char c = 'a'; c <= 'z'; ++c) letters += sample.find(c) != std::string::npos;
  EXPECT_GT(letters, 8);
}

}  // namespace
}  // namespace sippar::engine
