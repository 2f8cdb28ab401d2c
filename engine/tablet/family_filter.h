// Wraps an entry source and leaves out the families that do not belong to a locality group. Input
// of a settling compaction (family_moves.h).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <set>
#include <string>

#include "engine/model/cell_iterator.h"

namespace sippar::engine {

// Keeps the cells and tombstones of `families`, and all row tombstones. `families` outlives the
// iterator.
std::unique_ptr<EntryIterator> NewFamilyFilter(std::unique_ptr<EntryIterator> input,
                                               const std::set<std::string>* families);

}  // namespace sippar::engine
