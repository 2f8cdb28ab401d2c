// A table's file in the lock service (lock_paths::Table): its id, name and schema. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "cluster/api/control_api.h"

namespace sippar::cluster {

std::string EncodeTableFile(const TableRecord& table);
// kDataLoss: damaged; kFailedPrecondition: written in a newer format.
[[nodiscard]] StatusOr<TableRecord> DecodeTableFile(std::string_view content);

}  // namespace sippar::cluster
