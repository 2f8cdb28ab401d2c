// Limits the number of calls in flight and the sum of their bytes. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace sippar::net {

class Admission {
 public:
  Admission(size_t calls_max, size_t bytes_max) : calls_max_(calls_max), bytes_max_(bytes_max) {}
  // False: a bound is reached, and nothing was counted. A lone call is admitted whatever its size.
  [[nodiscard]] bool Enter(size_t bytes) {
    if (calls_ >= calls_max_) return false;
    if (calls_ > 0 && (bytes > bytes_max_ || bytes_ > bytes_max_ - bytes)) return false;
    ++calls_;
    bytes_ += bytes;
    return true;
  }
  void Leave(size_t bytes) {
    --calls_;
    bytes_ -= bytes;
  }
  size_t calls() const { return calls_; }
  size_t bytes() const { return bytes_; }

 private:
  const size_t calls_max_, bytes_max_;
  size_t calls_ = 0, bytes_ = 0;
};

}  // namespace sippar::net
