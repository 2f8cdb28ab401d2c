// Tablets that give way. SPDX-License-Identifier: Apache-2.0
#include "engine/tablet/giving_way.h"

namespace sippar::engine {

GivingWay::~GivingWay() {
  for (const auto& tablet : tablets_) {
    if (closed_) tablet->Reopen();
    if (paused_) tablet->ResumeCompactions();
  }
}

Status GivingWay::Begin() {
  for (const auto& tablet : tablets_) RETURN_IF_ERROR(tablet->Flush());
  for (const auto& tablet : tablets_) tablet->PauseCompactions();
  paused_ = true;
  return OkStatus();
}

StatusOr<std::vector<TabletState>> GivingWay::Close() {
  closed_ = true;
  for (const auto& tablet : tablets_) tablet->CloseForWrites();
  std::vector<TabletState> states;
  for (const auto& tablet : tablets_) {
    ASSIGN_OR_RETURN(TabletState state, tablet->HandOver());
    states.push_back(std::move(state));
  }
  return states;
}

void GivingWay::Retire() {
  closed_ = false;
  for (const auto& tablet : tablets_) tablet->Retire();
}

void GivingWay::GiveUp() {
  closed_ = false;
  for (const auto& tablet : tablets_) tablet->GiveUp();
}

}  // namespace sippar::engine
