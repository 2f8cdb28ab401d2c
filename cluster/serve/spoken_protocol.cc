// SPDX-License-Identifier: Apache-2.0
#include "cluster/serve/spoken_protocol.h"

#include "cluster/net/first_bytes.h"

namespace sippar::cluster {
namespace {

// The first bytes of a client that knows beforehand that its server speaks HTTP/2 (RFC 9113, 3.4).
constexpr std::string_view kPreface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

// The first bytes of every TLS client: the type of the first record and the first byte of its
// version (RFC 8446, 5.1).
constexpr std::string_view kTlsRecord = "\x16\x03";

}  // namespace

Protocol SpokenProtocol(std::string_view bytes) {
  if (bytes.starts_with(kPreface)) return Protocol::kGrpc;
  if (kPreface.starts_with(bytes)) return Protocol::kNotKnownYet;
  switch (net::LookAtFirstBytes(bytes)) {
    case net::FirstBytes::kHello:
      return Protocol::kWire;
    case net::FirstBytes::kOther:
      return bytes.starts_with(kTlsRecord) ? Protocol::kTls : Protocol::kOther;
    case net::FirstBytes::kTooFew:
      break;
  }
  return Protocol::kNotKnownYet;
}

}  // namespace sippar::cluster
