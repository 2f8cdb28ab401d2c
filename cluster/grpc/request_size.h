// The size limits of requests. gRPC has only one limit per port. It is kRequestSizeMax, because a
// request with cell values must hold the largest mutation: a client may send a value of 100 MiB in
// one message. All other requests are limited here to gRPC's usual 4 MiB.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>
#include <google/protobuf/message.h>
#include <malloc.h>

#include "engine/base/limits.h"
#include "engine/base/status.h"

namespace sippar::cluster {

// The largest mutation, and 1 MiB for the rest of the message.
inline constexpr int kRequestSizeMax = static_cast<int>(limits::kMutationSizeMax) + (1 << 20);
inline constexpr size_t kPlainRequestSizeMax = 4 << 20;

// Checks a request that carries no cell values. kResourceExhausted: it is too large.
[[nodiscard]] inline Status CheckPlainSize(const google::protobuf::Message& request) {
  size_t size = request.ByteSizeLong();
  if (size <= kPlainRequestSizeMax) return OkStatus();
  return ResourceExhausted(fmt::format("{} has {} bytes; the limit is {}",
                                       request.GetDescriptor()->name(), size,
                                       kPlainRequestSizeMax));
}

// Returns the memory of a large request's network buffers to the system. Such a request arrives in
// thousands of small buffers. They are free when its handler begins, but malloc would keep them, so
// the process would hold the value's size once more while it is written, and after it.
inline void GiveBackPieces(const google::protobuf::Message& request) {
  constexpr size_t kLarge = 8 << 20;
  if (request.ByteSizeLong() >= kLarge) malloc_trim(0);
}

}  // namespace sippar::cluster
