// Runs the cases of cases.h. Before a case is timed, earlier writes are on the disk, and the stores
// that are not measured are idle.
// SPDX-License-Identifier: Apache-2.0
#include "tests/bench/peers/cases.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>

#include "cli/bench/bench_data.h"
#include "cli/bench/latency_histogram.h"
#include "engine/base/clock.h"
#include "engine/base/thread.h"

namespace sippar::bench {
namespace {

using cli::BenchKey;
using cli::LatencyHistogram;
using cli::ValuePool;

constexpr size_t kValueSize = 1000;
constexpr uint64_t kReads = 200'000;
// Bytes of cached rows, in a block cache of 128 MiB: no shard overflows.
constexpr uint64_t kCachedBytes = 76 << 20;
constexpr int64_t kIdleMicros = 1'000'000;

int64_t Now() { return engine::Clock::System()->MonotonicNanos(); }
double SecondsSince(int64_t start) { return static_cast<double>(Now() - start) / 1e9; }
double Rate(uint64_t count, int64_t start) {
  return static_cast<double>(count) / SecondsSince(start);
}

// Bytes that this process passed to write(), which RocksDB, LevelDB and Sippar all use.
uint64_t BytesWritten() {
  std::ifstream io("/proc/self/io");
  std::string name;
  uint64_t value = 0;
  while (io >> name >> value) {
    if (name == "wchar:") return value;
  }
  Fail("/proc/self/io", "has no wchar");
}

void WaitUntilIdle() {
  for (uint64_t before = UINT64_MAX, now = BytesWritten(); now != before; now = BytesWritten()) {
    before = now;
    engine::Clock::System()->SleepMicros(kIdleMicros);
  }
}

// Runs `puts` puts in `threads` threads; returns all latencies.
LatencyHistogram Put(Peer* store, const ValuePool& pool, uint64_t puts, uint64_t threads,
                     uint64_t seed,
                     const std::function<uint64_t(uint64_t, engine::Random*)>& key_of) {
  std::vector<LatencyHistogram> latencies(threads);
  {
    std::vector<engine::Thread> running;
    for (uint64_t t = 0; t < threads; ++t) {
      running.emplace_back("bench", [&, t] {
        engine::Random random(seed + t);
        for (uint64_t i = t; i < puts; i += threads) {
          BenchKey key(key_of(i, &random));
          int64_t start = Now();
          store->Put(key.text(), pool.At(i));
          latencies[t].Add(Now() - start);
        }
      });
    }
  }
  for (uint64_t t = 1; t < threads; ++t) latencies[0].Merge(latencies[t]);
  return latencies[0];
}

}  // namespace

void Fail(std::string_view what, std::string_view why) {
  fmt::print(stderr, "bench_peers: {}: {}\n", what, why);
  std::exit(1);
}

std::vector<std::string> Cases::Names() {
  return {"fillseq",   "fillrandom",   "fillrandom4",   "synced1", "synced4",
          "synced16",  "get1",         "get4",          "iterate", "count",
          "absentrow", "absentcolumn", "amplification", "storm"};
}

Cases::Cases(Load load, Figures* figures)
    : load_(std::move(load)),
      figures_(figures),
      pool_(load_.seed, kValueSize, UINT64_MAX, /*compressible=*/true) {}

void Cases::Run(const std::string& name, int peer) {
  if (name == "fillseq") return Fill(name, peer, 1, false);
  if (name == "fillrandom") return Fill(name, peer, 1, true);
  if (name == "fillrandom4") return Fill(name, peer, 4, true);
  if (name.starts_with("synced")) return Synced(name, peer, std::stoull(name.substr(6)));
  if (name == "amplification") return Amplification(name, peer);
  if (name == "storm") return Storm(name, peer);
  Read(name, peer);
}

std::unique_ptr<Peer> Cases::Open(int peer, PeerSettings settings, const std::string& name) {
  settings.compress = load_.compress;
  settings.directory = fmt::format("{}/{}-{}", load_.directory, name, kPeerNames[peer]);
  std::filesystem::create_directories(settings.directory);
  int directory = ::open(load_.directory.c_str(), O_RDONLY | O_DIRECTORY);
  ::syncfs(directory);
  ::close(directory);
  if (peer == kSippar) return OpenSippar(settings);
  return peer == kRocksDb ? OpenRocksDb(settings) : OpenLevelDb(settings);
}

void Cases::Discard(std::unique_ptr<Peer> store, int peer, const std::string& name) {
  store.reset();
  std::filesystem::remove_all(fmt::format("{}/{}-{}", load_.directory, name, kPeerNames[peer]));
}

void Cases::Fill(const std::string& name, int peer, uint64_t threads, bool random) {
  auto store = Open(peer, {}, name);
  int64_t start = Now();
  LatencyHistogram latencies = Put(store.get(), pool_, load_.rows, threads, load_.seed,
                                   [&](uint64_t i, engine::Random* chance) {
                                     return 2 * (random ? chance->Uniform(load_.rows) : i);
                                   });
  figures_->Add(name, peer, Rate(load_.rows, start));
  figures_->Add(name + ".p99", peer, latencies.Micros(0.99));
  Discard(std::move(store), peer, name);
}

void Cases::Synced(const std::string& name, int peer, uint64_t threads) {
  PeerSettings settings;
  settings.sync = true;
  auto store = Open(peer, settings, name);
  int64_t start = Now();
  LatencyHistogram latencies =
      Put(store.get(), pool_, load_.synced_puts, threads, load_.seed,
          [&](uint64_t, engine::Random* chance) { return 2 * chance->Uniform(load_.rows); });
  figures_->Add(name, peer, Rate(load_.synced_puts, start));
  figures_->Add(name + ".p99", peer, latencies.Micros(0.99));
  Discard(std::move(store), peer, name);
}

// Memtables scale with the data: writing 10 GB over 1 GB of keys would get 64 MiB.
void Cases::Amplification(const std::string& name, int peer) {
  uint64_t puts = load_.overwrite_mb * 1'000'000 / (BenchKey::kSize + kValueSize);
  PeerSettings settings;
  settings.memtable_bytes = std::max<uint64_t>((64 << 20) * load_.overwrite_mb / 10'000, 1 << 20);
  auto store = Open(peer, settings, name);
  uint64_t before = BytesWritten();
  Put(store.get(), pool_, puts, 1, load_.seed, [&](uint64_t, engine::Random* chance) {
    return 2 * chance->Uniform(std::max<uint64_t>(puts / 10, 1));
  });
  WaitUntilIdle();
  auto written = static_cast<double>(BytesWritten() - before);
  figures_->Add(name, peer, written / static_cast<double>(puts * (BenchKey::kSize + kValueSize)));
  Discard(std::move(store), peer, name);
}

// Quiet phase: half a memtable of puts into an empty store. Storm: small memtables and random
// overwrites as fast as the store accepts them, so that flushes and compactions never end.
void Cases::Storm(const std::string& name, int peer) {
  PeerSettings settings;
  settings.memtable_bytes = 8 << 20;
  auto store = Open(peer, settings, name);
  uint64_t keys = std::max<uint64_t>(load_.rows / 5, 1);
  auto random_key = [&](uint64_t, engine::Random* chance) { return 2 * chance->Uniform(keys); };
  uint64_t quiet_puts = settings.memtable_bytes / 2 / kValueSize;
  double quiet = Put(store.get(), pool_, quiet_puts, 1, load_.seed, random_key).Micros(0.5);
  double storm = Put(store.get(), pool_, load_.rows, 1, load_.seed + 1, random_key).Micros(0.999);
  figures_->Add(name, peer, storm / quiet);
  figures_->Add(name + ".p50", peer, quiet);
  figures_->Add(name + ".p999", peer, storm);
  Discard(std::move(store), peer, name);
}

Peer* Cases::ReadStore(int peer) {
  if (read_stores_[peer] == nullptr) {
    read_stores_[peer] = Open(peer, {}, "read");
    Peer* store = read_stores_[peer].get();
    Put(store, pool_, load_.rows, 1, load_.seed, [](uint64_t i, engine::Random*) { return 2 * i; });
    store->Compact();
    WaitUntilIdle();
  }
  return read_stores_[peer].get();
}

void Cases::Read(const std::string& name, int peer) {
  Peer* store = ReadStore(peer);
  if (!name.starts_with("iterate") && name != "count") {
    return Gets(name, peer, name == "get4" ? 4 : 1);
  }
  uint64_t bytes = 0;
  int64_t start = Now();
  uint64_t rows = name == "count" ? store->CountRows() : store->Iterate(&bytes);
  figures_->Add(name, peer, Rate(rows, start));
  if (rows != load_.rows) Fail(kPeerNames[peer], fmt::format("{} rows", rows));
  if (name != "count" && bytes != rows * kValueSize) Fail(kPeerNames[peer], "a value is missing");
}

void Cases::Gets(const std::string& name, int peer, uint64_t threads) {
  Peer* store = ReadStore(peer);
  uint64_t keys = std::min<uint64_t>(load_.rows, kCachedBytes / (BenchKey::kSize + kValueSize));
  bool present = name.starts_with("get");
  auto get = [&](uint64_t number) {
    size_t size = 0;
    BenchKey key(2 * number + (name == "absentrow" ? 1 : 0));
    bool found =
        name == "absentcolumn" ? store->GetAbsentColumn(key.text()) : store->Get(key.text(), &size);
    if (found != present || (found && size != kValueSize)) {
      Fail(kPeerNames[peer], fmt::format("{} answers wrong for row {}", name, key.text()));
    }
  };
  for (uint64_t i = 0; i < keys; ++i) get(i);  // loads the rows into the cache
  int64_t start = Now();
  {
    std::vector<engine::Thread> running;
    for (uint64_t t = 0; t < threads; ++t) {
      running.emplace_back("bench", [&, t] {
        engine::Random random(load_.seed + t);
        for (uint64_t i = 0; i < kReads; ++i) get(random.Uniform(keys));
      });
    }
  }
  figures_->Add(name, peer, Rate(kReads * threads, start));
}

}  // namespace sippar::bench
