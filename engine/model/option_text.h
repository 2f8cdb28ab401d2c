// The options of a table as CREATE TABLE has them behind WITH. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "engine/model/schema.h"

namespace sippar::engine {

// By name. Options that are no words of the language, as those of the Cloud Bigtable API alone, are
// left out.
std::map<std::string, std::string> OptionTexts(const TableSchema& schema);

}  // namespace sippar::engine
