// Prints a table's schema as the CREATE TABLE statement that makes it again: the content of
// .schema.sql. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "engine/model/schema.h"

namespace sippar::fuse {

// The result ends with a semicolon and a newline. Split points are not part of a schema and are
// left out.
std::string PrintCreateTable(const engine::TableSchema& schema);

}  // namespace sippar::fuse
