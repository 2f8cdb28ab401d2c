// Small facts that are kept by name beside the tables: app profiles, policies, views of the Cloud
// Bigtable API. The engine knows nothing of what is in them. Plain data.
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
  uint64_t version = 0;  // 1 when it is made, one more at each change

  // kInvalidArgument: empty or too large.
  [[nodiscard]] Status Validate() const;
  std::string Encode() const;
  // kDataLoss.
  [[nodiscard]] static StatusOr<NamedRecord> Decode(std::string_view bytes);
  bool operator==(const NamedRecord&) const = default;
};

inline constexpr size_t kRecordNameSizeMax = 1 << 10;
inline constexpr size_t kRecordSizeMax = 250 << 10;  // with its name a file of the lock service

// 32 hexadecimal digits made of the name, which is not one of a file: it may be long, and has
// slashes.
std::string RecordFileName(std::string_view name);

}  // namespace sippar::engine
