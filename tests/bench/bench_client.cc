// Measures the cost of finding a tablet in addition to calling it: bench_client [TABLETS]. Prints
// nanoseconds per call for one thread and for two.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cstdlib>

#include "engine/base/random.h"
#include "tests/cluster/client/fake_cluster.h"

namespace sippar::cluster {
namespace {

constexpr int kCalls = 2'000'000;

double NanosPerCall(TabletCaller* caller, const std::vector<std::string>& rows, size_t threads) {
  engine::Clock* clock = engine::Clock::System();
  int64_t start = clock->MonotonicNanos();
  {
    std::vector<engine::Thread> callers;
    for (size_t t = 0; t < threads; ++t) {
      callers.emplace_back("caller", [&, t] {
        uint64_t met = 0;
        for (size_t i = t; i < kCalls + t; ++i) {
          Status status =
              caller->OnTablet<Status>("t", rows[i % rows.size()], Repeat::kUnsafe, {clock, {}},
                                       [&](const TabletLocation& tablet, const CallOptions&) {
                                         met += tablet.address.tablet_id;
                                         return OkStatus();
                                       });
          if (!status.ok() || met == 0) std::abort();
        }
      });
    }
  }
  return static_cast<double>(clock->MonotonicNanos() - start) / kCalls;
}

int Main(int tablets) {
  std::vector<std::string> splits;
  for (int i = 1; i < tablets; ++i) splits.push_back(fmt::format("row{:06}", i));
  FakeCluster cluster(splits);
  cluster.loses_answers = false;
  TabletCaller caller({&cluster, [&] { return ReadRootRecord(cluster.session()); }},
                      cluster.session(), {engine::Clock::System(), {}});
  engine::Random random(1);
  std::vector<std::string> rows;
  for (int i = 0; i < 1009; ++i) {
    rows.push_back(fmt::format("row{:06}x", random.Uniform(static_cast<uint64_t>(tablets))));
  }
  NanosPerCall(&caller, rows, 1);  // the client knows all locations after this run
  for (size_t threads : {1, 2}) {
    fmt::print("{} tablets, {} threads: {:.0f} ns a call\n", tablets, threads,
               NanosPerCall(&caller, rows, threads));
  }
  return 0;
}

}  // namespace
}  // namespace sippar::cluster

int main(int argc, char** argv) {
  return sippar::cluster::Main(argc > 1 ? std::atoi(argv[1]) : 100);
}
