// SPDX-License-Identifier: Apache-2.0
#include "engine/tablet/tablet_serving.h"

#include <fmt/format.h>

namespace sippar::engine {

void TabletServing::Close() {
  serving_ = Serving::kMoved;
  // A write holds its row's lock from before it calls Check until it is visible, so no write is in
  // flight once every lock has been released.
  body_->context->row_locks->WaitForHolders();
}

void TabletServing::Reopen() {
  // A table that was dropped in the meantime stays dropped.
  Serving closed = Serving::kMoved;
  serving_.compare_exchange_strong(closed, Serving::kOpen);
}

void TabletServing::Release(Serving why) {
  MutexLock state_lock(&body_->state_mutex);
  serving_ = why;
  body_->context->files->Unname(body_->state.FileIds());
  // Without groups a running compaction finds its inputs gone and does not install its output.
  body_->state.groups.clear();
}

Status TabletServing::WhyClosed() const {
  switch (serving_.load()) {
    case Serving::kOpen:
      return OkStatus();
    case Serving::kMoved:
      return NotServed(fmt::format("tablet {} was split or merged", body_->id));
    case Serving::kDropped:
      return NotFound(fmt::format("the table of tablet {} was dropped", body_->id));
    case Serving::kUnknown:
      break;
  }
  return Unavailable(fmt::format(
      "a split or merge of tablet {} failed half-way; open the store again, or restart its server",
      body_->id));
}

}  // namespace sippar::engine
