// FileSummary: what a tablet knows about an SSTable without opening it. The tablet's state and the
// file's properties have the same copy, except for size_bytes. Plain data.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "engine/base/coding.h"
#include "engine/model/cell.h"

namespace sippar::engine {

// The share of one family in a file.
struct FamilyBytes {
  uint64_t cells = 0;
  uint64_t raw_bytes = 0;  // keys and values
  bool operator==(const FamilyBytes&) const = default;
};

struct FileSummary {
  uint64_t file_id = 0;
  uint64_t size_bytes = 0;  // size of the whole file; 0 in the copy that the file itself stores
  uint64_t raw_bytes = 0;   // keys and values of all entries
  uint64_t entries = 0;     // cells and tombstones
  uint64_t tombstones = 0;
  uint64_t rows = 0;
  std::string first_key;
  std::string last_key;
  uint64_t sequence_min = ~uint64_t{0};
  uint64_t sequence_max = 0;
  // Times of the cells, without tombstones; min > max when there is no cell.
  int64_t time_min_us = kTimeMax;
  int64_t time_max_us = kTimeMin;
  std::map<std::string, FamilyBytes> families;

  void Encode(std::string* out) const;
  // Makes `reader` fail (and leaves *this unspecified) when the bytes are damaged.
  void Decode(Reader* reader);
  bool operator==(const FileSummary&) const = default;
};

// The sum of the files' sizes.
uint64_t StoredBytes(const std::vector<FileSummary>& files);

}  // namespace sippar::engine
