// Pure functions that decide on splits and merges of tablets: whether, where, and with which new
// states (paper sections 5.1 and 5.2). Tablet servers carry out splits, the master carries out
// merges.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "engine/base/status.h"
#include "engine/model/schema.h"
#include "engine/tablet/tablet_state.h"

namespace sippar::engine {

// Key of a family in TabletState::family_births: NAME, or NAME#INCARNATION for a family that one
// schema change dropped and created again. The incarnation matters because a birth is saved before
// the schema that needs it: under the family's old key it would hide cells that the old schema
// still shows.
std::string BirthKey(const FamilySchema& family);
// Key in the same map of the end of a family's earlier rule: the first sequence written under the
// rule that replaced it. The schema version is part of the key, because a tablet that is not loaded
// while a rule is replaced must notice it later.
std::string RuleEndKey(const FamilySchema& family, const EarlierGc& earlier);

// All keys that a state may have for the families and rules of `schema`.
std::set<std::string> SequenceKeys(const TableSchema& schema);
// For the state of a tablet of a restored table: forgets the sequence numbers of families and rules
// that `schema` does not have, since their keys may be given again, and lowers the others to the
// first number that the restored tablet gives to a write.
void FitToSchema(const TableSchema& schema, TabletState* state);

struct TabletSize {
  uint64_t stored_bytes = 0;  // bytes of its SSTables on disk
  uint64_t memtable_bytes = 0;
  // Time since its server opened it. The master, which decides on merges, counts at most from its
  // own start.
  int64_t age_us = 0;
};

struct ReshapeDecision {
  bool wanted = false;
  std::string reason;
};

// The table's SPLIT_SIZE option in bytes, or `usual` if it has none.
uint64_t SplitSizeOf(const TableSchema& schema, uint64_t usual);
ReshapeDecision DecideSplit(const TabletSize& tablet, uint64_t split_size);
// Wants a merge only if the neighbours are small together and neither was opened, split or merged
// in the last day: tablets that a user split in advance must not be merged before they are filled.
ReshapeDecision DecideMerge(const TabletSize& left, const TabletSize& right, uint64_t split_size);

// Chooses the row at which a split leaves about half of the bytes on each side. `keys`, in any
// order, are taken from the tablet's files at about equal distances in bytes. The row is above
// `first_key`, the tablet's lowest key, so the left child is not empty. nullopt: no key qualifies.
std::optional<std::string> ChooseMiddleRow(std::vector<std::string> keys,
                                           const std::string& first_key);

// The state of a new tablet that holds the part of `parent` in `rows`. It names the parent's files;
// none is copied. Its sequence numbers continue above the parent's, so no log record of the parent
// is mistaken for one of the new tablet. `part_bytes` estimates the stored bytes of a file in a
// range.
TabletState PartOfState(const TabletState& parent, uint64_t tablet_id, const RowRange& rows,
                        const std::function<uint64_t(const FileRef&, const RowRange&)>& part_bytes);
// The state of a tablet that joins `left` and its right neighbour. Run ages and sequence numbers
// only order entries of one row, and the two tablets share no row. So their lists of runs may be
// joined run by run, and numbers may continue above those of both. kAborted if their
// family births differ: a birth is a sequence number of one tablet, so it cannot be compared with
// the sequence numbers of the other tablet's entries.
StatusOr<TabletState> JoinStates(const TabletState& left, const TabletState& right,
                                 uint64_t tablet_id,
                                 const std::function<StatusOr<uint64_t>()>& next_run_id);

}  // namespace sippar::engine
