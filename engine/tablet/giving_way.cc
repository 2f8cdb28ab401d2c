// SPDX-License-Identifier: Apache-2.0
#include "engine/tablet/giving_way.h"

namespace sippar::engine {
namespace {
// Memtable bytes that may be left for the last flush, during which writers wait. Each earlier flush
// leaves what was written while it ran, so under heavy load the bytes may stay above this limit;
// after kRoundsMax flushes the last one begins in any case.
constexpr int64_t kLeftMax = 4 << 20;
constexpr int kRoundsMax = 4;
}  // namespace

GivingWay::~GivingWay() {
  for (const auto& tablet : tablets_) {
    if (closed_) tablet->serving().Reopen();
    if (paused_) tablet->compactor().Resume();
  }
}

Status GivingWay::Begin() {
  for (const auto& tablet : tablets_) {
    int round = 0;
    do {
      RETURN_IF_ERROR(tablet->Flush());
    } while (tablet->memtable_bytes() > kLeftMax && ++round < kRoundsMax);
  }
  for (const auto& tablet : tablets_) tablet->compactor().Pause();
  paused_ = true;
  return OkStatus();
}

StatusOr<std::vector<TabletState>> GivingWay::Close() {
  // Set first: if a flush below fails, the destructor reopens every tablet, also those not closed
  // yet, for which Reopen does nothing.
  closed_ = true;
  for (const auto& tablet : tablets_) tablet->serving().Close();
  std::vector<TabletState> states;
  for (const auto& tablet : tablets_) {
    ASSIGN_OR_RETURN(TabletState state, tablet->flusher().HandOver());
    states.push_back(std::move(state));
  }
  return states;
}

void GivingWay::Retire() {
  // Other tablets have the rows now, so the destructor must not reopen tablets_. It still resumes
  // compactions: calls that wait for the end of the pause would otherwise never return.
  closed_ = false;
  for (const auto& tablet : tablets_) tablet->serving().Retire();
}

void GivingWay::GiveUp() {
  closed_ = false;
  for (const auto& tablet : tablets_) tablet->serving().GiveUp();
}

}  // namespace sippar::engine
