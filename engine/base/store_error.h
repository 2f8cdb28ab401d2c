// Errors of the store's own files, as writers get them. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "engine/base/status.h"

namespace sippar {

// A writer named rows and no file: kNotFound and kPermissionDenied would look like errors about its
// rows or its rights, so they become kUnavailable. Other statuses stay.
inline Status AsStoreError(const Status& status) {
  const bool misleads =
      status.code() == StatusCode::kNotFound || status.code() == StatusCode::kPermissionDenied;
  return misleads ? Unavailable(std::string(MessageOf(status))) : status;
}

}  // namespace sippar
