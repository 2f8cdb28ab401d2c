// Builds and runs the reads that the tree needs, all through DataApi::Read. Used by
// fuse/directories and fuse/tree.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "cluster/api/data_api.h"

namespace sippar::fuse {

// The table to read, and the time as of which it is read; std::nullopt: now.
struct ReadView {
  std::string table;
  std::optional<int64_t> as_of;
};

// TimesOf: the range of times <= as_of, or all times without as_of. OnlyTime: the range of exactly
// this time.
engine::TimeRange TimesOf(const std::optional<int64_t>& as_of);
engine::TimeRange OnlyTime(int64_t timestamp_us);

// Specifies a read of the newest version of each column of a row (RowSpec), or of one column
// (ColumnSpec).
cluster::ReadSpec RowSpec(const ReadView& view, std::string_view row);
cluster::ReadSpec ColumnSpec(const ReadView& view, std::string_view row, std::string_view family,
                             std::string_view qualifier);

// The size of the whole value, even if the read omitted its bytes.
inline uint64_t ValueSize(const cluster::CellView& cell) {
  return cell.value.size() + cell.omitted_size;
}

[[nodiscard]] StatusOr<bool> RowExists(cluster::DataApi* data, const ReadView& view,
                                       std::string_view row, const cluster::CallOptions& call);
// The first cell of a read: its version, the size of its value, and the value.
struct FoundVersion {
  int64_t timestamp_us = 0;
  uint64_t sequence = 0;
  uint64_t size_bytes = 0;
  std::string value;
};
[[nodiscard]] StatusOr<std::optional<FoundVersion>> ReadFirst(cluster::DataApi* data,
                                                              const std::string& table,
                                                              const cluster::ReadSpec& spec,
                                                              const cluster::CallOptions& call);
// Like ReadFirst, but without the value.
[[nodiscard]] StatusOr<std::optional<FoundVersion>> FindFirst(cluster::DataApi* data,
                                                              const std::string& table,
                                                              cluster::ReadSpec spec,
                                                              const cluster::CallOptions& call);

}  // namespace sippar::fuse
