// SPDX-License-Identifier: Apache-2.0
#include "cluster/lock/zookeeper/number_counter.h"

#include <fmt/format.h>

#include "cluster/lock/zookeeper/read_again.h"

namespace sippar::cluster::zookeeper {

using engine::MutexLock;

void NumberCounter::Remember(std::optional<Seen> seen) {
  MutexLock lock(&mutex_);
  seen_ = seen;
}

StatusOr<NumberCounter::Seen> NumberCounter::Look(int64_t deadline_nanos) {
  {
    MutexLock lock(&mutex_);
    if (seen_.has_value()) return *seen_;
  }
  return Read(deadline_nanos);
}

StatusOr<NumberCounter::Seen> NumberCounter::Read(int64_t deadline_nanos) {
  ASSIGN_OR_RETURN(Answer answer, ReadAgain(handle_, deadline_nanos, "the epoch counter", [&] {
                     // Returns the answer of Get. If the outcome of the barrier is unknown, Get may
                     // have read an old counter, so that outcome is returned instead. Any other
                     // failure of the barrier makes the Get after it fail as well.
                     auto barrier = handle_->Barrier(node_);
                     auto read = handle_->Get(node_);
                     Answer first = barrier->Wait(deadline_nanos);
                     return IsUnknown(first.code) ? first : read->Wait(deadline_nanos);
                   }));
  if (answer.code == kNoNode) {
    return DataLoss(fmt::format(
        "ZooKeeper node {}: it is missing, so epochs could repeat; put it back from a copy",
        node_));
  }
  Seen seen;
  auto next = DecodeCounter(answer.node.data);
  if (!next.ok()) return Annotate(next.status(), fmt::format("ZooKeeper node {}", node_));
  seen.next = *next;
  seen.version = answer.node.version;
  return seen;
}

Change NumberCounter::SetTo(uint64_t number, const Seen& seen) const {
  return {Change::Kind::kSet, node_, std::to_string(number), seen.version};
}

StatusOr<NumberCounter::Taken> NumberCounter::Take(int64_t deadline_nanos,
                                                   const ChangesWith& changes) {
  for (;;) {
    RETURN_IF_ERROR(handle_->WaitConnected(deadline_nanos));
    ASSIGN_OR_RETURN(Seen seen, Look(deadline_nanos));
    RETURN_IF_ERROR(CheckNumber(seen.next));
    std::vector<Change> parts = {SetTo(seen.next + 1, seen)};
    for (Change& change : changes(seen.next)) parts.push_back(std::move(change));
    Answer answer = handle_->Make(parts)->Wait(deadline_nanos);
    if (answer.code == kOk) {
      Remember(Seen{seen.next + 1, seen.version + 1});
      return Taken{seen.next, {}};
    }
    PartAnswer refused = FirstFailure(answer.code, answer.parts);
    Remember(std::nullopt);
    if (refused.part != 0) return Taken{0, {refused.part - 1, refused.code}};
    // Another session has changed the counter since it was read, or its node is missing: the next
    // round reads it again.
    if (refused.code != kBadVersion && refused.code != kNoNode) return Taken{0, refused};
  }
}

StatusOr<uint64_t> NumberCounter::Next(int64_t deadline_nanos) {
  for (;;) {
    ASSIGN_OR_RETURN(Taken taken,
                     Take(deadline_nanos, [](uint64_t) { return std::vector<Change>(); }));
    if (taken.refused.code == kOk) return taken.number;
    if (!MayAskAgain(taken.refused.code, deadline_nanos)) {
      return UnexpectedAnswer(taken.refused.code, "the epoch counter");
    }
  }
}

Status NumberCounter::RaiseAbove(int64_t deadline_nanos, uint64_t seen_elsewhere) {
  if (seen_elsewhere >= kNumberMax) {
    return InvalidArgument(
        fmt::format("epoch counter of the lock service: it cannot be raised above {}, the "
                    "last number of the lock files that are carried here (at most 2^32 - 1)",
                    seen_elsewhere));
  }
  for (;;) {
    ASSIGN_OR_RETURN(Seen seen, Read(deadline_nanos));
    if (seen.next > seen_elsewhere) return OkStatus();
    Answer answer = handle_->Make({SetTo(seen_elsewhere + 1, seen)})->Wait(deadline_nanos);
    Remember(std::nullopt);
    if (answer.code == kOk) return OkStatus();
    if (answer.code != kBadVersion && !MayAskAgain(answer.code, deadline_nanos)) {
      return UnexpectedAnswer(answer.code, "the epoch counter");
    }
  }
}

}  // namespace sippar::cluster::zookeeper
