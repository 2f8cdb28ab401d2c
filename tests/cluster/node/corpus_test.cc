// Imports a corpus into five servers in this process while tablets split and move, and servers and
// masters die and return: afterwards every page is there exactly once.
// The corpus is this project's own source, or the one of SIPPAR_CORPUS
// (tests/corpus/get-corpus.sh).
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "engine/base/checksum.h"
#include "tests/cluster/node/cluster_world.h"

namespace sippar::cluster {
namespace {

struct Page {
  std::string row;
  std::filesystem::path path;
  int64_t time_us = 0;
};

// Reads the manifest: row key, path, content type, time, package.
std::vector<Page> PagesOfCorpus(const std::string& folder) {
  std::vector<Page> pages;
  std::ifstream manifest(folder + "/manifest.tsv");
  for (std::string line; std::getline(manifest, line);) {
    std::istringstream fields(line);
    Page page;
    std::string path;
    std::string type;
    std::getline(fields, page.row, '\t');
    std::getline(fields, path, '\t');
    std::getline(fields, type, '\t');
    fields >> page.time_us;
    page.path = folder + "/" + path;
    pages.push_back(std::move(page));
  }
  return pages;
}

std::vector<Page> PagesOfSource() {
  std::vector<Page> pages;
  for (const char* folder : {"cli", "cluster", "engine", "fuse", "query", "tests"}) {
    for (const auto& entry :
         std::filesystem::recursive_directory_iterator(std::string(SOURCE_FOLDER) + "/" + folder)) {
      if (!entry.is_regular_file()) continue;
      std::string row = std::filesystem::relative(entry.path(), SOURCE_FOLDER).string();
      pages.push_back({std::move(row), entry.path(), 1});
    }
  }
  std::sort(pages.begin(), pages.end(), [](const Page& a, const Page& b) { return a.row < b.row; });
  return pages;
}

std::string ReadPage(const Page& page) {
  std::ifstream file(page.path, std::ios::binary);
  std::ostringstream content;
  content << file.rdbuf();
  return std::move(content).str();
}

// Sums that are equal for equal cells in any order; a cell that occurs twice counts twice.
struct Sums {
  uint64_t cells = 0;
  uint64_t bytes = 0;
  uint64_t checksums = 0;
  void Add(std::string_view row, int64_t time_us, std::string_view value) {
    ++cells;
    bytes += value.size();
    checksums += engine::Checksum(value, engine::Checksum(row, static_cast<uint64_t>(time_us)));
  }
  bool operator==(const Sums&) const = default;
};

std::ostream& operator<<(std::ostream& out, const Sums& sums) {
  return out << sums.cells << " cells, " << sums.bytes << " bytes, sum " << sums.checksums;
}

class CorpusTest : public ClusterWorld {
 protected:
  static constexpr size_t kImporters = 3;
  static constexpr size_t kBatch = 16;
  static constexpr size_t kTroubles = 5;

  LocalClusterOptions Options() override {
    LocalClusterOptions options = ClusterWorld::Options();
    if (corpus_ == nullptr) return options;
    options.store.memtable_size = 1 << 20;
    options.store.memtable_budget = 16 << 20;
    options.store.log_segment_size = 4 << 20;
    return options;
  }

