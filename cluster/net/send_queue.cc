// SPDX-License-Identifier: Apache-2.0
#include "cluster/net/send_queue.h"

#include <algorithm>

namespace sippar::net {
namespace {

constexpr size_t kCopiedMax = 16 << 10;  // larger bodies are not copied but written separately
constexpr size_t kChunkMax = 256 << 10;

}  // namespace

bool SendQueue::Withdraw(uint64_t call) {
  for (auto at = frames_.begin(); at != frames_.end(); ++at) {
    if (at->kind != FrameKind::kRequest || at->call != call) continue;
    bytes_ -= kFrameHeaderSize + at->body.size();
    frames_.erase(at);
    return true;
  }
  return false;
}

std::vector<Frame> SendQueue::Take(size_t bytes_max) {
  std::vector<Frame> taken;
  taken.reserve(frames_.size());
  for (size_t bytes = 0; bytes < bytes_max && !frames_.empty(); frames_.pop_front()) {
    bytes += kFrameHeaderSize + frames_.front().body.size();
    taken.push_back(std::move(frames_.front()));
    bytes_ -= kFrameHeaderSize + taken.back().body.size();
  }
  return taken;
}

void FrameWriter::Append(std::vector<Frame> frames, int64_t now_nanos,
                         std::vector<std::string>* chunks) {
  size_t left = 0;  // bytes of headers and small bodies that are not appended yet
  for (const Frame& frame : frames) {
    left += kFrameHeaderSize + (frame.body.size() <= kCopiedMax ? frame.body.size() : 0);
  }
  bool is_open = false;  // frames may be appended to the last chunk
  for (Frame& frame : frames) {
    if (!is_open || chunks->back().size() > kChunkMax) {
      chunks->emplace_back().reserve(std::min(left, kChunkMax + kCopiedMax + kFrameHeaderSize));
    }
    std::string* chunk = &chunks->back();
    if (frame.deadline_nanos != 0) {
      // The time in the queue counts against the deadline. A request whose time is over is sent
      // with 1 us, because 0 would mean that it has no deadline.
      int64_t left_us = (frame.deadline_nanos - now_nanos) / 1000;
      frame.argument = static_cast<uint64_t>(std::max<int64_t>(left_us, 1));
    }
    AppendFrameHeader(frame, number_++, chunk);
    is_open = frame.body.size() <= kCopiedMax;
    left -= kFrameHeaderSize + (is_open ? frame.body.size() : 0);
    if (is_open) {
      chunk->append(frame.body);
    } else {
      chunks->push_back(std::move(frame.body));
    }
  }
}

}  // namespace sippar::net
