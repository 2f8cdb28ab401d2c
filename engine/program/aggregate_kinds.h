// The aggregates that Aggregate::New (aggregate.h) does not define itself. `memory` outlives them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "engine/program/aggregate.h"

namespace sippar::engine {

// ARRAY of the parts + 1 bounds of so many equal parts. State: that of a QuantileSketch.
std::unique_ptr<Aggregate> NewApproxQuantiles(uint64_t parts, GroupMemory* memory);
// ARRAY of {value, count} of the `count` most frequent values. State: that of TopValues.
std::unique_ptr<Aggregate> NewApproxTop(uint64_t count, GroupMemory* memory);
// TEXT or BYTES with `separator` between the values. State: the joined values.
std::unique_ptr<Aggregate> NewStringAgg(std::string separator, GroupMemory* memory);
// Adds each distinct value to `of` once. Keeps the first `limit` distinct values; 0: all. State:
// ARRAY of them, in the order of their first occurrence. `name` is that of `of`, for errors.
std::unique_ptr<Aggregate> NewDistinct(std::string_view name, std::unique_ptr<Aggregate> of,
                                       uint64_t limit, GroupMemory* memory);

}  // namespace sippar::engine
