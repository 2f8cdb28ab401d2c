// Calls the tablet of a row: finds it, and finds it again after it has moved. Thread safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cluster/client/call_course.h"
#include "cluster/client/table_directory.h"
#include "cluster/location/locator.h"
#include "engine/base/status.h"

namespace sippar::cluster {

class TabletCaller {
 public:
  TabletCaller(LocatorOptions locator, LockSession* session, CallSettings settings)
      : loses_answers_(locator.transport->LosesAnswers()),
        settings_(std::move(settings)),
        directory_(session),
        locator_(std::move(locator)) {}

  // Makes `call(const TabletLocation&, const CallOptions& now)`, which returns an Answer (a Status
  // or StatusOr), on the tablet of the row, and retries it as `repeat` allows. A call without a
  // timeout that does not fail reads no clock and allocates nothing. `time` is checked before each
  // try, and what is left of it is the timeout of the try.
  template <typename Answer, typename Call>
  Answer OnTablet(const std::string& table, std::string_view row, Repeat repeat,
                  const CallTime& time, const Call& call);

  // Finds the tablet that has `row`. If `before` is true, finds the tablet of the rows directly
  // below `row`, like Locator::FindBefore. Looks up an outdated table id again.
  // kNotFound: table or tablet not found.
  [[nodiscard]] StatusOr<LocationPtr> Find(const std::string& table, std::string_view row,
                                           bool before = false);
  // Returns the records of all tablets of the table, from METADATA and not from the cache. While
  // METADATA is not served, retries as calls do.
  [[nodiscard]] StatusOr<std::vector<TabletRecord>> ReadAll(const std::string& table,
                                                            const CallTime& time);
  // Finds the tablet in the cache of locations only; null: a remote look-up would be needed. An
  // unknown table id is read from the lock service.
  LocationPtr FindKnown(const std::string& table, std::string_view row);
  void Invalidate(const TabletLocation& seen) { locator_.Invalidate(seen); }

  bool loses_answers() const { return loses_answers_; }
  const CallSettings& settings() const { return settings_; }
  Locator* locator() { return &locator_; }

 private:
  StatusOr<std::vector<TabletRecord>> ReadAllNow(const std::string& table);
  StatusOr<LocationPtr> FindNow(const std::string& table, std::string_view row, bool before);

  const bool loses_answers_;
  const CallSettings settings_;
  TableDirectory directory_;
  Locator locator_;
};

template <typename Answer, typename Call>
Answer TabletCaller::OnTablet(const std::string& table, std::string_view row, Repeat repeat,
                              const CallTime& time, const Call& call) {
  auto once = [&](LocationPtr* used) -> Answer {
    StatusOr<LocationPtr> found = Find(table, row);
    if (!found.ok()) return found.status();
    if (Status in_time = time.Check(); !in_time.ok()) return in_time;
    *used = *std::move(found);
    return call(**used, time.Left());
  };
  auto is_final = [](const Status& status) {
    return status.ok() ||
           (status.code() != StatusCode::kUnavailable && !HasCause(status, Cause::kNotServed));
  };
  LocationPtr used;
  Answer answer = once(&used);
  if (is_final(StatusIn(answer))) [[likely]]
    return answer;
  CallCourse course(settings_, time);
  while (true) {
    // If the tablet was not found, it was not called, so even an unsafe write may be retried.
    Repeat certain = used == nullptr ? Repeat::kSafe : repeat;
    Status again = course.AfterFailure(StatusIn(answer), certain);
    if (!again.ok()) return again;
    if (used != nullptr) Invalidate(*std::exchange(used, nullptr));
    answer = once(&used);
    if (is_final(StatusIn(answer))) return answer;
  }
}

}  // namespace sippar::cluster
