// Measures the speed and size of SSTables: writing, scanning and point lookups, on small cells and
// on web pages. The pages come from SIPPAR_CORPUS (a folder with manifest.tsv: row key, path, type,
// time in microseconds); without it they are generated.
// SPDX-License-Identifier: Apache-2.0
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>

#include "engine/base/check.h"
#include "engine/base/random.h"
#include "engine/model/cell_key.h"
#include "engine/sstable/sstable_reader.h"
#include "engine/sstable/sstable_writer.h"
#include "tests/engine/sstable/byte_files.h"

namespace sippar::engine {
namespace {

using Entries = std::map<std::string, std::string>;
const std::string kPath = "bench.sst";

const Entries& SmallCells() {
  static const Entries* entries = [] {
    auto* made = new Entries;
    Random random(1);
    for (int i = 0; i < 1'000'000; ++i) {
      (*made)[EncodeCellKey(fmt::format("row{:08}", i), "f", "q", 1'700'000'000'000'000 + i,
                            static_cast<uint64_t>(i))] = fmt::format("{:016x}", random.Next());
    }
    return made;
  }();
  return *entries;
}

void LoadCorpus(const std::string& folder, Entries* entries) {
  std::ifstream manifest(folder + "/manifest.tsv");
  std::string line;
  for (uint64_t sequence = 1; std::getline(manifest, line); ++sequence) {
    std::istringstream fields(line);
    std::string row, path, type, time;
    std::getline(fields, row, '\t');
    std::getline(fields, path, '\t');
    std::getline(fields, type, '\t');
    std::getline(fields, time, '\t');
    if (type != "text/html") continue;
    std::ifstream file(folder + "/" + path, std::ios::binary);
    std::stringstream content;
    content << file.rdbuf();
    (*entries)[EncodeCellKey(row, "contents", "", std::stoll(time), sequence)] = content.str();
  }
}

void MakePages(Entries* entries) {
  Random random(2);
  for (uint64_t i = 0; i < 3000; ++i) {
    std::string page = "<html><head><title>Page</title></head><body class=\"documentation\">";
    for (uint64_t words = 500 + random.Uniform(2500); words > 0; --words) {
      page += fmt::format("<a href=\"ref{}.html\">w{:x}</a> ", random.Uniform(50),
                          random.Uniform(5000));
    }
    (*entries)[EncodeCellKey(fmt::format("org.example/{}.html", i), "contents", "", 1, i)] = page;
  }
}

const Entries& Pages() {
  static const Entries* entries = [] {
    auto* made = new Entries;
    const char* folder = std::getenv("SIPPAR_CORPUS");
    if (folder != nullptr) LoadCorpus(folder, made);
    if (made->empty()) MakePages(made);
    return made;
  }();
  return *entries;
}

uint64_t RawBytes(const Entries& entries) {
  uint64_t bytes = 0;
  for (const auto& [key, value] : entries) bytes += key.size() + value.size();
  return bytes;
}

// Takes pieces at even distances, as the flush of a memtable does.
std::string SampleOf(const Entries& entries) {
  uint64_t raw = RawBytes(entries);
  size_t wanted = DictionarySampleSize(raw);
  std::string sample;
  uint64_t step = std::max<uint64_t>(raw / std::max<size_t>(wanted / 8192, 1), 1);
  uint64_t position = 0, next = 0;
  for (const auto& [key, value] : entries) {
    uint64_t end = position + value.size();
    for (; next < end && sample.size() < wanted; next += step) {
      sample.append(value, static_cast<size_t>(std::max(next, position) - position), 8192);
    }
    position = end;
  }
  return sample;
}

FileSummary WriteAll(ByteFiles* fs, const Entries& entries, const SstableOptions& options,
                     const std::string& sample) {
  fs->files.clear();
  auto writer = SstableWriter::Create(fs, kPath, 1, options, sample);
  CHECK(writer.ok());
  for (const auto& [key, value] : entries) CHECK((*writer)->Add(key, value).ok());
  auto summary = (*writer)->Finish();
  CHECK(summary.ok());
  return *summary;
}

// The arguments of a benchmark: compression level, block size in KiB, dictionary.
SstableOptions OptionsOf(const benchmark::State& state) {
  SstableOptions options;
  options.compression = state.range(0) == 0 ? Compression::kNone : Compression::kZstd;
  options.level = static_cast<int>(state.range(0));
  options.block_size = static_cast<uint32_t>(state.range(1)) << 10;
  options.dictionary = state.range(2) != 0;
  return options;
}

void Write(benchmark::State& state, const Entries& entries) {
  ByteFiles fs;
  const std::string sample = SampleOf(entries);
  FileSummary summary;
  for (auto _ : state) summary = WriteAll(&fs, entries, OptionsOf(state), sample);
  auto runs = static_cast<double>(state.iterations());
  state.SetBytesProcessed(static_cast<int64_t>(runs * static_cast<double>(summary.raw_bytes)));
  state.SetItemsProcessed(static_cast<int64_t>(runs * static_cast<double>(summary.entries)));
  state.counters["ratio"] =
      static_cast<double>(summary.raw_bytes) / static_cast<double>(summary.size_bytes);
}

void Scan(benchmark::State& state, const Entries& entries, bool cached) {
  ByteFiles fs;
  FileSummary summary = WriteAll(&fs, entries, OptionsOf(state), SampleOf(entries));
  BlockCache cache(uint64_t{1} << 30);
  auto reader = *SstableReader::Open(&fs, kPath, 1, cached ? &cache : nullptr);
  for (auto _ : state) {
    auto it = reader->NewIterator(cached ? ReadAhead::kNone : ReadAhead::kScan);
    size_t bytes = 0;
    for (it->Seek(""); it->Valid(); it->Next()) bytes += it->key().size() + it->value().size();
    CHECK(bytes == summary.raw_bytes);
  }
  auto runs = static_cast<double>(state.iterations());
  state.SetBytesProcessed(static_cast<int64_t>(runs * static_cast<double>(summary.raw_bytes)));
  state.SetItemsProcessed(static_cast<int64_t>(runs * static_cast<double>(summary.entries)));
}

void Lookup(benchmark::State& state, const Entries& entries, bool cached) {
  ByteFiles fs;
  WriteAll(&fs, entries, OptionsOf(state), SampleOf(entries));
  BlockCache cache(uint64_t{1} << 30);
  auto reader = *SstableReader::Open(&fs, kPath, 1, cached ? &cache : nullptr);
  std::vector<std::string> keys;
  for (const auto& [key, value] : entries) keys.push_back(key);
  Random random(3);
  for (auto _ : state) {
    const std::string& key = keys[random.Uniform(keys.size())];
    auto it = reader->NewIterator(ReadAhead::kNone);
    it->Seek(key);
    CHECK(it->Valid() && it->key() == key);
  }
  state.SetItemsProcessed(state.iterations());
}

void Settings(benchmark::internal::Benchmark* bench) {
  bench->ArgNames({"level", "KiB", "dictionary"})->Unit(benchmark::kMillisecond);
  bench->Args({1, 64, 1})->Args({1, 64, 0})->Args({3, 256, 1})->Args({0, 64, 0});
}

void DefaultSetting(benchmark::internal::Benchmark* bench) {
  bench->ArgNames({"level", "KiB", "dictionary"})->Args({1, 64, 1});
}

void BM_WriteSmall(benchmark::State& state) { Write(state, SmallCells()); }
void BM_WritePages(benchmark::State& state) { Write(state, Pages()); }
void BM_ScanSmallCached(benchmark::State& state) { Scan(state, SmallCells(), true); }
void BM_ScanSmall(benchmark::State& state) { Scan(state, SmallCells(), false); }
void BM_ScanPages(benchmark::State& state) { Scan(state, Pages(), false); }
void BM_LookupSmallCached(benchmark::State& state) { Lookup(state, SmallCells(), true); }
void BM_LookupSmall(benchmark::State& state) { Lookup(state, SmallCells(), false); }
void BM_LookupPages(benchmark::State& state) { Lookup(state, Pages(), false); }
BENCHMARK(BM_WriteSmall)->Apply(Settings);
BENCHMARK(BM_WritePages)->Apply(Settings);
BENCHMARK(BM_ScanSmallCached)->Apply(DefaultSetting)->Unit(benchmark::kMillisecond);
BENCHMARK(BM_ScanSmall)->Apply(DefaultSetting)->Unit(benchmark::kMillisecond);
BENCHMARK(BM_ScanPages)->Apply(Settings);
BENCHMARK(BM_LookupSmallCached)->Apply(DefaultSetting);
BENCHMARK(BM_LookupSmall)->Apply(DefaultSetting);
BENCHMARK(BM_LookupPages)->Apply(Settings)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace sippar::engine
