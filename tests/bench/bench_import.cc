// Measures imports of a Webtable through the client; figures.py calls it.
//   bench_import web CORPUS NEW_DIR   parses the corpus into memory first, so that only the store
//                                     is timed: import, stored size, full scan
//   bench_import crash NEW_DIR        2 GiB in SSTables, 64 MiB in the log alone, then kill -9
//   bench_import open DIR             how long a store takes to open
// Each prints "figure <TAB> value <TAB> unit" lines.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "cli/web/page_rows.h"
#include "cluster/client/client.h"
#include "cluster/node/open_client.h"
#include "engine/base/clock.h"
#include "engine/base/random.h"
#include "engine/base/thread.h"

namespace sippar {
namespace {

constexpr int kThreads = 2;
constexpr size_t kBatchBytes = 4 << 20;
constexpr double kMega = 1e6;

void Die(const Status& status) {
  if (status.ok()) return;
  fmt::print(stderr, "bench_import: {}\n", MessageOf(status));
  std::exit(1);
}

int64_t Now() { return engine::Clock::System()->MonotonicNanos(); }
double SecondsSince(int64_t start) { return static_cast<double>(Now() - start) / 1e9; }

void Print(const char* figure, double value, const char* unit) {
  fmt::print("{}\t{:.2f}\t{}\n", figure, value, unit);
  std::fflush(stdout);
}

std::unique_ptr<cluster::Client> Open(const std::string& directory, uint64_t memory_limit) {
  cluster::ClientOptions options;
  options.create_if_missing = true;
  options.memory_limit = memory_limit;
  auto client = cluster::OpenClient(directory, options);
  Die(client.status());
  return std::move(*client);
}

template <typename Body>
void InThreads(Body body) {
  std::vector<engine::Thread> threads;
  for (int i = 0; i < kThreads; ++i) threads.emplace_back("bench", body);
}

// The corpus in batches like those that the import sends.
struct ParsedCorpus {
  std::vector<std::vector<engine::RowMutation>> batches;
  std::atomic<uint64_t> pages{0}, page_bytes{0}, cells{0};
};

void Parse(const std::string& corpus, ParsedCorpus* out) {
  auto fs = engine::NewPosixFileSystem();
  auto manifest = cli::ReadManifest(fs.get(), corpus);
  Die(manifest.status());
  std::atomic<size_t> next{0};
  engine::Mutex mutex;
  InThreads([&] {
    std::vector<engine::RowMutation> batch;
    size_t bytes = 0;
    auto finish = [&] {
      engine::MutexLock lock(&mutex);
      out->batches.push_back(std::move(batch));
      batch.clear();
      bytes = 0;
    };
    for (size_t i = next++; i < manifest->pages.size(); i = next++) {
      if (manifest->pages[i].content_type != "text/html") continue;
      auto page = cli::ReadPage(fs.get(), corpus, manifest->pages[i]);
      Die(page.status());
      ++out->pages;
      out->page_bytes += page->page_bytes;
      bytes += page->byte_size;
      for (engine::RowMutation& row : page->rows) {
        out->cells += row.entries.size();
        batch.push_back(std::move(row));
      }
      if (bytes >= kBatchBytes) finish();
    }
    finish();
  });
}

void Write(cluster::Client* client, const ParsedCorpus& corpus) {
  std::atomic<size_t> next{0};
  InThreads([&] {
    for (size_t i = next++; i < corpus.batches.size(); i = next++) {
      for (const Status& status : client->data()->ApplyBatch("web", corpus.batches[i])) {
        Die(status);
      }
    }
  });
}

void PrintStoredRatio(cluster::Client* client, const char* when, uint64_t page_bytes) {
  auto groups = client->admin()->Do(cluster::calls::Stats{"web"});
  Die(groups.status());
  double all = 0;
  for (const cluster::GroupStats& group : *groups) {
    all += static_cast<double>(group.stored_bytes);
    if (group.group != "page") continue;
    Print(fmt::format("pages / stored contents, {}", when).c_str(),
          static_cast<double>(page_bytes) / static_cast<double>(group.stored_bytes), ": 1");
  }
  Print(fmt::format("stored in all, {}", when).c_str(), all / kMega, "MB");
}

void PrintScan(cluster::Client* client, const char* when) {
  int64_t start = Now();
  auto cells = client->data()->Read("web", engine::ReadSpec(), {});
  Die(cells.status());
  uint64_t bytes = 0;
  uint64_t count = 0;
  for (; (*cells)->Valid(); (*cells)->Next()) {
    const engine::CellView& cell = (*cells)->cell();
    bytes += cell.row.size() + cell.family.size() + cell.qualifier.size() + cell.value.size();
    ++count;
  }
  Die((*cells)->status());
  double seconds = SecondsSince(start);
  Print(fmt::format("full cell scan, {}", when).c_str(),
        static_cast<double>(bytes) / kMega / seconds, "MB/s");
  Print(fmt::format("full cell scan, {}, cells", when).c_str(),
        static_cast<double>(count) / seconds, "/s");
}

void RunWeb(const std::string& corpus_directory, const std::string& directory) {
  ParsedCorpus corpus;
  int64_t start = Now();
  Parse(corpus_directory, &corpus);
  double page_bytes = static_cast<double>(corpus.page_bytes);
  Print("pages", static_cast<double>(corpus.pages), "");
  Print("page bytes", page_bytes / kMega, "MB");
  Print("cells", static_cast<double>(corpus.cells), "");
  Print("parsing alone", page_bytes / kMega / SecondsSince(start), "MB/s");
  auto client = Open(directory, 0);
  Die(client->admin()->Do(cluster::calls::CreateTable{cli::WebTableSchema("web"), {}}));
  start = Now();
  Write(client.get(), corpus);
  Die(client->admin()->Do(cluster::calls::Flush{"web"}));
  Print("import of parsed pages, synced, flushed", page_bytes / kMega / SecondsSince(start),
        "MB/s");
  corpus.batches.clear();
  PrintStoredRatio(client.get(), "after import", corpus.page_bytes);
  PrintScan(client.get(), "after import");
  start = Now();
  Die(client->admin()->Do(cluster::calls::Compact{"web", ""}));
  Print("major compaction", page_bytes / kMega / SecondsSince(start), "MB/s");
  PrintStoredRatio(client.get(), "compacted", corpus.page_bytes);
  PrintScan(client.get(), "compacted");
  Die(client->Close());
}

// Writes random values, which do not compress, so that as many bytes are stored as written.
void WriteNoise(cluster::Client* client, const std::string& prefix, uint64_t bytes) {
  engine::Random random(7);
  constexpr size_t kValueBytes = 8000;
  std::vector<engine::RowMutation> batch;
  for (uint64_t written = 0; written < bytes; written += kValueBytes) {
    std::string value(kValueBytes, '\0');
    for (size_t at = 0; at < kValueBytes; at += 8) {
      uint64_t bits = random.Next();
      value.replace(at, 8, reinterpret_cast<const char*>(&bits), 8);
    }
    batch.emplace_back(fmt::format("{}{:08}", prefix, written / kValueBytes))
        .Set("f", "q", value, 1);
    if (batch.size() == 500 || written + kValueBytes >= bytes) {
      for (const Status& status : client->data()->ApplyBatch("big", batch)) Die(status);
      batch.clear();
    }
  }
}

void RunCrash(const std::string& directory) {
  auto client = Open(directory, uint64_t{2} << 30);  // memtables large enough to hold the log
  engine::TableSchema schema;
  schema.name = "big";
  schema.families.emplace_back().name = "f";
  Die(client->admin()->Do(cluster::calls::CreateTable{schema, {}}));
  WriteNoise(client.get(), "flushed", uint64_t{2} << 30);
  Die(client->admin()->Do(cluster::calls::Flush{"big"}));
  WriteNoise(client.get(), "logged", 64 << 20);
  std::raise(SIGKILL);
}

void RunOpen(const std::string& directory) {
  int64_t start = Now();
  auto client = Open(directory, 0);
  Print("open", SecondsSince(start), "s");
  Die(client->Close());
}

}  // namespace
}  // namespace sippar

int main(int argc, char** argv) {
  std::string action = argc > 1 ? argv[1] : "";
  if (action == "web" && argc == 4) {
    sippar::RunWeb(argv[2], argv[3]);
  } else if (action == "crash" && argc == 3) {
    sippar::RunCrash(argv[2]);
  } else if (action == "open" && argc == 3) {
    sippar::RunOpen(argv[2]);
  } else {
    fmt::print(stderr, "usage: bench_import web CORPUS NEW_DIR | crash NEW_DIR | open DIR\n");
    return 2;
  }
  return 0;
}
