// Options that every workload draws from its seed: the table, its rows, the sizes of a store.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "engine/base/random.h"
#include "engine/model/schema.h"
#include "engine/store/store_options.h"

namespace sippar::sim {

engine::TableSchema DrawRowSchema(engine::Random* random);
std::vector<std::string> DrawRows(engine::Random* random, size_t least = 3);
std::vector<std::string> DrawSplitKeys(engine::Random* random);
// The sizes are tiny, so that a short history has many flushes, compactions, segments and splits.
engine::StoreOptions DrawStoreOptions(engine::Random* random);
std::string TextOf(const engine::StoreOptions& store);

}  // namespace sippar::sim
