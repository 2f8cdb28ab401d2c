// The options of a table as the WITH clause of CREATE TABLE writes them. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "engine/model/schema.h"

namespace sippar::engine {

// Option name -> text. Leaves out options that the query language does not know, such as those that
// only the Cloud Bigtable API has.
std::map<std::string, std::string> OptionTexts(const TableSchema& schema);

}  // namespace sippar::engine
