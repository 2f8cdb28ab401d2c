// SPDX-License-Identifier: Apache-2.0
#include "cluster/master/act/table_file.h"

#include "cluster/location/table_file.h"
#include "engine/base/coding.h"

namespace sippar::cluster::master {
namespace {

// Flag that, combined with the TableLife, is the first byte of the file of a table that is not
// live. The byte is above every format version, so that a client's decoder does not accept the file
// as a table.
constexpr char kNotLive = '\x80';

}  // namespace

std::string EncodeTableFile(const TableFile& file) {
  std::string out;
  if (file.life != TableLife::kLive) {
    out.push_back(static_cast<char>(kNotLive | static_cast<char>(file.life)));
  }
  if (file.life == TableLife::kKept) engine::PutSigned(&out, file.kept_until_us);
  return out + cluster::EncodeTableFile(file.table);
}

StatusOr<TableFile> DecodeTableFile(std::string_view bytes) {
  TableFile file;
  if (!bytes.empty() && (bytes.front() & kNotLive) != 0) {
    int life = bytes.front() & ~kNotLive;
    if (life != static_cast<int>(TableLife::kCreating) &&
        life != static_cast<int>(TableLife::kDropping) &&
        life != static_cast<int>(TableLife::kKept)) {
      return DataLoss("table file: the state of the table is unknown; put it back from a copy");
    }
    file.life = static_cast<TableLife>(life);
    bytes.remove_prefix(1);
  }
  if (file.life == TableLife::kKept) {
    engine::Reader reader(bytes);
    file.kept_until_us = reader.Signed();
    if (!reader.ok())
      return DataLoss(
          "table file: the time until which the table is kept is missing; put it back from a copy");
    bytes.remove_prefix(bytes.size() - reader.left());
  }
  ASSIGN_OR_RETURN(file.table, cluster::DecodeTableFile(bytes));
  return file;
}

}  // namespace sippar::cluster::master
