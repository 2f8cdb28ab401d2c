// Prefixes of row keys, for completion.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "query/query.h"

namespace sippar::cli {

// Prefixes of the row keys of `table` that begin with `prefix`. Each key is cut after the first
// separator (such as . / : #) that follows `prefix`, so that a table of millions of rows shows its
// structure. Each prefix costs one small read, of which at most `reads_max` are made. Leaves out
// keys that are not text; their reads count, too, since completion may not take long in a table of
// such keys.
std::vector<std::string> RowKeyPrefixes(query::Session* session, const std::string& table,
                                        const std::string& prefix, size_t reads_max);

// True if `name` ends with a separator (such as . / : #).
bool EndsPart(const std::string& name);

}  // namespace sippar::cli
