// SPDX-License-Identifier: Apache-2.0
#include "engine/model/named_record.h"

#include <fmt/format.h>

#include "engine/base/checksum.h"
#include "engine/base/coding.h"

namespace sippar::engine {

Status NamedRecord::Validate() const {
  if (name.empty() || name.size() > kRecordNameSizeMax) {
    return InvalidArgument(fmt::format("the name of a record has {} bytes; 1 to {} are allowed",
                                       name.size(), kRecordNameSizeMax));
  }
  if (body.size() <= kRecordSizeMax) return OkStatus();
  return InvalidArgument(
      fmt::format("record {} has {} bytes; the limit is {}", name, body.size(), kRecordSizeMax));
}

std::string NamedRecord::Encode() const {
  std::string out;
  PutBytes(&out, name);
  PutVarint(&out, version);
  PutBytes(&out, body);
  return out;
}

StatusOr<NamedRecord> NamedRecord::Decode(std::string_view bytes) {
  Reader reader(bytes);
  NamedRecord record;
  record.name = reader.Bytes();
  record.version = reader.Varint();
  record.body = reader.Bytes();
  if (!reader.AtEnd())
    return DataLoss("the stored record cannot be decoded; put its file back from a copy");
  return record;
}

std::string RecordFileName(std::string_view name) {
  return fmt::format("{:016x}{:016x}", Checksum(name, 1), Checksum(name, 2));
}

}  // namespace sippar::engine
