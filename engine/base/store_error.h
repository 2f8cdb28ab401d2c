// Errors of the store's own files, as the callers of tables get them. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "engine/base/status.h"

namespace sippar {

// For a caller that named a table and not a file: kNotFound and kPermissionDenied would look like
// errors about its table, rows or rights, so they become kUnavailable. Other statuses stay.
inline Status AsStoreError(const Status& status) {
  const bool misleads =
      status.code() == StatusCode::kNotFound || status.code() == StatusCode::kPermissionDenied;
  return misleads ? Unavailable(std::string(MessageOf(status))) : status;
}

}  // namespace sippar
