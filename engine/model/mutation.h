// RowMutation: the atomic change of one row, over any of its families (paper section 2). Entries
// apply in order; a delete hides what was written before it arrived, never what comes after.
// Plain data. SPDX-License-Identifier: Apache-2.0
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

struct MutationEntry {
  enum Kind : uint8_t {
    kSet = 0,
    kDeleteColumn = 1,  // versions of one column within `time`
    kDeleteFamily = 2,
    kDeleteRow = 3,
    kIncrement = 4,  // newest value as INT64 (absent = 0; otherwise 8 bytes) + delta, wraps
    kAppend = 5,     // newest value (absent = "") + value
    // Into the cell at `timestamp_us` of an aggregate family (aggregate_cell.h).
    kAdd = 6,    // one more input
    kMerge = 7,  // what another cell has come to
  };
  Kind kind = kSet;
  std::string family;
  std::string qualifier;
  int64_t timestamp_us = kServerTime;  // kSet, kIncrement, kAppend, kAdd, kMerge
  TimeRange time;                      // kDeleteColumn
  std::string value;                   // kSet, kAppend, kAdd, kMerge
  int64_t delta = 0;                   // kIncrement
};

// An increment or append on the newest value ("" when there is none) as the put that it comes to; a
// sum wraps, as the wire API says. kFailedPrecondition: the value is no counter's.
[[nodiscard]] Status ResolveOn(std::string_view newest, MutationEntry* entry);
// Does the first of two entries of a mutation change the column that the second names?
bool Touches(const MutationEntry& before, const MutationEntry& entry);

// Makes a write safe to repeat: the tablet remembers what it answered to (client, number) for a
// while and answers the same again, across crash, split, merge and move. Numbers of a client only
// rise; it has the answers to all below `answered_below`, so those may be forgotten.
struct RequestId {
  uint64_t client = 0;  // never repeated; 0: no id, the write is done as often as it arrives
  uint64_t number = 0;
  uint64_t answered_below = 0;
  bool IsNone() const { return client == 0; }
  void Encode(std::string* out) const;
  static RequestId Decode(Reader* reader);
  bool operator==(const RequestId&) const = default;
};

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

  // Sizes, names, families of the schema, values of their types. Names field, limit and value.
  [[nodiscard]] Status Validate(const TableSchema& schema) const;
  // The sizes alone, which grow when entries that read their row become puts.
  [[nodiscard]] Status ValidateSizes() const;
  // True when an entry needs what is in the row (kIncrement, kAppend, kAdd, kMerge).
  bool ReadsRow() const;
  // Bytes of the stored entries: each holds the row key again, escaped. A bound for the memtable.
  size_t StoredSize() const;
};

// INT64 cells: 8 bytes, big-endian two's complement (the counter form of the Bigtable API).
std::string EncodeInt64(int64_t value);
[[nodiscard]] StatusOr<int64_t> DecodeInt64(std::string_view bytes);

}  // namespace sippar::engine
