// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unistd.h>

namespace sippar::net {

// Owns a file descriptor, and closes it when destroyed. A negative number means that it owns none.
class Fd {
 public:
  explicit Fd(int fd) : fd_(fd) {}
  ~Fd() {
    if (fd_ >= 0) ::close(fd_);
  }
  Fd(const Fd&) = delete;
  Fd& operator=(const Fd&) = delete;
  int get() const { return fd_; }

 private:
  const int fd_;
};

}  // namespace sippar::net
