// Cells of aggregate families: one accumulator per column and time, which inputs and the states of
// other cells go into. A cell holds the state, so merging the cells of two tables is adding all
// that was added to either. Pure. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "engine/base/status.h"
#include "engine/model/mutation.h"
#include "engine/model/schema.h"

namespace sippar::engine {

// Is `addition` (kAdd, kMerge) an input or a state that the family takes? kInvalidArgument.
[[nodiscard]] Status ValidateAddition(const FamilySchema& family, const MutationEntry& addition);

// What `addition` makes of `state` ("": there was no cell). Sums wrap. Requires: ValidateAddition
// is OK. kFailedPrecondition: `state` is not one of the type.
[[nodiscard]] Status AddToState(FamilyType type, const MutationEntry& addition, std::string* state);

}  // namespace sippar::engine
