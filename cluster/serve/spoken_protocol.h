// Recognizes the protocol that a caller speaks by the first bytes that it sends. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace sippar::cluster {

enum class Protocol : uint8_t {
  kNotKnownYet,  // the bytes so far do not show the protocol
  kGrpc,         // the Cloud Bigtable API
  kWire,         // cluster/net: another process of this program
  kTls,          // TLS, with any protocol inside it
  kOther,
};

// This many bytes are always enough to recognize the protocol.
inline constexpr size_t kFirstBytesMax = 64;

// `bytes`: all bytes that have come so far.
Protocol SpokenProtocol(std::string_view bytes);

}  // namespace sippar::cluster
