// Tablets that give way to others, or to another server: a split, a merge, a planned move (paper
// section 5.2). Writers wait for the second, short flush only; readers go on with what they have.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "engine/tablet/tablet.h"

namespace sippar::engine {

// Begin Close (Retire | GiveUp)?; without an end the tablets are as before. Tablets in key order,
// as every pair of locks that somebody may take the other way round. One thread.
class GivingWay {
 public:
  explicit GivingWay(std::vector<std::shared_ptr<Tablet>> tablets) : tablets_(std::move(tablets)) {}
  ~GivingWay();
  GivingWay(const GivingWay&) = delete;
  GivingWay& operator=(const GivingWay&) = delete;

  const std::vector<std::shared_ptr<Tablet>>& tablets() const { return tablets_; }
  // Most of what is in memory goes while writes still come; then no compaction runs any more.
  [[nodiscard]] Status Begin();
  // New writes get IsMoved, none is under way; what others need to go on, in the same order.
  [[nodiscard]] StatusOr<std::vector<TabletState>> Close();
  // Others have the rows now.
  void Retire();
  // Nobody knows who has: no write, and no way back, until they are opened again.
  void GiveUp();

 private:
  const std::vector<std::shared_ptr<Tablet>> tablets_;
  bool paused_ = false;
  bool closed_ = false;
};

}  // namespace sippar::engine
