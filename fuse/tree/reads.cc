// SPDX-License-Identifier: Apache-2.0
#include "fuse/tree/reads.h"

namespace sippar::fuse {

engine::TimeRange TimesOf(const std::optional<int64_t>& as_of) {
  engine::TimeRange range;
  // The limit is exclusive, and the limit kTimeMax means "no limit" (engine/model/cell.h).
  if (as_of.has_value() && *as_of != engine::kTimeMax) range.limit_us = *as_of + 1;
  return range;
}

engine::TimeRange OnlyTime(int64_t timestamp_us) {
  int64_t limit = timestamp_us == engine::kTimeMax ? engine::kTimeMax : timestamp_us + 1;
  return {timestamp_us, limit};
}

cluster::ReadSpec RowSpec(const ReadView& view, std::string_view row) {
  cluster::ReadSpec spec;
  spec.rows = engine::RowSet(engine::RowRange::Single(row));
  spec.time = TimesOf(view.as_of);
  spec.versions_per_column = 1;
  return spec;
}

cluster::ReadSpec ColumnSpec(const ReadView& view, std::string_view row, std::string_view family,
                             std::string_view qualifier) {
  cluster::ReadSpec spec = RowSpec(view, row);
  spec.columns.push_back(engine::ColumnPattern::Exact(family, qualifier));
  return spec;
}

StatusOr<bool> RowExists(cluster::DataApi* data, const ReadView& view, std::string_view row,
                         const cluster::CallOptions& call) {
  cluster::ReadSpec spec = RowSpec(view, row);
  spec.keys_only = true;
  ASSIGN_OR_RETURN(auto stream, data->Read(view.table, spec, call));
  bool exists = stream->Valid();
  RETURN_IF_ERROR(stream->status());
  return exists;
}

StatusOr<std::optional<FoundVersion>> ReadFirst(cluster::DataApi* data, const std::string& table,
                                                const cluster::ReadSpec& spec,
                                                const cluster::CallOptions& call) {
  ASSIGN_OR_RETURN(auto stream, data->Read(table, spec, call));
  std::optional<FoundVersion> found;
  if (stream->Valid()) {
    const cluster::CellView& cell = stream->cell();
    found = {cell.timestamp_us, cell.sequence, ValueSize(cell), std::string(cell.value)};
  }
  RETURN_IF_ERROR(stream->status());
  return found;
}

StatusOr<std::optional<FoundVersion>> FindFirst(cluster::DataApi* data, const std::string& table,
                                                cluster::ReadSpec spec,
                                                const cluster::CallOptions& call) {
  // The size of an omitted value is still reported (CellView::omitted_size).
  spec.value_size_max = 0;
  return ReadFirst(data, table, spec, call);
}

}  // namespace sippar::fuse
