// The aggregates that Aggregate::New (aggregate.h) does not define itself. `memory` outlives them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "engine/program/aggregate.h"

namespace sippar::engine {

// The error for a partial state of another aggregate.
Status BadPartial();

// SUM, or AVG if `average` is true. aggregate_sum.cc describes its partial state.
std::unique_ptr<Aggregate> NewSum(bool average);
// Its result is an ARRAY of the `parts` + 1 bounds that divide the values into `parts` equal parts.
// Partial state: an encoded QuantileSketch.
std::unique_ptr<Aggregate> NewApproxQuantiles(uint64_t parts, GroupMemory* memory);
// Its result is an ARRAY of MAPs {count, value}: the `count` most frequent values. Partial state:
// an encoded TopValues.
std::unique_ptr<Aggregate> NewApproxTop(uint64_t count, GroupMemory* memory);
// Its result is TEXT or BYTES: the values joined with `separator`. Partial state: the values joined
// so far.
std::unique_ptr<Aggregate> NewStringAgg(std::string separator, GroupMemory* memory);
// Adds each distinct value to the aggregate `of` once, but only the first `limit` distinct values
// (0: all). Partial state: an ARRAY of these values in order of first occurrence. `name` is the
// name of `of` for error messages.
std::unique_ptr<Aggregate> NewDistinct(std::string_view name, std::unique_ptr<Aggregate> of,
                                       uint64_t limit, GroupMemory* memory);

}  // namespace sippar::engine
