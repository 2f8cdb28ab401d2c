// The cluster's counter, from which a session takes numbers. A number is taken in the transaction
// that uses it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cluster/lock/zookeeper/zookeeper_handle.h"
#include "engine/base/thread.h"

namespace sippar::cluster::zookeeper {

// Thread safe.
class NumberCounter {
 public:
  // `node` is the node of the counter. `handle` outlives this object.
  NumberCounter(ZooKeeperHandle* handle, std::string node)
      : handle_(handle), node_(std::move(node)) {}

  struct Taken {
    uint64_t number = 0;
    // The failed change, counted in what `changes` returned, and its code; kOk: none failed. `part`
    // means nothing if the code is that of the transaction.
    PartAnswer refused;
  };
  using ChangesWith = std::function<std::vector<Change>(uint64_t number)>;
  // Takes a number and makes the changes that `changes` returns for it, in one transaction. If the
  // outcome is unknown, `refused` has such a code (IsUnknown), and the number may have been taken.
  // kDataLoss: there is no counter, or no number in it. kResourceExhausted: no number is left.
  // Other errors: the counter could not be read. After an error no number was taken.
  [[nodiscard]] StatusOr<Taken> Take(int64_t deadline_nanos, const ChangesWith& changes);
  // Takes a number without other changes. If the outcome is unknown, takes another one: gaps do no
  // harm.
  [[nodiscard]] StatusOr<uint64_t> Next(int64_t deadline_nanos);
  [[nodiscard]] Status RaiseAbove(int64_t deadline_nanos, uint64_t seen);

 private:
  struct Seen {
    uint64_t next = 0;
    int32_t version = 0;
  };
  StatusOr<Seen> Look(int64_t deadline_nanos);
  StatusOr<Seen> Read(int64_t deadline_nanos);
  Change SetTo(uint64_t number, const Seen& seen) const;
  void Remember(std::optional<Seen> seen);

  ZooKeeperHandle* const handle_;
  const std::string node_;
  engine::Mutex mutex_;
  // The counter as last seen; another session may have changed it since.
  std::optional<Seen> seen_ GUARDED_BY(mutex_);
};

}  // namespace sippar::cluster::zookeeper
