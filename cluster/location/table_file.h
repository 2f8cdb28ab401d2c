// A table's file in the lock service (lock_paths::Table): its id, name and schema. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "cluster/api/control_api.h"

namespace sippar::cluster {

std::string EncodeTableFile(const TableRecord& table);
// True for the file of a table that clients see. While a table is being created or dropped, or is
// kept after a drop, the master puts a byte of at least 0x80 in front
// (cluster/master/act/table_file.h).
inline bool HoldsLiveTable(std::string_view content) {
  return content.empty() || (static_cast<uint8_t>(content[0]) & 0x80) == 0;
}
// kDataLoss: damaged; kFailedPrecondition: written in a newer format.
[[nodiscard]] StatusOr<TableRecord> DecodeTableFile(std::string_view content);

}  // namespace sippar::cluster
