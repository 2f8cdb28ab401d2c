// SPDX-License-Identifier: Apache-2.0
#include "fuse/kernel/errno_map.h"

#include <cerrno>

namespace sippar::fuse {

int ErrnoOf(const Status& status) {
  // The cause is tested first, because TooLarge shares its code, kOutOfRange, with other failures.
  // fuse/SEMANTICS.md lists these errors for users and must change with this function.
  if (HasCause(status, Cause::kTooLarge)) return EFBIG;
  switch (status.code()) {
    case StatusCode::kOk:
      return 0;
    case StatusCode::kNotFound:
      return ENOENT;
    case StatusCode::kInvalidArgument:
      return EINVAL;
    case StatusCode::kPermissionDenied:
    case StatusCode::kUnauthenticated:
      return EACCES;
    case StatusCode::kDeadlineExceeded:
      return ETIMEDOUT;
    case StatusCode::kUnavailable:
      return EHOSTDOWN;
    case StatusCode::kCancelled:
      return EINTR;
    case StatusCode::kResourceExhausted:
      return ENOMEM;
    case StatusCode::kFailedPrecondition:
    case StatusCode::kAborted:
      // The cell version that the inode stands for no longer exists.
      return ESTALE;
    case StatusCode::kUnimplemented:
      return EOPNOTSUPP;
    case StatusCode::kOutOfRange:
    case StatusCode::kDataLoss:
    case StatusCode::kAlreadyExists:
    case StatusCode::kInternal:
    case StatusCode::kUnknown:
    default:
      return EIO;
  }
}

bool IsTrouble(int error) {
  switch (error) {
    case 0:
    case ENOENT:
    case ENODATA:
    case ENAMETOOLONG:
    case ERANGE:
    case EROFS:
    case EINTR:
    case ESTALE:
      return false;
    default:
      return true;
  }
}

}  // namespace sippar::fuse
