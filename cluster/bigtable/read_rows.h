// Carries out one ReadRows call: reads through DataApi with as much of the filter as the tablets
// can apply, applies the rest of the filter and the limit, and puts the rows into chunks. During
// long scans it also reports progress to the client, and at the end it sends statistics if they
// were asked for.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cluster/api/data_api.h"
#include "cluster/bigtable/row_chunks.h"
#include "cluster/client/table_view.h"
#include "engine/base/clock.h"
#include "engine/read/row_filter.h"

namespace sippar::cluster {

struct RowsRequest {
  std::string table;                      // name in the store
  std::vector<std::string> families;      // all families of the table
  std::shared_ptr<const TableView> view;  // null: the whole table
  engine::RowSet rows = engine::RowSet::All();
  engine::RowFilter filter;
  int64_t rows_limit = 0;  // 0: no limit
  bool reversed = false;
  bool with_stats = false;
  bool takes_scanned_rows = false;  // the client accepts messages that only report progress
};

[[nodiscard]] Status ReadRows(DataApi* data, engine::Clock* clock, const RowsRequest& request,
                              const CallOptions& options, RowChunks* out);

}  // namespace sippar::cluster
