// Prepares tablets to give up their rows: to the tablets of a split or merge, or to another server
// (paper sections 5.2 and 6). Most data is flushed while writes continue, so writers wait only for
// a second, short flush. Readers keep their snapshots throughout.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "engine/tablet/tablet.h"

namespace sippar::engine {

// Call order: Begin, Close, then Retire or GiveUp. The destructor reopens the tablets as they were
// if neither Retire nor GiveUp was called. `tablets` are in key order: two callers that pause
// overlapping sets of tablets in different orders could otherwise wait for each other. Used by one
// thread.
class GivingWay {
 public:
  explicit GivingWay(std::vector<std::shared_ptr<Tablet>> tablets) : tablets_(std::move(tablets)) {}
  ~GivingWay();
  GivingWay(const GivingWay&) = delete;
  GivingWay& operator=(const GivingWay&) = delete;

  const std::vector<std::shared_ptr<Tablet>>& tablets() const { return tablets_; }
  // Flushes most of what is in memory while writes continue, then stops compactions.
  [[nodiscard]] Status Begin();
  // Refuses new writes with IsMoved, waits for those in flight and flushes the rest. Returns the
  // states with which other tablets can continue, in the order of tablets().
  [[nodiscard]] StatusOr<std::vector<TabletState>> Close();
  // Called when the new tablets are durable and have the rows. tablets() are not served again.
  void Retire();
  // Called when it is unknown whether the new tablets have the rows. tablets() then accept no write
  // until they are opened again.
  void GiveUp();

 private:
  const std::vector<std::shared_ptr<Tablet>> tablets_;
  bool paused_ = false;
  bool closed_ = false;
};

}  // namespace sippar::engine
