// Merges ordered sources into one, ascending (a loser-free binary heap over 1..~12 sources). Used
// by every read and compaction. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "engine/model/cell_iterator.h"

namespace sippar::engine {

// One source is returned as it is. An error of any source ends the merge and is its status().
std::unique_ptr<EntryIterator> NewMergingIterator(
    std::vector<std::unique_ptr<EntryIterator>> sources);

}  // namespace sippar::engine
