// The status of an answer that is a Status or a StatusOr, for code that passes on either.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/status.h"

namespace sippar {

inline const Status& StatusIn(const Status& status) { return status; }
template <typename T>
const Status& StatusIn(const StatusOr<T>& answer) {
  return answer.status();
}

}  // namespace sippar
