// A table's file in the lock service (lock_paths::Table): its id, name and schema. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "cluster/api/control_api.h"

namespace sippar::cluster {

std::string EncodeTableFile(const TableRecord& table);
// The file of a table that clients see. Others have a mark of the master in front
// (cluster/master/act/table_file.h): the table is being created or dropped, or is kept after a
// drop.
inline bool HoldsLiveTable(std::string_view content) {
  return content.empty() || (static_cast<uint8_t>(content[0]) & 0x80) == 0;
}
// kDataLoss: damaged; kFailedPrecondition: written in a newer format.
[[nodiscard]] StatusOr<TableRecord> DecodeTableFile(std::string_view content);

}  // namespace sippar::cluster
