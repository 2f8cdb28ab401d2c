// Calls the tablet of a row: finds it, and finds it again where it is not any more. Thread safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "cluster/client/call_course.h"
#include "cluster/client/table_directory.h"
#include "cluster/location/locator.h"

namespace sippar::cluster {

inline const Status& StatusIn(const Status& status) { return status; }
template <typename T>
const Status& StatusIn(const StatusOr<T>& answer) {
  return answer.status();
}

class TabletCaller {
 public:
  TabletCaller(LocatorOptions locator, LockSession* session, CallSettings settings)
      : is_remote_(locator.transport->IsRemote()),
        settings_(std::move(settings)),
        directory_(session),
        locator_(std::move(locator)) {}

  // `call(const TabletLocation&)` on the tablet of the row, giving an Answer: a Status or StatusOr.
  // Without failure this takes no time of day and makes nothing.
  template <typename Answer, typename Call>
  Answer OnTablet(const std::string& table, std::string_view row, Repeat repeat, const Call& call);

  // Both forget what turns out to be gone. kNotFound: no such table, or it has no such tablet.
  // `limit` with `before` as Locator::FindBefore.
  [[nodiscard]] StatusOr<LocationPtr> Find(const std::string& table, std::string_view row,
                                           bool before = false);
  // null: it would have to be asked for.
  LocationPtr FindKnown(const std::string& table, std::string_view row);
  void Invalidate(const TabletLocation& seen) { locator_.Invalidate(seen); }

  bool is_remote() const { return is_remote_; }
  const CallSettings& settings() const { return settings_; }
  Locator* locator() { return &locator_; }

 private:
  StatusOr<LocationPtr> FindNow(const std::string& table, std::string_view row, bool before);

  const bool is_remote_;
  const CallSettings settings_;
  TableDirectory directory_;
  Locator locator_;
};

template <typename Answer, typename Call>
Answer TabletCaller::OnTablet(const std::string& table, std::string_view row, Repeat repeat,
                              const Call& call) {
  auto once = [&](LocationPtr* used) -> Answer {
    StatusOr<LocationPtr> found = Find(table, row);
    if (!found.ok()) return found.status();
    *used = *std::move(found);
    return call(**used);
  };
  auto is_final = [](const Status& status) {
    return status.ok() ||
           (status.code() != StatusCode::kUnavailable && status.code() != StatusCode::kOutOfRange);
  };
  LocationPtr used;
  Answer answer = once(&used);
  if (is_final(StatusIn(answer))) [[likely]]
    return answer;
  CallCourse course(settings_, {});
  while (true) {
    // A tablet that was not found was not called.
    Repeat certain = used == nullptr ? Repeat::kSafe : repeat;
    Status again = course.AfterFailure(StatusIn(answer), certain);
    if (!again.ok()) return again;
    if (used != nullptr) Invalidate(*std::exchange(used, nullptr));
    answer = once(&used);
    if (is_final(StatusIn(answer))) return answer;
  }
}

}  // namespace sippar::cluster
