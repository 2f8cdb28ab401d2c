// Compares Sippar with RocksDB and LevelDB: same keys, values, sync, memtables, block cache and
// Bloom filter, interleaved in one process, medians of N rounds.
//   bench_peers NEW_DIRECTORY [--rows N] [--repeat N] [--only CASE,CASE...]
// Prints the ratio to the better peer (above 1 means that Sippar is better) and the target. Needs a
// quiet machine.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <filesystem>

#include "tests/bench/peers/cases.h"

namespace sippar::bench {
namespace {

struct Plan {
  Load load;
  uint64_t repeat = 5;
  std::vector<std::string> only;
  std::string compression = "both";
};

// The order rotates, so that no peer always runs right after RocksDB and what that left in the page
// cache.
int RunMode(const Plan& plan, bool compress) {
  Load load = plan.load;
  load.compress = compress;
  load.directory += compress ? "/compressed" : "/plain";
  Figures figures;
  Cases cases(load, &figures);
  for (uint64_t round = 0; round < plan.repeat; ++round) {
    for (const std::string& name : plan.only) {
      // This case measures bytes, not time, so every round gives the same result.
      if (name == "amplification" && round > 0) continue;
      for (uint64_t turn = 0; turn < kPeers; ++turn) {
        int peer = static_cast<int>((turn + round) % kPeers);
        fmt::print(stderr, "round {} {} {}{}\n", round + 1, name, kPeerNames[peer],
                   compress ? ", compressed" : "");
        cases.Run(name, peer);
      }
    }
  }
  return figures.Print(fmt::format(
      "compression {}: {} rows, keys of 16 B, values of 1,000 B, medians of {}",
      compress ? "on (LZ4, Snappy, ours: the default)" : "off", load.rows, plan.repeat));
}

int Main(int argc, char** argv) {
  Plan plan;
  CLI::App app{"sippar, RocksDB and LevelDB side by side", "bench_peers"};
  app.add_option("DIRECTORY", plan.load.directory, "new; removed at the end")->required();
  app.add_option("--rows", plan.load.rows)
      ->check(CLI::Range(1'000, 100'000'000))
      ->capture_default_str();
  app.add_option("--repeat", plan.repeat)->check(CLI::Range(1, 99))->capture_default_str();
  app.add_option("--only", plan.only, "cases, with commas between; all when left out")
      ->delimiter(',')
      ->check(CLI::IsMember(Cases::Names()));
  app.add_option("--compression", plan.compression)
      ->check(CLI::IsMember({"off", "on", "both"}))
      ->capture_default_str();
  app.add_option("--synced-puts", plan.load.synced_puts)->capture_default_str();
  app.add_option("--overwrite-mb", plan.load.overwrite_mb,
                 "bytes of the write amplification, in MB; 10000 is 10 GB over 1 GB")
      ->capture_default_str();
  app.add_option("--seed", plan.load.seed)->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  if (plan.only.empty()) plan.only = Cases::Names();
  if (!std::filesystem::create_directory(plan.load.directory)) {
    Fail(plan.load.directory, "is there already; name a new directory");
  }
  int missed = 0;
  if (plan.compression != "on") missed += RunMode(plan, false);
  if (plan.compression != "off") missed += RunMode(plan, true);
  std::filesystem::remove_all(plan.load.directory);
  fmt::print("\n{} targets missed\n", missed);
  return 0;
}

}  // namespace
}  // namespace sippar::bench

int main(int argc, char** argv) { return sippar::bench::Main(argc, argv); }
