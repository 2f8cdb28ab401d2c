// Holds the callbacks open, read and release. An open file is either one version of a cell or one
// text of a control file, so that all reads of a handle return the same bytes, or the text of a
// generated file, which is read in order.
// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>

#include <algorithm>

#include "fuse/kernel/request.h"

namespace sippar::fuse {
namespace {

OpenFile* FileOf(const fuse_file_info* info) { return reinterpret_cast<OpenFile*>(info->fh); }

Status Open(Request* request, const InodeTable::Inode& inode, OpenFile* file) {
  TreeView* tree = request->dispatch()->tree();
  if (inode.node.kind == NodeKind::kGenerated) {
    ASSIGN_OR_RETURN(file->stream, tree->OpenGenerated(inode.node, request->call()));
  } else {
    ASSIGN_OR_RETURN(file->value, tree->OpenFile(inode.node, inode.attributes, request->call()));
  }
  return OkStatus();
}

void OnOpen(fuse_req_t raw, fuse_ino_t node_id, fuse_file_info* info) {
  Request request(raw, "open");
  Answer(&request, [&] {
    // With default_permissions root may still open for writing, so the flags are checked here, too.
    if ((info->flags & O_ACCMODE) != O_RDONLY || (info->flags & O_TRUNC) != 0) {
      return request.ReplyError(EROFS);
    }
    auto inode = request.Find(node_id);
    if (!inode.has_value()) return;
    OpenFile file;
    Status status = Open(&request, *inode, &file);
    if (!status.ok()) return request.ReplyStatus(status);
    // The size of a generated file is unknown and shown as 0. direct_io makes the kernel ask for
    // its bytes all the same. The bytes of any other inode never change, so the kernel may cache
    // them.
    info->direct_io = file.stream != nullptr;
    info->keep_cache = file.stream == nullptr;
    info->noflush = 1;
    info->fh = request.dispatch()->AddFile(std::move(file));
    if (!request.ReplyOpen(*info)) request.dispatch()->Release(FileOf(info));
  });
}

void OnRead(fuse_req_t raw, fuse_ino_t, size_t size, off_t offset, fuse_file_info* info) {
  Request request(raw, "read");
  Answer(&request, [&] {
    if (offset < 0) return request.ReplyError(EINVAL);
    OpenFile* file = request.dispatch()->FileOf(info->fh);
    if (file->stream != nullptr) {
      auto text = file->stream->Read(static_cast<uint64_t>(offset), size, request.call());
      if (!text.ok()) return request.ReplyStatus(text.status());
      request.ReplyBytes(*text);
      return;
    }
    // A read at or after the end returns no bytes, which is end of file.
    auto bytes = request.dispatch()->tree()->ReadFile(
        file->value.get(), static_cast<uint64_t>(offset), size, request.call());
    if (!bytes.ok()) return request.ReplyStatus(bytes.status());
    request.ReplyBytes(bytes->view);
  });
}

void OnRelease(fuse_req_t raw, fuse_ino_t, fuse_file_info* info) {
  Request request(raw, "release");
  request.dispatch()->Release(FileOf(info));
  request.ReplyError(0);
}

}  // namespace

void FillFileOperations(fuse_lowlevel_ops* operations) {
  operations->open = OnOpen;
  operations->read = OnRead;
  operations->release = OnRelease;
}

}  // namespace sippar::fuse
