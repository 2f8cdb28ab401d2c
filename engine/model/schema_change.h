// Which changes of a table's schema are allowed, below every API: shell, Cloud Bigtable API and
// master ask here. Pure. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/status.h"
#include "engine/model/schema.h"

namespace sippar::engine {

bool IsProtected(const TableSchema& schema);  // DELETION_PROTECTION
// kFailedPrecondition: the table is protected.
[[nodiscard]] Status CheckDrop(const TableSchema& schema);
// kFailedPrecondition: a family of a protected table would lose its cells; cells that are stored
// would not fit a family's new type or the table's new granularity.
[[nodiscard]] Status CheckAlter(const TableSchema& before, const TableSchema& after);
// A family that both have begins empty in the second.
bool MakesFamilyAnew(const TableSchema& before, const TableSchema& after);

}  // namespace sippar::engine
