// Computes and prints the table of figures.
// SPDX-License-Identifier: Apache-2.0
#include "tests/bench/peers/figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

namespace sippar::bench {
namespace {

constexpr Figure kFigures[] = {
    {"fillseq", "put, no sync, sequential, 1 thread, /s", false, 1.2},
    {"fillseq.p99", "  p99, us", true},
    {"fillrandom", "put, no sync, random, 1 thread, /s", false, 1.2},
    {"fillrandom.p99", "  p99, us", true},
    {"fillrandom4", "put, no sync, random, 4 threads, /s", false, 1.5},
    {"fillrandom4.p99", "  p99, us", true},
    {"synced1", "put, synced, 1 thread, /s"},
    {"synced1.p99", "  p99, us", true},
    {"synced4", "put, synced, 4 threads, /s"},
    {"synced4.p99", "  p99, us", true},
    {"synced16", "put, synced, 16 threads, /s", false, 1.2},
    {"synced16.p99", "  p99, us", true, 1.0},
    {"get1", "random get, cached, 1 thread, /s", false, 1.0},
    {"get4", "random get, cached, 4 threads, /s", false, 1.0},
    {"iterate", "full iteration, 1 thread, rows/s", false, 0.7},
    {"count", "count of rows (ours: row program), rows/s", false, 1.0},
    {"absentrow", "get of an absent row, Bloom, /s", false, 1.0, true},
    {"absentcolumn", "get of an absent column, Bloom, /s", false, 1.0, true},
    {"amplification", "write amplification, random overwrites", true, 1.0, true},
    {"storm", "storm: p99.9 put / p50 quiet", true, 0, false, 10},
    {"storm.p999", "  p99.9 in the storm, us", true},
    {"storm.p50", "  p50 quiet, us", true},
};

double Median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

std::string Number(double value) {
  return value == 0    ? "-"
         : value < 100 ? fmt::format("{:.2f}", value)
                       : fmt::format("{:.0f}", value);
}

double Ratio(const Figure& figure, const double* values) {
  double best = 0;
  for (int peer = 0; peer < kSippar; ++peer) {
    if (values[peer] == 0 || (figure.rocksdb_only && peer != kRocksDb)) continue;
    bool better = figure.lower_is_better ? values[peer] < best : values[peer] > best;
    if (best == 0 || better) best = values[peer];
  }
  if (best == 0 || values[kSippar] == 0) return 0;
  return figure.lower_is_better ? best / values[kSippar] : values[kSippar] / best;
}

std::string TargetOf(const Figure& figure) {
  if (figure.value_max > 0) return fmt::format("<= {:.0f}", figure.value_max);
  if (figure.ratio_min == 0) return "";
  return fmt::format(">= {:.1f}x{}", figure.ratio_min, figure.rocksdb_only ? " RocksDB" : "");
}

bool IsMissed(const Figure& figure, double ours, double ratio) {
  if (ours == 0) return false;
  if (figure.value_max > 0) return ours > figure.value_max;
  return ratio > 0 && ratio < figure.ratio_min;
}

}  // namespace

void Figures::Add(const std::string& id, int peer, double value) {
  samples_[peer][id].push_back(value);
}

int Figures::Print(const std::string& title) const {
  fmt::print("\n{}\n{:<44} {:>9} {:>9} {:>9} {:>6}  {}\n", title, "what", kPeerNames[0],
             kPeerNames[1], kPeerNames[2], "ratio", "target");
  int missed = 0;
  for (const Figure& figure : kFigures) {
    double values[kPeers] = {};
    bool measured = false;
    for (int peer = 0; peer < kPeers; ++peer) {
      auto found = samples_[peer].find(figure.id);
      if (found == samples_[peer].end()) continue;
      values[peer] = Median(found->second);
      measured = true;
    }
    if (!measured) continue;
    double ratio = Ratio(figure, values);
    std::string target = TargetOf(figure);
    bool is_missed = IsMissed(figure, values[kSippar], ratio);
    missed += is_missed ? 1 : 0;
    std::string verdict = target.empty() || values[kSippar] == 0 ? ""
                          : is_missed                            ? "MISSED"
                                                                 : "met";
    fmt::print("{:<44} {:>9} {:>9} {:>9} {:>6}  {:<15} {}\n", figure.what, Number(values[0]),
               Number(values[1]), Number(values[2]),
               ratio == 0 ? "-" : fmt::format("{:.2f}", ratio), target, verdict);
  }
  std::fflush(stdout);
  return missed;
}

}  // namespace sippar::bench
