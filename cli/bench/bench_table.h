// The one table a benchmark works on. Beside its rows it has a row `about` that says what they are,
// so that a later read workload knows whether they serve it. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "cli/bench/bench_options.h"
#include "cluster/client/client.h"

namespace sippar::cli {

// kFailedPrecondition when the store holds anything that no benchmark made.
[[nodiscard]] Status CheckOnlyBenchTable(cluster::Client* client);
// The rows that a complete fill with these options left; 0: none, or others.
[[nodiscard]] StatusOr<uint64_t> FilledRows(cluster::Client* client, const BenchOptions& options);
// A fresh, empty table in the place of an older one.
[[nodiscard]] Status MakeBenchTable(cluster::Client* client, const BenchOptions& options);
// Notes that rows 0 .. `rows` were filled (not all of them, when at random).
[[nodiscard]] Status NoteFilled(cluster::Client* client, const BenchOptions& options,
                                uint64_t rows);

}  // namespace sippar::cli
