// SPDX-License-Identifier: Apache-2.0
#include "engine/tablet/added_cells.h"

namespace sippar::engine {

AddedCells::Place AddedCells::Find(const std::vector<MutationEntry>& entries,
                                   const MutationEntry& addition) const {
  Place place;
  auto put = puts_.find({addition.family, addition.qualifier, addition.timestamp_us});
  if (put != puts_.end()) place.put = put->second;
  for (size_t index : deletes_) {
    const MutationEntry& entry = entries[index];
    // A delete that comes before the put does not hide it: entries of one mutation take effect in
    // order.
    if ((place.put && index < *place.put) || !Touches(entry, addition)) continue;
    if (entry.kind == MutationEntry::kDeleteColumn && !entry.time.Contains(addition.timestamp_us)) {
      continue;
    }
    return {std::nullopt, true};
  }
  return place;
}

void AddedCells::Note(const std::vector<MutationEntry>& entries) {
  size_t index = entries.size() - 1;
  const MutationEntry& entry = entries[index];
  if (entry.kind == MutationEntry::kSet) {
    puts_[{entry.family, entry.qualifier, entry.timestamp_us}] = index;
  } else {
    deletes_.push_back(index);
  }
}

}  // namespace sippar::engine
