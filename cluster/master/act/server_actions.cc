// SPDX-License-Identifier: Apache-2.0
#include "cluster/master/act/server_actions.h"

namespace sippar::cluster::master {

using event::Done;

Done ServerActions::Do(const action::AskServer& asked) {
  auto report = places_->transport->Control(asked.server)->Do(calls::Report{epoch_});
  if (!report.ok()) return {0, report.status(), {}};
  return {0, OkStatus(), *std::move(report)};
}

Done ServerActions::Do(const action::UnloadTablet& asked) {
  return {0,
          places_->transport->Control(asked.server)
              ->Do(calls::UnloadTablet{epoch_, asked.record.tablet_id, asked.record.epoch}),
          {}};
}

Done ServerActions::Do(const action::SplitByLoad& asked) {
  auto control = places_->transport->Control(asked.server);
  return {0, control->Do(calls::SplitByLoad{epoch_, asked.record.tablet_id}), {}};
}

Done ServerActions::Do(const action::SetSchema& asked) {
  return {
      0, places_->transport->Control(asked.server)->Do(calls::SetSchema{epoch_, *asked.table}), {}};
}

Done ServerActions::Do(const action::SortLogPart& asked) {
  return {0,
          places_->transport->Control(asked.server)
              ->Do(calls::SortLogPart{epoch_, asked.dead, asked.segment}),
          {}};
}

}  // namespace sippar::cluster::master
