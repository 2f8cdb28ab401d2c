// Request: one kernel request that is answered exactly once, with EIO when nobody did. Carries the
// deadline and the cancel flag of the call; an interrupt of a request that has already run a while
// sets the flag (runtimes such as Go's send signals all the time, and short work is done sooner
// than repeated). Used by the dispatch files only. SPDX-License-Identifier: Apache-2.0
#pragma once

#define FUSE_USE_VERSION 314
#include <fuse_lowlevel.h>

#include <string_view>

#include "fuse/kernel/dispatch.h"

namespace sippar::fuse {

class Request {
 public:
  // `cancel` null: a flag of its own.
  Request(fuse_req_t request, std::string_view operation, int64_t timeout_us = 0,
          cluster::CancelFlag cancel = nullptr);
  ~Request();
  Request(const Request&) = delete;
  Request& operator=(const Request&) = delete;

  Dispatch* dispatch() const { return dispatch_; }
  fuse_req_t raw() const { return request_; }
  const cluster::CallOptions& call() const { return call_; }
  int64_t ElapsedUs() const;

  // The inode, or ESTALE already answered.
  std::optional<InodeTable::Inode> Find(fuse_ino_t node_id);

  // Answers. Those that return bool: false when the kernel no longer wanted it.
  void ReplyError(int error);
  void ReplyStatus(const Status& status);  // Requires: !status.ok()
  bool ReplyEntry(const fuse_entry_param& entry);
  void ReplyAttributes(const struct stat& attributes, double seconds);
  bool ReplyOpen(const fuse_file_info& info);
  bool ReplyBytes(std::string_view bytes);
  void ReplyText(const std::string& text);  // of a symlink
  void ReplySize(size_t size);              // of an extended attribute
  void ReplyStatfs(const struct statvfs& usage);

 private:
  static void OnInterrupt(fuse_req_t request, void* data);
  void EndInterrupts();

  const fuse_req_t request_;
  Dispatch* const dispatch_;
  const std::string_view operation_;
  const int64_t started_at_ns_;
  cluster::CallOptions call_;
  bool is_answered_ = false;
};

// Runs `body` with a Request; no exception of a library crosses into libfuse.
template <typename Body>
void Answer(Request* request, Body body) {
  try {
    body();
  } catch (const std::bad_alloc&) {
    request->ReplyError(ENOMEM);
  } catch (...) {
    request->ReplyError(EIO);
  }
}

// The callbacks, by file.
void FillLookupOperations(fuse_lowlevel_ops* operations);     // dispatch_lookup.cc
void FillDirectoryOperations(fuse_lowlevel_ops* operations);  // dispatch_directory.cc
void FillFileOperations(fuse_lowlevel_ops* operations);       // dispatch_file.cc
void FillWriteOperations(fuse_lowlevel_ops* operations);      // dispatch_write.cc

}  // namespace sippar::fuse
