// SPDX-License-Identifier: Apache-2.0
#include "cluster/bigtable/client_features.h"

#include <cstdint>
#include <string>

namespace sippar::cluster {
namespace {

// Returns the six bits that a character of either base64 alphabet stands for. -1: the character is
// in neither alphabet.
int SextetOf(char c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  if (c == '-' || c == '+') return 62;
  return c == '_' || c == '/' ? 63 : -1;
}

}  // namespace

google::bigtable::v2::FeatureFlags ClientFeatures(std::string_view header) {
  std::string bytes;
  uint32_t bits = 0;
  int count = 0;
  for (char c : header) {
    int sextet = SextetOf(c);
    if (sextet < 0) break;  // padding or an invalid character, at which decoding stops
    bits = bits << 6 | static_cast<uint32_t>(sextet);
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes.push_back(static_cast<char>(bits >> count & 0xff));
  }
  google::bigtable::v2::FeatureFlags flags;
  if (!flags.ParseFromString(bytes)) flags.Clear();
  return flags;
}

}  // namespace sippar::cluster
