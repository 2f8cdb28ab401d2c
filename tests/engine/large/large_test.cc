// Large data: a value of 100 MiB, a row of 256 MiB, a row of a million cells, keys of 64 KiB,
// 10,000 qualifiers. Each is written, flushed, compacted, read and scanned within a limit of
// memory: the test resets the peak of the process before and reads it afterwards.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "cluster/node/embedded_node.h"
#include "engine/base/checksum.h"
#include "engine/base/random.h"

namespace sippar::engine {
namespace {

constexpr uint64_t kMiB = 1 << 20;

uint64_t ProcessFigure(const std::string& name) {
  std::ifstream status("/proc/self/status");
  std::string line;
  while (std::getline(status, line)) {
    if (line.starts_with(name)) return std::stoull(line.substr(name.size() + 1)) * 1024;
  }
  return 0;
}

// Sanitizers hold back freed memory and add shadow memory, so the size of the process does not show
// what the store uses.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kMemoryIsOurs = false;
#else
constexpr bool kMemoryIsOurs = true;
#endif

// Returns by how many bytes the process grew at most while `action` ran.
template <typename Action>
uint64_t PeakGrowth(Action action) {
  std::ofstream("/proc/self/clear_refs") << "5";
  uint64_t before = ProcessFigure("VmRSS:");
  action();
  uint64_t peak = ProcessFigure("VmHWM:");
  return kMemoryIsOurs && peak > before ? peak - before : 0;
}

std::string Noise(size_t size, uint64_t seed) {
  Random random(seed);
  std::string bytes(size, '\0');
  for (size_t i = 0; i + 8 <= size; i += 8) {
    uint64_t word = random.Uniform(UINT64_MAX);
    bytes.replace(i, 8, reinterpret_cast<const char*>(&word), 8);
  }
  return bytes;
}

class LargeTest : public testing::Test {
 protected:
  LargeTest() : fs_(NewPosixFileSystem()) {
    directory_ = testing::TempDir() + "large_test_" + std::to_string(::getpid());
    StoreOptions options;
    options.fs = fs_.get();
    options.clock = Clock::System();
    options.create_if_missing = true;
    options.background = false;
    options.sync_writes = false;
    options.block_cache_size = 16 * kMiB;
    options.memory_limit = 0;
    auto opened = cluster::OpenEmbedded(directory_, options);
    EXPECT_TRUE(opened.ok()) << opened.status();
    client_ = std::move(*opened);
    TableSchema schema;
    schema.name = "t";
    schema.families = {{"f", FamilyType::kBytes, {}}};
    EXPECT_TRUE(client_->admin()->Do(cluster::calls::CreateTable{schema, {}}).ok());
  }
  ~LargeTest() override {
    client_.reset();
    std::filesystem::remove_all(directory_);
  }

  void Write(const RowMutation& mutation) {
    Status status = client_->data()->Apply("t", mutation);
    ASSERT_TRUE(status.ok()) << status;
  }

  struct Seen {
    uint64_t cells = 0;
    uint64_t bytes = 0;
    uint64_t checksum = 0;
    bool operator==(const Seen&) const = default;
  };
  Seen Scan(const ReadSpec& read = {}) {
    Seen seen;
    auto cells = client_->data()->Read("t", read, {});
    EXPECT_TRUE(cells.ok()) << cells.status();
    for (; (*cells)->Valid(); (*cells)->Next()) {
      ++seen.cells;
      seen.bytes += (*cells)->cell().value.size();
      seen.checksum = Checksum((*cells)->cell().value, seen.checksum);
    }
    EXPECT_TRUE((*cells)->status().ok()) << (*cells)->status();
    return seen;
  }

