// A table's file in the lock service (tables/<table id>): schema and life. Bytes: varint format
// version 1, life, table id, schema version, signed time of the last change, schema.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "cluster/master/master_event.h"

namespace sippar::cluster::master {

std::string EncodeTableFile(const TableFile& file);
// The version is the lock service's. kDataLoss.
[[nodiscard]] StatusOr<TableFile> DecodeTableFile(std::string_view bytes);

}  // namespace sippar::cluster::master
