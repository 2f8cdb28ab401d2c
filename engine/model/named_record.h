// Small records that are stored by name next to the tables: instances, clusters, app profiles,
// policies and authorized views of the Cloud Bigtable API. The engine does not interpret them.
// Plain data.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "engine/base/status.h"

namespace sippar::engine {

struct NamedRecord {
  std::string name;
  std::string body;
  uint64_t version = 0;  // 1 when created; each change adds 1

  // kInvalidArgument: the name is empty, or name or body is too large.
  [[nodiscard]] Status Validate() const;
  std::string Encode() const;
  // kDataLoss: the bytes are damaged.
  [[nodiscard]] static StatusOr<NamedRecord> Decode(std::string_view bytes);
  bool operator==(const NamedRecord&) const = default;
};

inline constexpr size_t kRecordNameSizeMax = 1 << 10;
// A record of this size, with its name, fits in a file of the lock service.
inline constexpr size_t kRecordSizeMax = 250 << 10;

// 32 hexadecimal digits, a hash of the name: the name itself may be long and contain slashes, so it
// cannot be a file name.
std::string RecordFileName(std::string_view name);

}  // namespace sippar::engine
