// A table's file in the lock service (tables/<table id>): the format of location/table_file.h. A
// prefix byte marks a table that is being created (0x80), is being deleted (0x82), or is kept after
// a drop (0x83, followed by the time until which it is kept). Clients do not see such a table.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "cluster/master/decide/master_event.h"

namespace sippar::cluster::master {

std::string EncodeTableFile(const TableFile& file);
// Sets all fields except the version, which the lock service keeps outside of the content.
// kDataLoss: the bytes are damaged; kFailedPrecondition: they have a newer format.
[[nodiscard]] StatusOr<TableFile> DecodeTableFile(std::string_view bytes);

}  // namespace sippar::cluster::master
