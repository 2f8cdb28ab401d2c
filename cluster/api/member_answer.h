// Distinguishes a failure that a tablet server returned to the master (TabletControl) from the
// failure of a call that got no answer: both may have the code kUnavailable. The tablet server
// marks the failures of the master's calls with a payload of the status, which is sent over the
// wire, too. A transport that gets no answer makes a status without the mark.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include "engine/base/status.h"

namespace sippar::cluster {

inline constexpr char kMemberAnswered[] = "sippar/answered";

// `answer` is a Status or a StatusOr; an OK stays as it is.
template <class Answer>
[[nodiscard]] Answer MarkAnswered(Answer answer) {
  if (StatusIn(answer).ok()) return answer;
  Status failure = StatusIn(answer);
  failure.SetPayload(kMemberAnswered, absl::Cord());
  return failure;
}
inline bool IsAnswered(const Status& status) {
  return status.ok() || status.GetPayload(kMemberAnswered).has_value();
}

}  // namespace sippar::cluster
