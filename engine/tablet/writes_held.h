// Tablets whose writers wait while a family is made anew: a write between the birth of the family
// and the schema that knows it would be checked against the old family and be in the new one.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "engine/tablet/tablet.h"

namespace sippar::engine {

// New writes get IsMoved, so whoever routes them comes again.
class WritesHeld {
 public:
  explicit WritesHeld(std::vector<std::shared_ptr<Tablet>> tablets) : tablets_(std::move(tablets)) {
    for (const auto& tablet : tablets_) tablet->CloseForWrites();
  }
  ~WritesHeld() {
    for (const auto& tablet : tablets_) tablet->Reopen();
  }
  WritesHeld(const WritesHeld&) = delete;
  WritesHeld& operator=(const WritesHeld&) = delete;

 private:
  const std::vector<std::shared_ptr<Tablet>> tablets_;
};

}  // namespace sippar::engine
