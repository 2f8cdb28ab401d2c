// BenchOptions: the command line of `sippar bench`.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "cluster/node/open_client.h"

namespace sippar::cli {

struct BenchOptions {
  std::string directory;
  std::string workload;
  uint64_t rows = 100'000;
  uint64_t value_size = 1000;
  uint64_t threads = 1;
  uint64_t batch = 1;  // rows per write call
  uint64_t seed = 1;
  bool sync = true;
  std::string compression = "fast";
  std::string format = "table";
  std::string chart;  // path; "": no chart
  cluster::Patience patience;
};

// Returns std::nullopt after it has printed help or an error, and sets *exit_code accordingly.
std::optional<BenchOptions> ParseBenchOptions(int argc, char** argv, int* exit_code);

}  // namespace sippar::cli
