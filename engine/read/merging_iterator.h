// Merges ordered sources into one ascending source, with a binary heap, as there are only about a
// dozen sources. Used by every read and compaction. Not thread safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "engine/model/cell_iterator.h"

namespace sippar::engine {

// A single source is returned unchanged. An error of any source ends the merge and becomes its
// status().
std::unique_ptr<EntryIterator> NewMergingIterator(
    std::vector<std::unique_ptr<EntryIterator>> sources);

}  // namespace sippar::engine
