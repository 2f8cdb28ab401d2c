// Packs the rows of a query into batches and sends each, with a checksum, as ExecuteQueryResponse.
// A batch is due when it has kMessageSize, or when no message was sent for 0.2 s. A batch that one
// large row made larger than two messages is cut into several. Not thread safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cluster/api/query_api.h"
#include "cluster/proto/bigtable.pb.h"
#include "engine/base/clock.h"

namespace sippar::cluster {

class QueryBatches final : public QueryRows {
 public:
  // Sends one message, and blocks while the reader is slow. False: the reader is gone.
  using Writer = std::function<bool(const google::bigtable::v2::ExecuteQueryResponse&)>;
  QueryBatches(const std::vector<QueryColumn>& columns, engine::Clock* clock, Writer write)
      : columns_(columns),
        clock_(clock),
        write_(std::move(write)),
        sent_nanos_(clock->MonotonicNanos()) {}

  Status Put(const engine::Row& row) override;
  bool IsDue() override;
  Status Send(const std::string& resume_token) override;

 private:
  const std::vector<QueryColumn>& columns_;
  engine::Clock* clock_;
  const Writer write_;
  google::bigtable::v2::ProtoRows rows_;
  size_t size_ = 0;  // approximate bytes of rows_
  int64_t sent_nanos_;
  bool is_first_ = true;
};

}  // namespace sippar::cluster
