// Splits and merges of tablets as pure functions: when, where, and what states come out (paper
// sections 5.1 and 5.2). Tablet servers carry splits out, the master merges.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/status.h"
#include "engine/model/schema.h"
#include "engine/tablet/tablet_state.h"

namespace sippar::engine {

// Of TabletState::family_births. A birth that is saved before the schema that needs it must not
// hide cells of the old schema.
std::string BirthKey(const FamilySchema& family);

struct TabletSize {
  uint64_t stored_bytes = 0;  // of its SSTables: what a server reads to take the tablet over
  uint64_t memtable_bytes = 0;
  int64_t age_us = 0;  // since the store was opened, or since the split or merge that made it
};

struct ReshapeDecision {
  bool wanted = false;
  std::string reason;
};

// A table's SPLIT_SIZE in bytes; `usual` when it has none.
uint64_t SplitSizeOf(const TableSchema& schema, uint64_t usual);
ReshapeDecision DecideSplit(const TabletSize& tablet, uint64_t split_size);
// Neighbours are merged when both have long been small: tablets that a user cut in advance must not
// be put together again before they are filled.
ReshapeDecision DecideMerge(const TabletSize& left, const TabletSize& right, uint64_t split_size);

// The row nearest to the middle of `keys` (any order, evenly spaced by size) that leaves something
// on its left: `first_key` is the lowest key there is.
std::optional<std::string> ChooseMiddleRow(std::vector<std::string> keys,
                                           const std::string& first_key);

// The part of `parent` in `rows`, as a tablet of its own; no byte of a file is copied. Its sequence
// numbers go on above the parent's, so no record of the log is its own. `part_bytes` estimates.
TabletState PartOfState(const TabletState& parent, uint64_t tablet_id, const RowRange& rows,
                        const std::function<uint64_t(const FileRef&, const RowRange&)>& part_bytes);
// `left` and its right neighbour as one tablet. Runs are in order of age, and sequence numbers only
// order entries of one row; the two have no row in common, so their lists may be joined run by run
// and numbers go on above the higher one. kAborted when births of families differ: they are
// sequence numbers of one tablet.
StatusOr<TabletState> JoinStates(const TabletState& left, const TabletState& right,
                                 uint64_t tablet_id,
                                 const std::function<StatusOr<uint64_t>()>& next_run_id);

}  // namespace sippar::engine
