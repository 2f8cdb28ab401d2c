// Holds back the writes to tablets while a family is dropped and created again. A write between the
// birth of the new family and the schema that knows it would be validated against the old family
// but stored in the new one.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "engine/tablet/tablet.h"

namespace sippar::engine {

// New writes get IsMoved, so their caller routes them again. The destructor lets writes in again.
class WritesHeld {
 public:
  explicit WritesHeld(std::vector<std::shared_ptr<Tablet>> tablets) : tablets_(std::move(tablets)) {
    for (const auto& tablet : tablets_) tablet->serving().Close();
  }
  ~WritesHeld() {
    for (const auto& tablet : tablets_) tablet->serving().Reopen();
  }
  WritesHeld(const WritesHeld&) = delete;
  WritesHeld& operator=(const WritesHeld&) = delete;

 private:
  const std::vector<std::shared_ptr<Tablet>> tablets_;
};

}  // namespace sippar::engine
