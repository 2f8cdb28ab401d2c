// How large requests may be. Those that carry values of cells have to fit the largest mutation (a
// value of 100 MiB is legal in every client, which sends it as one message), and that is what gRPC
// is told for the port. All others are refused above gRPC's usual 4 MiB.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>
#include <google/protobuf/message.h>
#include <malloc.h>

#include "engine/base/limits.h"
#include "engine/base/status.h"

namespace sippar::cluster {

// A row's mutation and what wraps it.
inline constexpr int kRequestSizeMax = static_cast<int>(limits::kMutationSizeMax) + (1 << 20);
inline constexpr size_t kPlainRequestSizeMax = 4 << 20;

// Of a request without values of cells.
[[nodiscard]] inline Status CheckPlainSize(const google::protobuf::Message& request) {
  size_t size = request.ByteSizeLong();
  if (size <= kPlainRequestSizeMax) return OkStatus();
  return ResourceExhausted(fmt::format("{} has {} bytes; the limit is {}",
                                       request.GetDescriptor()->name(), size,
                                       kPlainRequestSizeMax));
}

// A large request came in thousands of pieces. They are free when its handler begins, but malloc
// keeps them, as small as they are: a fourth time the value while it is written, and afterwards.
inline void GiveBackPieces(const google::protobuf::Message& request) {
  constexpr size_t kLarge = 8 << 20;
  if (request.ByteSizeLong() >= kLarge) malloc_trim(0);
}

}  // namespace sippar::cluster
