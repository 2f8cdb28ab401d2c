// Prefixes of row keys, for completion.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "query/query.h"

namespace sippar::cli {

// Prefixes of the row keys of `table` that begin with `prefix`. Each key is cut after the first
// separator (such as . / : #) that follows `prefix`, so that a table of millions of rows shows its
// structure. Returns at most `names_max` prefixes, and each costs one small read. Leaves out keys
// that are not text.
std::vector<std::string> RowKeyPrefixes(query::Session* session, const std::string& table,
                                        const std::string& prefix, size_t names_max);

// True if `name` ends with a separator (such as . / : #).
bool EndsPart(const std::string& name);

}  // namespace sippar::cli
