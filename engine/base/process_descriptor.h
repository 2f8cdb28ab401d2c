// A descriptor of a process: it keeps meaning that process after its pid is used again. Linux 5.3.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <poll.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

namespace sippar::engine {

// The system calls are made by number, because glibc 2.36 declares their wrappers only for C.
class ProcessDescriptor {
 public:
  explicit ProcessDescriptor(pid_t pid)
      : fd_(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0))) {}
  ~ProcessDescriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  ProcessDescriptor(const ProcessDescriptor&) = delete;
  ProcessDescriptor& operator=(const ProcessDescriptor&) = delete;
  bool is_open() const { return fd_ >= 0; }  // false: errno says why
  // False: the process has ended, or may not be signalled; errno says which.
  bool Signal(int number) const {
    return ::syscall(SYS_pidfd_send_signal, fd_, number, nullptr, 0) == 0;
  }
  // Waits until the last thread of the process has ended, by which time the process holds no file,
  // port or lock any more. False: it still runs after `timeout_ms`, or a signal ended the wait.
  bool AwaitEnd(int timeout_ms) const {
    pollfd ended{fd_, POLLIN, 0};
    return ::poll(&ended, 1, timeout_ms) == 1;
  }

 private:
  const int fd_;
};

}  // namespace sippar::engine