  // Checks that the answer is the same from memory, after a flush and after a compaction, each
  // within `memory` bytes.
  void CheckStages(const Seen& expected, uint64_t memory) {
    EXPECT_EQ(Scan(), expected);
    EXPECT_LE(
        PeakGrowth([&] { ASSERT_TRUE(client_->admin()->Do(cluster::calls::Flush{"t"}).ok()); }),
        memory)
        << "flush";
    EXPECT_LE(PeakGrowth([&] { EXPECT_EQ(Scan(), expected); }), memory) << "scan";
    EXPECT_LE(PeakGrowth([&] {
                ASSERT_TRUE(client_->admin()->Do(cluster::calls::Compact{"t", ""}).ok());
              }),
              memory)
        << "compaction";
    ReadSpec point;
    point.rows = RowSet(RowRange::Single("row"));
    EXPECT_LE(PeakGrowth([&] { EXPECT_EQ(Scan(point), expected); }), memory) << "point read";
    ReadSpec reverse;
    reverse.reverse = true;
    EXPECT_LE(PeakGrowth([&] { EXPECT_EQ(Scan(reverse), expected); }), memory) << "reverse scan";
  }

  std::string directory_;
  std::unique_ptr<FileSystem> fs_;
  std::unique_ptr<cluster::Client> client_;
};

TEST_F(LargeTest, AValueOf100MiB) {
  Seen expected{1, 100 * kMiB, 0};
  {
    RowMutation mutation("row");
    std::string value = Noise(100 * kMiB, 1);
    expected.checksum = Checksum(value, 0);
    mutation.Set("f", "q", value, 1);
    value = {};
    Write(mutation);
  }
  // Compaction needs the most memory, with three copies of the value: as read, in the block that is
  // being built, and while it is written to the file.
  CheckStages(expected, 330 * kMiB);
}

TEST_F(LargeTest, ARowOf256MiBStreams) {
  Seen expected;
  for (int i = 0; i < 256; ++i) {
    std::string value = Noise(kMiB - 64, static_cast<uint64_t>(i));
    expected = {expected.cells + 1, expected.bytes + value.size(),
                Checksum(value, expected.checksum)};
    Write(RowMutation("row").Set("f", fmt::format("{:03}", i), value, 1));
    if (i % 64 == 63) ASSERT_TRUE(client_->admin()->Do(cluster::calls::Flush{"t"}).ok());
  }
  CheckStages(expected, 64 * kMiB);
}

TEST_F(LargeTest, ARowOfAMillionCellsStreams) {
  Seen expected;
  for (int i = 0; i < 100; ++i) {
    RowMutation mutation("row");
    for (int j = 0; j < 10'000; ++j) {
      std::string value = fmt::format("value {} {}", i, j);
      expected = {expected.cells + 1, expected.bytes + value.size(),
                  Checksum(value, expected.checksum)};
      mutation.Set("f", fmt::format("{:03}{:05}", i, j), value, 1);
    }
    Write(mutation);
  }
  CheckStages(expected, 64 * kMiB);
  ReadSpec last;
  last.rows = RowSet(RowRange::Single("row"));
  last.columns = {ColumnPattern::Exact("f", "09909999")};
  EXPECT_EQ(Scan(last).cells, 1u);
}

TEST_F(LargeTest, KeysOf64KiBAndTenThousandQualifiers) {
  Seen expected;
  for (int i = 0; i < 200; ++i) {
    std::string row = fmt::format("row{:03}", i) + std::string((64 << 10) - 6, 'k');
    std::string value = fmt::format("value {}", i);
    expected = {expected.cells + 1, expected.bytes + value.size(),
                Checksum(value, expected.checksum)};
    Write(RowMutation(row).Set("f", "q", value, 1));
  }
  RowMutation wide("wide");
  for (int i = 0; i < 10'000; ++i) {
    std::string qualifier = fmt::format("{:05}", i) + std::string(1000, 'q');
    std::string value = fmt::format("value {}", i);
    expected = {expected.cells + 1, expected.bytes + value.size(),
                Checksum(value, expected.checksum)};
    wide.Set("f", qualifier, value, 1);
  }
  Write(wide);
  EXPECT_EQ(Scan(), expected);
  EXPECT_LE(PeakGrowth([&] { ASSERT_TRUE(client_->admin()->Do(cluster::calls::Flush{"t"}).ok()); }),
            64 * kMiB);
  EXPECT_LE(PeakGrowth([&] {
              ASSERT_TRUE(client_->admin()->Do(cluster::calls::Compact{"t", ""}).ok());
            }),
            64 * kMiB);
  EXPECT_LE(PeakGrowth([&] { EXPECT_EQ(Scan(), expected); }), 64 * kMiB);
}

}  // namespace
}  // namespace sippar::engine
