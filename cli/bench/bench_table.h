// The table of a benchmark. Besides its rows it has a row `about` that describes them, so that a
// later read workload knows whether it can use them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "cli/bench/bench_options.h"
#include "cluster/client/client.h"

namespace sippar::cli {

// kFailedPrecondition if the store contains a table that no benchmark made: a benchmark drops and
// fills tables.
[[nodiscard]] Status CheckOnlyBenchTable(cluster::Client* client);
// Number of rows that a complete fill has left in the table; 0 if no fill of the table was
// completed, or if the values have another size, kind (half or all random) or compression than
// `options` asks for.
[[nodiscard]] StatusOr<uint64_t> FilledRows(cluster::Client* client, const BenchOptions& options);
// Drops the table if it exists, then creates it without rows.
[[nodiscard]] Status MakeBenchTable(cluster::Client* client, const BenchOptions& options);
// Records a complete fill of rows 0 .. `rows` - 1 (a random fill leaves some of them out).
[[nodiscard]] Status NoteFilled(cluster::Client* client, const BenchOptions& options,
                                uint64_t rows);

}  // namespace sippar::cli
