// Cookies, checkpoints, rewinding and errors of directory streams.
// SPDX-License-Identifier: Apache-2.0
#include "fuse/tree/dir_stream.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>

#include "engine/base/random.h"
#include "fuse/tree/tree_limits.h"

namespace sippar::fuse {
namespace {

struct Directory {
  std::set<std::string> names;
  int starts = 0;
  uint64_t steps = 0;
  Status failure;  // of the next start or step
};

class SetSource final : public EntrySource {
 public:
  explicit SetSource(Directory* directory) : directory_(directory) {}
  Status Start(const std::optional<std::string>& after) override {
    ++directory_->starts;
    status_ = std::exchange(directory_->failure, OkStatus());
    if (!status_.ok()) return status_;
    at_ = after.has_value() ? directory_->names.upper_bound(*after) : directory_->names.begin();
    return OkStatus();
  }
  bool Valid() const override { return status_.ok() && at_ != directory_->names.end(); }
  void Fill(DirEntry* out) override { out->name = *at_; }
  void Next() override {
    ++directory_->steps;
    status_ = std::exchange(directory_->failure, OkStatus());
    ++at_;
  }
  std::string_view Mark() const override { return *at_; }
  Status status() const override { return status_; }

 private:
  Directory* directory_;
  std::set<std::string>::iterator at_;
  Status status_;
};

class DirStreamTest : public ::testing::Test {
 protected:
  DirStreamTest()
      : stream_(
            [] {
              return std::vector<DirEntry>{{".", {}}, {"..", {}}};
            },
            std::make_unique<SetSource>(&directory_), &clock_) {}

  void Fill(int count) {
    for (int i = 0; i < count; ++i) directory_.names.insert(fmt::format("{:08}", i));
  }
  std::string NameAt(uint64_t ordinal) {
    auto entry = stream_.At(ordinal);
    EXPECT_TRUE(entry.ok()) << entry.status();
    return !entry.ok() || *entry == nullptr ? "" : (*entry)->name;
  }

  engine::ManualClock clock_{1};
  Directory directory_;
  DirStream stream_;
};

TEST_F(DirStreamTest, GivesDotsThenEveryNameOnceInOrder) {
  Fill(10'000);
  EXPECT_EQ(NameAt(0), ".");
  EXPECT_EQ(NameAt(1), "..");
  uint64_t ordinal = 2;
  for (const std::string& name : directory_.names) ASSERT_EQ(NameAt(ordinal++), name);
  EXPECT_EQ(NameAt(ordinal), "");
  EXPECT_EQ(NameAt(ordinal), "");
  EXPECT_EQ(directory_.starts, 1);
}

TEST_F(DirStreamTest, SeeksAnywhereReadingLessThanAPageAgain) {
  Fill(50'000);
  for (uint64_t i = 0; i < 50'002; ++i) ASSERT_NE(NameAt(i), "");
  engine::Random random(3);
  for (int round = 0; round < 300; ++round) {
    uint64_t ordinal = 2 + random.Uniform(50'000);
    uint64_t steps = directory_.steps;
    ASSERT_EQ(NameAt(ordinal), fmt::format("{:08}", ordinal - 2));
    ASSERT_LE(directory_.steps - steps, kCheckpointDistance);
    ASSERT_EQ(NameAt(ordinal + 1), ordinal + 1 < 50'002 ? fmt::format("{:08}", ordinal - 1) : "");
  }
  EXPECT_EQ(NameAt(1), "..");
  EXPECT_EQ(NameAt(2), "00000000");
}

TEST_F(DirStreamTest, RewindingBeginsAfresh) {
  Fill(3);
  for (uint64_t i = 0; i < 5; ++i) ASSERT_NE(NameAt(i), "");
  directory_.names.insert("00000000-new");
  EXPECT_EQ(NameAt(0), ".");
  EXPECT_EQ(NameAt(3), "00000000-new");
  EXPECT_EQ(NameAt(5), "00000002");
}

TEST_F(DirStreamTest, GoesOnBehindTheLastEntryAfterAnError) {
  Fill(100);
  for (uint64_t i = 0; i < 50; ++i) ASSERT_NE(NameAt(i), "");
  directory_.failure = Unavailable("gone for a moment");
  EXPECT_EQ(stream_.At(50).status().code(), StatusCode::kUnavailable);
  directory_.failure = Unavailable("still");
  EXPECT_EQ(stream_.At(50).status().code(), StatusCode::kUnavailable);
  directory_.names.insert("00000000-earlier");  // must not shift what is left
  for (uint64_t i = 50; i < 102; ++i) ASSERT_EQ(NameAt(i), fmt::format("{:08}", i - 2));
  EXPECT_EQ(NameAt(102), "");
}

TEST_F(DirStreamTest, TheAgeOfAFixedEntryGrowsUntilItIsListedAnew) {
  auto age = [&](uint64_t ordinal) { return (*stream_.At(ordinal))->entry.age_us; };
  EXPECT_EQ(age(0), 0);
  clock_.SleepMicros(700);
  EXPECT_EQ(age(1), 700);
  clock_.SleepMicros(700);
  EXPECT_EQ(age(1), 1'400) << "the kernel had no room for it and asks again";
  EXPECT_EQ(age(0), 0) << "a rewind";
}

TEST_F(DirStreamTest, AskingTwiceForOneEntryMovesNothing) {
  Fill(10);
  EXPECT_EQ(NameAt(5), NameAt(5));
  EXPECT_EQ(directory_.starts, 1);
  EXPECT_EQ(NameAt(6), "00000004");
}

}  // namespace
}  // namespace sippar::fuse
