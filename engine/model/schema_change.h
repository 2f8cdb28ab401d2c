// Decides which changes of a table's schema are allowed, for every API: shell, Cloud Bigtable API
// and master call it. Pure. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/status.h"
#include "engine/model/schema.h"

namespace sippar::engine {

bool IsProtected(const TableSchema& schema);  // DELETION_PROTECTION
// kFailedPrecondition: the table is protected.
[[nodiscard]] Status CheckDrop(const TableSchema& schema);
// kFailedPrecondition: a family of a protected table would lose its cells, or stored cells would
// not fit a family's new type or the table's new granularity.
[[nodiscard]] Status CheckAlter(const TableSchema& before, const TableSchema& after);
// True if `after` drops a family of `before` and creates it again, so that it begins empty.
bool MakesFamilyAnew(const TableSchema& before, const TableSchema& after);

}  // namespace sippar::engine
