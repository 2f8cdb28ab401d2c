// Actions on the records of METADATA. An action that changes a record first reads the record again,
// and fails if the tablet's epoch or rows have changed since the master decided on the action. So a
// repeated action is harmless. Thread safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "cluster/master/act/action_places.h"
#include "cluster/master/decide/master_event.h"

namespace sippar::cluster::master {

class RecordActions {
 public:
  // `places` outlives this object; `epoch` is the epoch of this master.
  RecordActions(const ActionPlaces* places, uint64_t epoch) : places_(places), epoch_(epoch) {}

  event::Done Do(const action::ReadRoot& asked);
  event::Done Do(const action::ReadRecords& asked);
  event::Done Do(const action::CreateRecord& asked);
  event::Done Do(const action::ChangeRecord& asked);
  event::Done Do(const action::LevelBirths& asked);
  event::Done Do(const action::CommitMerge& asked);
  event::Done Do(const action::EraseRecord& asked);
  event::Done Do(const action::LoadTablet& asked);

 private:
  // Returns the record if METADATA still has exactly the version that `asked` names. Otherwise
  // returns kAborted and sets done->answer to the record that now contains the first row of
  // `asked`, if there is one.
  StatusOr<TabletRecord> FindSame(const RecordRef& asked, event::Done* done);

  const ActionPlaces* const places_;
  const uint64_t epoch_;
};

}  // namespace sippar::cluster::master
