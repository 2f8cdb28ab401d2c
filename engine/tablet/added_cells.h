// Finds, among the entries of one mutation, the put into which a later addition to the same cell
// can be folded. Plain data, used under the row's lock by one thread.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "engine/model/mutation.h"

namespace sippar::engine {

class AddedCells {
 public:
  struct Place {
    std::optional<size_t> put;  // index of the entry that puts the cell
    bool is_deleted = false;    // the mutation deletes the cell that the tablet has
  };
  // The state of the cell that `addition` changes, after all of `entries` have been applied.
  Place Find(const std::vector<MutationEntry>& entries, const MutationEntry& addition) const;
  // Records the last of `entries`, which the caller has just appended.
  void Note(const std::vector<MutationEntry>& entries);

 private:
  using CellName = std::tuple<std::string, std::string, int64_t>;  // family, qualifier, time
  std::map<CellName, size_t> puts_;
  std::vector<size_t> deletes_;
};

}  // namespace sippar::engine
