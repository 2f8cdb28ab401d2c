// The bytes of frames as a connection sends them, for tests that act as one end of a connection.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "cluster/net/send_queue.h"

namespace sippar::net {

inline std::string Encoded(std::vector<Frame> frames) {
  FrameWriter writer;
  std::vector<std::string> chunks;
  writer.Append(std::move(frames), 0, &chunks);
  std::string all;
  for (const std::string& chunk : chunks) all += chunk;
  return all;
}

}  // namespace sippar::net
