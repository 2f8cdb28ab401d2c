// Cells of aggregate families. Such a cell, one per column and time, holds the state of an
// accumulator, which combines inputs and the states of other cells. So merging the cells of two
// tables gives the same result as adding all inputs of both. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "engine/base/status.h"
#include "engine/model/mutation.h"
#include "engine/model/schema.h"

namespace sippar::engine {

// OK if `addition` (kAdd, kMerge) is an input or a state that the family accepts, else
// kInvalidArgument.
[[nodiscard]] Status ValidateAddition(const FamilySchema& family, const MutationEntry& addition);

// Combines `addition` into `state` ("": there was no cell). Sums wrap around. Requires that
// ValidateAddition is OK. kFailedPrecondition: `state` is not a state of this type.
[[nodiscard]] Status AddToState(FamilyType type, const MutationEntry& addition, std::string* state);

}  // namespace sippar::engine
