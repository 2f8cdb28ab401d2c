// Request: one kernel request, answered exactly once: the destructor replies EIO if no other reply
// was sent. Carries the deadline and the cancel flag of the call. An interrupt sets the flag only
// if the request has run for a tenth of a second: runtimes such as Go's send signals all the time,
// and finishing short work is faster than repeating it. Used only by the dispatch files. Not thread
// safe, except for the interrupt.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#define FUSE_USE_VERSION 314
#include <fuse_lowlevel.h>

#include <string_view>

#include "fuse/kernel/dispatch.h"

namespace sippar::fuse {

class Request {
 public:
  // A null `cancel` gives the request its own flag; `timeout_us` 0 means the default timeout.
  Request(fuse_req_t request, std::string_view operation, int64_t timeout_us = 0,
          cluster::CancelFlag cancel = nullptr);
  ~Request();
  Request(const Request&) = delete;
  Request& operator=(const Request&) = delete;

  Dispatch* dispatch() const { return dispatch_; }
  fuse_req_t raw() const { return request_; }
  const cluster::CallOptions& call() const { return call_; }
  int64_t ElapsedUs() const;

  // Returns the inode. If the number is unknown, replies ESTALE and returns std::nullopt.
  std::optional<InodeTable::Inode> Find(fuse_ino_t node_id);

  // These send the reply. Those that return bool return false if the kernel no longer wanted the
  // reply (the request was interrupted); the caller then takes back the references given in it.
  void ReplyError(int error);
  void ReplyStatus(const Status& status);  // Requires: !status.ok()
  bool ReplyEntry(const fuse_entry_param& entry);
  void ReplyAttributes(const struct stat& attributes, double seconds);
  bool ReplyOpen(const fuse_file_info& info);
  bool ReplyBytes(std::string_view bytes);
  void ReplyText(const std::string& text);  // target of a symlink
  void ReplySize(size_t size);              // size of an extended attribute
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

// Runs `body` and replies with an error if it throws: an exception must not reach libfuse, which is
// C code.
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

// Each function sets the callbacks that its file holds.
void FillLookupOperations(fuse_lowlevel_ops* operations);     // dispatch_lookup.cc
void FillDirectoryOperations(fuse_lowlevel_ops* operations);  // dispatch_directory.cc
void FillFileOperations(fuse_lowlevel_ops* operations);       // dispatch_file.cc
void FillWriteOperations(fuse_lowlevel_ops* operations);      // dispatch_write.cc

}  // namespace sippar::fuse
