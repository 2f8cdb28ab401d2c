// What the code of an error tells about the outcome of a call.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/status.h"

namespace sippar::cluster {

// True for a call with an unknown outcome: it may have been carried out already, or may be carried
// out later. Checks only the status code, because a kUnavailable that the server itself sent does
// not show the outcome, either.
inline bool LacksOutcome(const Status& status) {
  return status.code() == StatusCode::kUnavailable ||
         status.code() == StatusCode::kDeadlineExceeded || status.code() == StatusCode::kCancelled;
}

}  // namespace sippar::cluster
