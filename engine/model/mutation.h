// An atomic change of one row, in any of its families (paper section 2). Entries apply in order. A
// delete hides cells written before it arrived, never cells written later. Plain data.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/coding.h"
#include "engine/base/status.h"
#include "engine/model/cell.h"
#include "engine/model/schema.h"

namespace sippar::engine {

// One change within a row. The comment of a field names the kinds that use it.
struct MutationEntry {
  enum Kind : uint8_t {
    kSet = 0,
    kDeleteColumn = 1,  // deletes versions of one column within `time`
    kDeleteFamily = 2,
    kDeleteRow = 3,
    kIncrement = 4,  // adds `delta` to the newest value, an INT64 (absent: 0); wraps around
    kAppend = 5,     // appends `value` to the newest value (absent: "")
    // The next two change the cell at `timestamp_us` of an aggregate family (aggregate_cell.h).
    kAdd = 6,    // adds one input
    kMerge = 7,  // merges the state of another cell
  };
  Kind kind = kSet;
  std::string family;
  std::string qualifier;
  int64_t timestamp_us = kServerTime;  // for kSet, kIncrement, kAppend, kAdd, kMerge
  TimeRange time;                      // for kDeleteColumn
  std::string value;                   // for kSet, kAppend, kAdd, kMerge
  int64_t delta = 0;                   // for kIncrement
};

// Turns an increment or append into the equivalent kSet, given the newest value ("" if there is
// none). Sums wrap around, as the Bigtable API specifies. kFailedPrecondition: `newest` is not an
// INT64.
[[nodiscard]] Status ResolveOn(std::string_view newest, MutationEntry* entry);
// kInvalidArgument for a TEXT family, whose values are not numbers. In a BYTES family the value
// that is incremented decides.
[[nodiscard]] Status ValidateIncrement(const FamilySchema& family);
// True if `before`, an earlier entry of the same mutation, changes the column that `entry` names.
bool Touches(const MutationEntry& before, const MutationEntry& entry);

// Makes a write safe to repeat: the tablet remembers its answer to (client, number) for a while and
// returns it again, across crash, split, merge and move. The numbers of a client only rise. The
// client has the answers to all numbers below `answered_below`, so the tablet may forget those.
struct RequestId {
  uint64_t client = 0;  // unique id; 0: none, so every arrival is a new write
  uint64_t number = 0;
  uint64_t answered_below = 0;
  bool IsNone() const { return client == 0; }
  void Encode(std::string* out) const;
  static RequestId Decode(Reader* reader);
  bool operator==(const RequestId&) const = default;
};

// The entries for one row, with functions that append one entry each.
struct RowMutation {
  std::string row;
  std::vector<MutationEntry> entries;
  RequestId request;

  RowMutation() = default;
  explicit RowMutation(std::string_view row_key) : row(row_key) {}
  RowMutation& Set(std::string_view family, std::string_view qualifier, std::string_view value,
                   int64_t timestamp_us = kServerTime);
  RowMutation& DeleteColumn(std::string_view family, std::string_view qualifier,
                            TimeRange time = {});
  RowMutation& DeleteFamily(std::string_view family);
  RowMutation& DeleteRow();
  RowMutation& Increment(std::string_view family, std::string_view qualifier, int64_t delta,
                         int64_t timestamp_us = kServerTime);
  RowMutation& Append(std::string_view family, std::string_view qualifier, std::string_view value,
                      int64_t timestamp_us = kServerTime);

  RowMutation& Add(std::string_view family, std::string_view qualifier, std::string_view input,
                   int64_t timestamp_us = kServerTime);
  RowMutation& Merge(std::string_view family, std::string_view qualifier, std::string_view state,
                     int64_t timestamp_us = kServerTime);

  // Checks sizes and names, that the schema has the families, and values against their types.
  // kNotFound: no such family; kInvalidArgument: anything else is wrong.
  [[nodiscard]] Status Validate(const TableSchema& schema) const;
  // Checks only the sizes of the values and of the whole, which grow when entries that read their
  // row are turned into kSet.
  [[nodiscard]] Status ValidateSizes() const;
  // True if an entry depends on the row's content (kIncrement, kAppend, kAdd, kMerge).
  bool ReadsRow() const;
  // About the size of the stored entries, each of which holds the escaped row key: an upper bound
  // for cells; a delete in a column may take a few bytes more.
  size_t StoredSize() const;
};

// INT64 cells: 8 bytes, big-endian two's complement (as counters in the Bigtable API).
std::string EncodeInt64(int64_t value);
[[nodiscard]] StatusOr<int64_t> DecodeInt64(std::string_view bytes);

}  // namespace sippar::engine
