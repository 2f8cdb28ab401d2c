// Credit of one stream, in bytes: its sender sends only what its reader has room for, so a reader
// that is slow stops the scan, and holds at most a window and one part. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace sippar::net {

inline constexpr uint64_t kStreamWindow = 2 << 20;  // two parts of a scan (1 MiB)

// What a part costs of the credit. An empty one costs, too: it takes room at its reader.
inline uint64_t CostOf(size_t part_bytes) { return part_bytes + 40; }

// The sender's side. A part may be sent while any credit is left, and may overdraw it, so that a
// part larger than the window does not wait for ever.
class SendCredit {
 public:
  explicit SendCredit(uint64_t window) : left_(static_cast<int64_t>(window)) {}
  bool MaySend() const { return left_ > 0; }
  void Sent(uint64_t bytes) { left_ -= static_cast<int64_t>(bytes); }
  // A peer cannot make more of it than a window a frame: sums beyond 2^62 stay there.
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

// The reader's side. Credit goes back in quarters of the window, not part by part.
class ReceiveCredit {
 public:
  explicit ReceiveCredit(uint64_t window) : window_(window) {}
  // False, and nothing was counted: its sender had no credit for it.
  [[nodiscard]] bool Arrived(uint64_t bytes) {
    if (held_ + owed_ >= window_) return false;
    held_ += bytes;
    return true;
  }
  // Its user has taken `bytes`. Returns what to grant now; 0: nothing yet.
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
  uint64_t held_ = 0;  // arrived, and not taken yet
  uint64_t owed_ = 0;  // taken, and not granted again yet
};

}  // namespace sippar::net
