// The frames that wait to be written to a connection. One thread takes many of them and writes them
// together. Until then a request can be withdrawn, and its call was then certainly not sent. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "cluster/net/frame.h"

namespace sippar::net {

class SendQueue {
 public:
  void Push(Frame frame) {
    bytes_ += kFrameHeaderSize + frame.body.size();
    frames_.push_back(std::move(frame));
  }
  // Removes the request of `call`. False: it is not in the queue.
  bool Withdraw(uint64_t call);
  // Removes the first frames, in order, until they have `bytes_max` bytes or more.
  std::vector<Frame> Take(size_t bytes_max = SIZE_MAX);
  bool empty() const { return frames_.empty(); }
  size_t bytes() const { return bytes_; }

 private:
  std::deque<Frame> frames_;
  size_t bytes_ = 0;
};

// Encodes the frames of one direction as chunks of bytes. Small frames share a chunk, so that one
// write carries them; a large body is a chunk of its own and is not copied.
class FrameWriter {
 public:
  void Append(std::vector<Frame> frames, int64_t now_nanos, std::vector<std::string>* chunks);

 private:
  uint64_t number_ = 0;  // number of the next frame
};

}  // namespace sippar::net
