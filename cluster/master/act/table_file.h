// A table's file in the lock service (tables/<table id>): the format of location/table_file.h,
// preceded by one byte while the table is being created (0x80), is being deleted (0x82), or is kept
// after a drop (0x83, followed by the time until which it is kept). Clients see no table then.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "cluster/master/decide/master_event.h"

namespace sippar::cluster::master {

std::string EncodeTableFile(const TableFile& file);
// Sets all fields but the version, which the lock service keeps beside the content. kDataLoss:
// damaged.
[[nodiscard]] StatusOr<TableFile> DecodeTableFile(std::string_view bytes);

}  // namespace sippar::cluster::master
