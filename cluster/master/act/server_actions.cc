// SPDX-License-Identifier: Apache-2.0
#include "cluster/master/act/server_actions.h"

namespace sippar::cluster::master {

using event::Done;

Done ServerActions::Do(const action::AskServer& asked) {
  const int64_t before_us = places_->clock->NowMicros();
  auto report = CallServer(*places_, asked.server, calls::Report{epoch_});
  if (!report.ok()) return {0, report.status(), {}};
  // The master cannot know when during the call the server read its clock, so it assumes the middle
  // of the call.
  const int64_t now_us = places_->clock->NowMicros();
  const int64_t skew_us = report->wall_us - (before_us + (now_us - before_us) / 2);
  return {0, OkStatus(), *std::move(report), skew_us};
}

Done ServerActions::Do(const action::UnloadTablet& asked) {
  const calls::UnloadTablet call{epoch_, asked.record.tablet_id, asked.record.epoch};
  return {0, CallServer(*places_, asked.server, call), {}};
}

Done ServerActions::Do(const action::SplitByLoad& asked) {
  const calls::SplitByLoad call{epoch_, asked.record.tablet_id};
  return {0, CallServer(*places_, asked.server, call), {}};
}

Done ServerActions::Do(const action::SetSchema& asked) {
  return {0, CallServer(*places_, asked.server, calls::SetSchema{epoch_, *asked.table}), {}};
}

Done ServerActions::Do(const action::SortLogPart& asked) {
  const calls::SortLogPart call{epoch_, asked.dead, asked.segment};
  return {0, CallServer(*places_, asked.server, call), {}};
}

}  // namespace sippar::cluster::master
