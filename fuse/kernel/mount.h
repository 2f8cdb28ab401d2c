// Mount: a tree attached to a mount point, served until it is unmounted or stopped. Only this class
// makes, serves and ends libfuse's session. Used by serve_mount and by tests. Times are in
// microseconds; limits without a comment are explained in dispatch.h and tree_context.h.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "cluster/client/client.h"
#include "fuse/tree/answers.h"

namespace sippar::fuse {

struct MountOptions {
  std::string mount_point;
  std::string source;        // the store, as mount(8) and findmnt show it
  bool allow_other = false;  // lets in all users, not only the user who mounts
  bool auto_unmount = true;  // if this process is killed, fusermount3 unmounts
  int64_t timeout_us = 10'000'000;
  int64_t listing_timeout_us = 30'000'000;
  int64_t name_age_us_max = 1'000'000;
  bool follows_changes = false;  // --follow: change_notifier.h
  uint64_t nodes_max = 1'000'000;
  uint64_t value_memory_bytes = 256 << 20;
  uint32_t uid = 0;
  uint32_t gid = 0;
  uint32_t mode_mask = 0;
  int64_t query_timeout_us = 300'000'000;  // time limit for making the text of a generated file
  // Makes the object that answers questions in the query language (answers.h). If it is empty, the
  // directories that need such answers do not exist.
  std::function<std::unique_ptr<Answers>(cluster::Client*)> make_answers;
  // Runs on another thread when the kernel has sent its first request.
  std::function<void()> on_ready;
};

class Mount {
 public:
  // Mounts the file system. `client` must outlive the object. Errors: kFailedPrecondition,
  // kPermissionDenied and kInternal; if libfuse has failed, the error contains libfuse's message.
  [[nodiscard]] static StatusOr<std::unique_ptr<Mount>> Attach(cluster::Client* client,
                                                               const MountOptions& options);
  virtual ~Mount() = default;
  // Answers the kernel on several threads until the file system is unmounted or Stop was called.
  // Then unmounts. A busy mount is detached lazily: it leaves the directory tree at once and ends
  // when the last open file is closed. Call once.
  [[nodiscard]] virtual Status Serve() = 0;
  // Ends Serve. May be called from any thread at any time after Attach. Returns when Serve has left
  // its loop.
  virtual void Stop() = 0;
  virtual std::string Counters() = 0;
};

}  // namespace sippar::fuse
