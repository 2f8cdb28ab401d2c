// Holds back the writes to tablets while a family is dropped and created again, or its GC rule is
// replaced. The sequence number from which on the new family or rule counts is chosen before the
// new schema is in force. A write between these two steps would be validated against the old family
// but belong to the new one, or delete what the old rule shows under the new rule.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "engine/tablet/tablet.h"

namespace sippar::engine {

// While this object exists, new writes fail with IsMoved, so their callers route them again. The
// destructor allows writes again.
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
