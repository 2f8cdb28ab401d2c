// A table's file in the lock service (tables/<table id>), as location/table_file.h has it; while
// the table is made (0x80) or dropped (0x82), or kept after a drop (0x83, then until when), such a
// byte stands before it, and clients see no table. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "cluster/master/decide/master_event.h"

namespace sippar::cluster::master {

std::string EncodeTableFile(const TableFile& file);
// The version is the lock service's. kDataLoss.
[[nodiscard]] StatusOr<TableFile> DecodeTableFile(std::string_view bytes);

}  // namespace sippar::cluster::master
