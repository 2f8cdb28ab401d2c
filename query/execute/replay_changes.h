// Turns the changes in a table's change stream into the mutations that make the same changes in a
// copy of the table, which has exactly the changes before them. Pure. Not thread safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "engine/model/mutation.h"
#include "engine/model/schema.h"

namespace sippar::query {

// The mutations that are written at once. Changes of the same row are joined into one mutation, in
// their order, so the rows of a batch may be written in any order.
class ReplayBatch {
 public:
  void Add(std::string_view row, engine::MutationEntry entry);
  // True if the batch is to be written before more is added. It may exceed the limit by one entry.
  bool IsFull() const { return entries_ >= kEntriesMax || bytes_ >= kBytesMax; }
  std::vector<engine::RowMutation> Take();

 private:
  static constexpr size_t kEntriesMax = 10'000;
  static constexpr size_t kBytesMax = 4 << 20;
  std::map<std::string, engine::RowMutation, std::less<>> rows_;
  size_t entries_ = 0;
  size_t bytes_ = 0;
};

// Returns the entries that make the same change as `entry`, an entry of a change stream: a SET or a
// delete. kFailedPrecondition: `schema`, that of the backup, lacks its family; or its effect
// depends on the time at which it is made, because it deletes single versions under a GC rule that
// combines their age and their number.
[[nodiscard]] StatusOr<std::vector<engine::MutationEntry>> ReplayOf(
    engine::MutationEntry entry, const engine::TableSchema& schema);

}  // namespace sippar::query
