// What a member writes into its file of the lock service: how it is reached. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "engine/base/status.h"

namespace sippar::cluster {

// Text, a line for each field: its key, a blank, its value. A reader passes over keys that it does
// not know, so that a later version can add some.
struct MemberRecord {
  std::string host;  // a name, an address, or "unix:PATH"
  uint16_t port = 0;
  // Of the master's lock, with which the record was written: another holder is reached elsewhere. 0
  // in a server's file, which no other life ever writes.
  uint64_t fence = 0;

  [[nodiscard]] std::string Encode() const;
  // kInvalidArgument: the text names no host, or a number cannot be parsed.
  [[nodiscard]] static StatusOr<MemberRecord> Decode(std::string_view text);
};

}  // namespace sippar::cluster
