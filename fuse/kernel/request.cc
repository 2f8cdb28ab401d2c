// SPDX-License-Identifier: Apache-2.0
#include "fuse/kernel/request.h"

#include "fuse/kernel/errno_map.h"

namespace sippar::fuse {
namespace {

constexpr int64_t kInterruptAfterUs = 100'000;

}  // namespace

Request::Request(fuse_req_t request, std::string_view operation, int64_t timeout_us,
                 cluster::CancelFlag cancel)
    : request_(request),
      dispatch_(static_cast<Dispatch*>(fuse_req_userdata(request))),
      operation_(operation),
      started_at_ns_(dispatch_->clock()->MonotonicNanos()) {
  call_.timeout_us = timeout_us > 0 ? timeout_us : dispatch_->options().timeout_us;
  call_.cancel = cancel != nullptr ? std::move(cancel) : std::make_shared<std::atomic<bool>>(false);
  fuse_req_interrupt_func(request_, &Request::OnInterrupt, this);
}

Request::~Request() {
  if (!is_answered_) ReplyError(EIO);
}

int64_t Request::ElapsedUs() const {
  return (dispatch_->clock()->MonotonicNanos() - started_at_ns_) / 1000;
}

void Request::OnInterrupt(fuse_req_t, void* data) {
  auto* self = static_cast<Request*>(data);
  if (self->ElapsedUs() >= kInterruptAfterUs) self->call_.cancel->store(true);
}

// Called before each reply. libfuse holds the request's lock while it runs the interrupt callback
// and takes the same lock here. After this call the callback neither runs nor will run, so the
// Request may be destroyed.
void Request::EndInterrupts() {
  fuse_req_interrupt_func(request_, nullptr, nullptr);
  is_answered_ = true;
}

std::optional<InodeTable::Inode> Request::Find(fuse_ino_t node_id) {
  std::optional<InodeTable::Inode> inode = dispatch_->inodes()->Find(node_id);
  if (!inode.has_value()) ReplyError(ESTALE);
  return inode;
}

void Request::ReplyError(int error) {
  if (is_answered_) return;
  EndInterrupts();
  fuse_reply_err(request_, error);
}

void Request::ReplyStatus(const Status& status) {
  int error = ErrnoOf(status);
  if (IsTrouble(error)) {
    dispatch_->log()->Write(operation_, error, std::string(MessageOf(status)), ElapsedUs());
  }
  // A caller must not pass a status without an error. Replying 0 would report success without data,
  // so the reply is EIO.
  ReplyError(error == 0 ? EIO : error);
}

bool Request::ReplyEntry(const fuse_entry_param& entry) {
  EndInterrupts();
  return fuse_reply_entry(request_, &entry) == 0;
}

void Request::ReplyAttributes(const struct stat& attributes, double seconds) {
  EndInterrupts();
  fuse_reply_attr(request_, &attributes, seconds);
}

bool Request::ReplyOpen(const fuse_file_info& info) {
  EndInterrupts();
  return fuse_reply_open(request_, &info) == 0;
}

bool Request::ReplyBytes(std::string_view bytes) {
  EndInterrupts();
  return fuse_reply_buf(request_, bytes.data(), bytes.size()) == 0;
}

void Request::ReplyText(const std::string& text) {
  EndInterrupts();
  fuse_reply_readlink(request_, text.c_str());
}

void Request::ReplySize(size_t size) {
  EndInterrupts();
  fuse_reply_xattr(request_, size);
}

void Request::ReplyStatfs(const struct statvfs& usage) {
  EndInterrupts();
  fuse_reply_statfs(request_, &usage);
}

}  // namespace sippar::fuse
