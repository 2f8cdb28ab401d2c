// Mount: a tree attached to a mount point and served until it is unmounted or told to stop. The
// only class that knows libfuse's session. Used by serve_mount and by tests.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "cluster/client/client.h"

namespace sippar::fuse {

struct MountOptions {
  std::string mount_point;
  std::string source;        // shown by mount(8) and findmnt: the store
  bool allow_other = false;  // users other than the mounting one
  bool auto_unmount = true;  // a helper process unmounts when this one is killed
  int64_t timeout_us = 10'000'000;
  int64_t listing_timeout_us = 30'000'000;
  int64_t name_age_us_max = 1'000'000;
  uint64_t nodes_max = 1'000'000;
  uint64_t value_memory_bytes = 256 << 20;
  uint32_t uid = 0;
  uint32_t gid = 0;
  uint32_t mode_mask = 0;
  std::function<void()> on_ready;  // on another thread, when the kernel has said hello
};

class Mount {
 public:
  // Mounts. `client` must outlive the object. kFailedPrecondition, kPermissionDenied, with
  // libfuse's own words.
  [[nodiscard]] static StatusOr<std::unique_ptr<Mount>> Attach(cluster::Client* client,
                                                               const MountOptions& options);
  virtual ~Mount() = default;
  // Answers the kernel on several threads until the file system is unmounted or Stop was called;
  // then unmounts, lazily when it is busy. Call once.
  [[nodiscard]] virtual Status Serve() = 0;
  // Ends Serve; from any thread, at any time after Attach. Returns when Serve is ending.
  virtual void Stop() = 0;
  virtual std::string Counters() = 0;
};

}  // namespace sippar::fuse
