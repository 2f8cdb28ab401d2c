// SPDX-License-Identifier: Apache-2.0
#include "cluster/wire/stream_messages.h"

#include <utility>

namespace sippar::cluster {

std::string EncodePart(Part part) {
  part.bytes.push_back(part.is_marked ? 1 : 0);
  return std::move(part.bytes);
}

StatusOr<Part> DecodePart(std::string bytes) {
  if (bytes.empty() || static_cast<unsigned char>(bytes.back()) > 1) {
    return Internal(
        "the server's answer cannot be decoded (part of a stream); use the same version of sippar "
        "for server and client");
  }
  Part part{std::move(bytes), false};
  part.is_marked = part.bytes.back() != 0;
  part.bytes.pop_back();
  return part;
}

}  // namespace sippar::cluster
