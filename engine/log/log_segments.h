// Which closed log segments are still needed: plain bookkeeping, no I/O.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <vector>

#include "engine/log/log_format.h"

namespace sippar::engine {

class LogSegments {
 public:
  using TabletSequences = std::map<uint64_t, uint64_t>;  // tablet -> highest number in it

  void Add(SegmentId id, TabletSequences sequences) { segments_[id] = std::move(sequences); }

  // Takes out, oldest first, what holds nothing above the redo points; stops at the first needed
  // one, so that the kept segments have no holes.
  std::vector<SegmentId> TakeObsolete(const std::function<uint64_t(uint64_t)>& redo_of) {
    std::vector<SegmentId> obsolete;
    while (!segments_.empty() && Needing(redo_of).empty()) {
      obsolete.push_back(segments_.begin()->first);
      segments_.erase(segments_.begin());
    }
    return obsolete;
  }

  // Tablets that need the oldest segment.
  std::vector<uint64_t> Needing(const std::function<uint64_t(uint64_t)>& redo_of) const {
    std::vector<uint64_t> tablets;
    if (segments_.empty()) return tablets;
    for (auto [tablet, sequence] : segments_.begin()->second) {
      if (redo_of(tablet) < sequence) tablets.push_back(tablet);
    }
    return tablets;
  }

  size_t size() const { return segments_.size(); }

 private:
  std::map<SegmentId, TabletSequences> segments_;
};

}  // namespace sippar::engine
