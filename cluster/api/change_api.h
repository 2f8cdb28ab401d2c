// Reading the changes of a table that has a change stream (engine/model/change_config.h): every
// acknowledged mutation of a partition, in the order of commit for each row, from a position on.
// Partitions are the ranges of the tablets; when a tablet splits or merges, the stream ends and
// tells where to go on. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/status.h"
#include "engine/model/mutation.h"
#include "engine/model/row_set.h"

namespace sippar::cluster {

// Where the reading of a range stands; what is in it is the server's affair.
struct ChangeToken {
  engine::RowRange rows;
  std::string token;
};

struct ChangesRequest {
  engine::RowRange partition;
  std::optional<int64_t> start_us;  // neither this nor tokens: from now on
  std::vector<ChangeToken> tokens;  // their ranges make up the partition
  std::optional<int64_t> end_us;    // the last commit time that is wanted
};

struct Change {
  engine::RowMutation mutation;  // only sets and deletes; a delete of the row is one of each family
  int64_t commit_us = 0;
  std::string token;             // behind it
  int64_t low_watermark_us = 0;  // as a batch's, at this change
};

struct ChangeBatch {
  std::vector<Change> changes;
  std::string token;             // behind all of it
  int64_t low_watermark_us = 0;  // no change that comes later has an earlier commit time
  bool is_over = false;          // the end time was reached, or the tablets are others now:
  std::vector<engine::RowRange> new_partitions;
  std::vector<ChangeToken> tokens;  // one for each of them
  // Of a server alone (TabletService): the partition is no tablet here (any more). `token` says how
  // far it was read.
  bool is_elsewhere = false;
};

// One thread at a time.
class ChangeStream {
 public:
  virtual ~ChangeStream() = default;
  // Some changes as soon as there are any; an empty batch after `wait_us` without. kOutOfRange: the
  // position is older than the stream's retention. kFailedPrecondition: the table has no stream.
  [[nodiscard]] virtual StatusOr<ChangeBatch> Next(int64_t wait_us) = 0;
};

}  // namespace sippar::cluster
