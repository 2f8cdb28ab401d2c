// Workload: one benchmark, in which clients (threads) call the store as fast as it answers.
// WorkloadResult: its measurements.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "cli/bench/bench_data.h"
#include "cli/bench/bench_options.h"
#include "cluster/client/client.h"

namespace sippar::cli {

inline constexpr const char* kBenchTable = "bench";

struct Workload {
  enum Kind { kWriteSeq, kWriteRandom, kReadSeq, kReadRandom, kReadMissing, kScan };
  std::string name;
  Kind kind = kWriteSeq;
  uint64_t rows = 0;         // rows of the table, and number of operations
  std::string family = "f";  // "m" is held in memory

  bool writes() const { return kind == kWriteSeq || kind == kWriteRandom; }
};

// The events since the previous sample, which was usually taken a tenth of a second earlier.
struct WorkloadSample {
  double seconds = 0;  // time since the start
  double ops_per_s = 0;
  uint64_t flushes = 0;
  uint64_t compactions = 0;
};

struct WorkloadResult {
  std::string workload;
  uint64_t rows = 0;   // operations done
  uint64_t found = 0;  // rows that reads found
  uint64_t threads = 0;
  bool sync = false;
  double seconds = 0;
  double ops_per_s = 0;
  double p50_us = 0;
  double p99_us = 0;
  double p999_us = 0;
  // CPU time of this process, which does not include a remote server.
  double cpu_us_per_op = 0;
  uint64_t bytes_written = 0;
  std::vector<WorkloadSample> samples;
};

// Called ten times a second with the rows done and the seconds since the start.
using WorkloadProgress = std::function<void(const Workload&, uint64_t done, double seconds)>;

// Returns early, with the measurements so far, if `cancel` is set. The first error ends all
// clients.
[[nodiscard]] StatusOr<WorkloadResult> RunWorkload(
    cluster::Client* client, const Workload& workload, const BenchOptions& options,
    const ValuePool& values, const std::atomic<bool>& cancel, const WorkloadProgress& progress);

}  // namespace sippar::cli