  void Import() {
    for (size_t begin = 0; (begin = next_page_.fetch_add(kBatch)) < pages_.size();) {
      // Limits the import, so that the troubles happen before it is finished.
      while (begin > PagesBefore(troubles_ + 1)) engine::Clock::System()->SleepMicros(5'000);
      std::vector<RowMutation> batch;
      Sums sums;
      for (size_t i = begin; i < std::min(begin + kBatch, pages_.size()); ++i) {
        std::string content = ReadPage(pages_[i]);
        sums.Add(pages_[i].row, pages_[i].time_us, content);
        batch.emplace_back(pages_[i].row);
        batch.back().Set("f", "", std::move(content), pages_[i].time_us);
      }
      while (!batch.empty()) {  // writes the failed mutations again, unchanged
        std::vector<Status> statuses = cluster_->data()->ApplyBatch("t", batch);
        size_t failed = 0;
        for (size_t i = 0; i < batch.size(); ++i) {
          if (statuses[i].ok()) continue;
          if (failed != i) batch[failed] = std::move(batch[i]);
          ++failed;
        }
        batch.erase(batch.begin() + static_cast<std::ptrdiff_t>(failed), batch.end());
      }
      engine::MutexLock lock(&mutex_);
      imported_.cells += sums.cells;
      imported_.bytes += sums.bytes;
      imported_.checksums += sums.checksums;
    }
  }

  size_t PagesBefore(size_t trouble) const {
    return pages_.size() * (trouble + 1) / (kTroubles + 1);
  }
  // Causes one trouble after another, each after enough pages were imported and tablets split.
  void MakeTrouble() {
    const std::function<void()> troubles[kTroubles] = {
        [&] { Restart({"s1"}); },
        [&] { Failover("m1", "m2"); },
        [&] {
          Restart({"s2", "s3"});
        },  // fault P13
        [&] { EXPECT_OK(cluster_->StopServer("s4")), StartServer("s4"); },
        [&] { Failover("m2", "m1"), Restart({"s5"}); },
    };
    for (size_t i = 0; i < kTroubles; ++i) {
      Await([&] { return next_page_ >= PagesBefore(i); });
      Await([&] { return TabletCount() >= tablets_min_ * (i + 1) / (kTroubles + 1); });
      troubles[i]();
      troubles_ = i + 1;
    }
  }
  static void Await(const std::function<bool()>& condition) {
    int64_t until_ns = engine::Clock::System()->MonotonicNanos() + 300 * kSecond * 1000;
    while (!condition()) {
      ASSERT_LT(engine::Clock::System()->MonotonicNanos(), until_ns);
      engine::Clock::System()->SleepMicros(20'000);
    }
  }
  void Restart(const std::vector<std::string>& servers) {
    for (const std::string& name : servers) Crash(name);
    for (const std::string& name : servers) StartServer(name);
  }
  void Failover(const std::string& from, const std::string& to) {
    EXPECT_OK(cluster_->StartMaster(to));
    cluster_->StopMaster(from);
    EXPECT_OK(cluster_->WaitForMaster(60 * kSecond));
  }

  Sums Stored() {
    Sums sums;
    auto cells = cluster_->data()->Read("t", {}, {});
    EXPECT_OK(cells);
    for (; (*cells)->Valid(); (*cells)->Next()) {
      const CellView& cell = (*cells)->cell();
      sums.Add(cell.row, cell.timestamp_us, cell.value);
    }
    EXPECT_OK((*cells)->status());
    return sums;
  }
  size_t MovedTablets() {
    size_t moved = 0;
    auto table = cluster_->admin()->Do(calls::GetTable{"t"});
    EXPECT_OK(table);
    auto events = cluster_->metadata()->Events(table->table_id);
    EXPECT_OK(events);
    for (const auto& event : *events) moved += event.event.kind == "assigned" ? 1 : 0;
    return moved;
  }

  const char* const corpus_ = std::getenv("SIPPAR_CORPUS");
  const size_t tablets_min_ = corpus_ == nullptr ? 40 : 200;
  std::vector<Page> pages_;
  std::atomic<size_t> next_page_{0};
  std::atomic<size_t> troubles_{0};
  engine::Mutex mutex_;
  Sums imported_ GUARDED_BY(mutex_);
};

TEST_F(CorpusTest, IsWholeAfterSplitsMovesDeathsAndFailovers) {
  pages_ = corpus_ == nullptr ? PagesOfSource() : PagesOfCorpus(corpus_);
  ASSERT_GT(pages_.size(), 500u);
  policy_.balance_us = 500'000;
  split_size_ = corpus_ == nullptr ? 8 << 10 : 512 << 10;
  Start(5);
  CreateTable({});
  std::vector<engine::Thread> importers;
  for (size_t i = 0; i < kImporters; ++i) importers.emplace_back("import", [this] { Import(); });
  MakeTrouble();
  importers.clear();
  Await([&] { return TabletCount() >= tablets_min_ && MovedTablets() > tablets_min_ / 4; });
  engine::MutexLock lock(&mutex_);
  EXPECT_EQ(imported_.cells, pages_.size());
  EXPECT_EQ(Stored(), imported_);
}

}  // namespace
}  // namespace sippar::cluster
