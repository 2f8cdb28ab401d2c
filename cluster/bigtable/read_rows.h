// One ReadRows call between DataApi and the chunks it answers with: push-down, filter, limit, signs
// of life, statistics. SPDX-License-Identifier: Apache-2.0
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
  std::string table;  // stored name
  std::vector<std::string> families;
  std::shared_ptr<const TableView> view;  // null: the whole table
  engine::RowSet rows = engine::RowSet::All();
  engine::RowFilter filter;
  int64_t rows_limit = 0;  // 0: none
  bool reversed = false;
  bool with_stats = false;
  bool takes_scanned_rows = false;  // messages that only tell how far the read has come
};

[[nodiscard]] Status ReadRows(DataApi* data, engine::Clock* clock, const RowsRequest& request,
                              const CallOptions& options, RowChunks* out);

}  // namespace sippar::cluster
