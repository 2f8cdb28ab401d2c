// Flow control of one stream: the reader grants credit in bytes, and the server sends only while
// credit is left. So a slow reader stops the server's scan, and the buffers hold at most one window
// and one part. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace sippar::net {

inline constexpr uint64_t kStreamWindow = 2 << 20;  // bytes: two parts of a scan, of 1 MiB each

// The credit that a part uses up. An empty part uses some, too, because it takes memory at the
// reader.
inline uint64_t CostOf(size_t part_bytes) { return part_bytes + 40; }

// The sender's side. While any credit is left, a part may be sent even if it costs more than the
// credit; otherwise a part larger than the window would wait for ever.
class SendCredit {
 public:
  explicit SendCredit(uint64_t window) : left_(static_cast<int64_t>(window)) {}
  bool MaySend() const { return left_ > 0; }
  void Sent(uint64_t bytes) { left_ -= static_cast<int64_t>(bytes); }
  // A faulty peer may grant any amount. The sum is limited to 2^62, so it cannot overflow.
  void Granted(uint64_t bytes) {
    constexpr int64_t kMax = int64_t{1} << 62;
    if (bytes >= static_cast<uint64_t>(kMax - (left_ > 0 ? left_ : 0))) {
      left_ = kMax;
    } else {
      left_ += static_cast<int64_t>(bytes);
    }
  }

 private:
  int64_t left_;
};

// The reader's side. It grants credit again when a quarter of the window has been taken or no part
// is left here, and not after each part.
class ReceiveCredit {
 public:
  explicit ReceiveCredit(uint64_t window) : window_(window) {}
  // Counts a part that has arrived. False: the sender had no credit for the part, which is not
  // counted.
  [[nodiscard]] bool Arrived(uint64_t bytes) {
    if (held_ + owed_ >= window_) return false;
    held_ += bytes;
    return true;
  }
  // Counts a part that the user of the stream has taken. Returns the bytes to grant now; 0: it is
  // too early to grant any.
  uint64_t Taken(uint64_t bytes) {
    held_ -= bytes;
    owed_ += bytes;
    if (owed_ < window_ / 4 && held_ > 0) return 0;
    uint64_t granted = owed_;
    owed_ = 0;
    return granted;
  }
  uint64_t held() const { return held_; }

 private:
  const uint64_t window_;
  uint64_t held_ = 0;  // bytes that arrived but are not yet taken
  uint64_t owed_ = 0;  // bytes that are taken but not yet granted again
};

}  // namespace sippar::net
