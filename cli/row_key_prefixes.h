// Beginnings of row keys, for completion. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "query/query.h"

namespace sippar::cli {

// Row keys of `table` that begin with `prefix`, each cut after the first separator (. / : # and the
// like) that follows `prefix`, so that a table of millions of rows shows its structure. At most
// `names_max`, each of which costs one small read. Keys that are not text are left out.
std::vector<std::string> RowKeyPrefixes(query::Session* session, const std::string& table,
                                        const std::string& prefix, size_t names_max);

// True if `name` ends with such a separator.
bool EndsPart(const std::string& name);

}  // namespace sippar::cli
