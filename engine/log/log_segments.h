// Tracks which closed log segments are still needed: bookkeeping without I/O. Not thread safe.
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
  // The highest sequence number in a segment, by tablet id.
  using TabletSequences = std::map<uint64_t, uint64_t>;
  using RedoOf = std::function<uint64_t(uint64_t tablet_id)>;

  void Add(SegmentId id, TabletSequences sequences) { segments_[id] = std::move(sequences); }

  // Segments that hold nothing above the redo points, oldest first, up to the first needed one, so
  // that the kept segments have no holes.
  std::vector<SegmentId> Obsolete(const RedoOf& redo_of) const {
    std::vector<SegmentId> obsolete;
    for (const auto& [id, sequences] : segments_) {
      if (!Needing(sequences, redo_of).empty()) break;
      obsolete.push_back(id);
    }
    return obsolete;
  }

  void Drop(SegmentId id) { segments_.erase(id); }

  // The tablets that need the oldest segment that is not obsolete.
  std::vector<uint64_t> Holding(const RedoOf& redo_of) const {
    for (const auto& [id, sequences] : segments_) {
      std::vector<uint64_t> tablets = Needing(sequences, redo_of);
      if (!tablets.empty()) return tablets;
    }
    return {};
  }

  size_t size() const { return segments_.size(); }
  // The oldest segment; `otherwise` when there is none.
  SegmentId Oldest(SegmentId otherwise) const {
    return segments_.empty() ? otherwise : segments_.begin()->first;
  }

 private:
  static std::vector<uint64_t> Needing(const TabletSequences& sequences, const RedoOf& redo_of) {
    std::vector<uint64_t> tablets;
    for (auto [tablet, sequence] : sequences) {
      if (redo_of(tablet) < sequence) tablets.push_back(tablet);
    }
    return tablets;
  }

  std::map<SegmentId, TabletSequences> segments_;
};

}  // namespace sippar::engine
