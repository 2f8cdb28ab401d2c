// Rejects every operation that would change the tree with EROFS. The "ro" mount flag makes the
// kernel reject most of them already, but a remount can remove that flag.
// SPDX-License-Identifier: Apache-2.0
#include "fuse/kernel/request.h"

namespace sippar::fuse {
namespace {

template <typename... Arguments>
void Refuse(fuse_req_t raw, Arguments...) {
  fuse_reply_err(raw, EROFS);
}

}  // namespace

void FillWriteOperations(fuse_lowlevel_ops* operations) {
  operations->setattr = Refuse;
  operations->mknod = Refuse;
  operations->mkdir = Refuse;
  operations->unlink = Refuse;
  operations->rmdir = Refuse;
  operations->symlink = Refuse;
  operations->rename = Refuse;
  operations->link = Refuse;
  operations->write = Refuse;
  operations->create = Refuse;
  operations->setxattr = Refuse;
  operations->removexattr = Refuse;
  operations->fallocate = Refuse;
}

}  // namespace sippar::fuse
