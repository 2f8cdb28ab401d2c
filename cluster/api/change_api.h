// Reads the changes of a table that has a change stream (engine/model/change_config.h). A reader
// gets every acknowledged mutation of one partition from a given position on; it gets the
// mutations of each row in commit order. Partitions are tablet ranges. When a tablet splits or
// merges, the stream ends and names the partitions and tokens to continue with (ReadChangeStream of
// the Cloud Bigtable API).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/status.h"
#include "engine/model/mutation.h"
#include "engine/model/row_set.h"

namespace sippar::cluster {

// A position in the changes of a range. The token is opaque to callers; servers and the client
// library interpret it (engine/changes/change_position.h).
struct ChangeToken {
  engine::RowRange rows;
  std::string token;

  static constexpr int kFields = 2;
};

struct ChangesRequest {
  engine::RowRange partition;
  std::optional<int64_t> start_us;  // first commit time wanted; without it and `tokens`: now
  std::vector<ChangeToken> tokens;  // positions to continue at; their ranges cover the partition
  std::optional<int64_t> end_us;    // last commit time wanted

  static constexpr int kFields = 4;
};

struct Change {
  // Holds only sets and deletes; deleting a row appears as one delete per family.
  engine::RowMutation mutation;
  int64_t commit_us = 0;
  std::string token;             // the position after this change
  int64_t low_watermark_us = 0;  // the stream's low watermark before the read of this change
};

struct ChangeBatch {
  std::vector<Change> changes;
  std::string token;             // the position after the whole batch
  int64_t low_watermark_us = 0;  // no later change has an earlier commit time
  // The stream has ended. Either it has reached the end time, and there are no new partitions, or
  // the tablets have split or merged.
  bool is_over = false;
  std::vector<engine::RowRange> new_partitions;
  std::vector<ChangeToken> tokens;  // one token for each new partition
  // Only TabletService sets this flag: if the server does not serve the partition as a tablet, or
  // no longer serves it. `token` says how far the partition was read; the client library looks up
  // where to continue.
  bool is_elsewhere = false;

  static constexpr int kFields = 7;
};

// Not thread safe.
class ChangeStream {
 public:
  virtual ~ChangeStream() = default;
  // Returns as soon as there are changes, or an empty batch after `wait_us` without any.
  // TooOld: the position is older than the stream's retention. kFailedPrecondition: the table
  // has no change stream.
  [[nodiscard]] virtual StatusOr<ChangeBatch> Next(int64_t wait_us) = 0;
};

}  // namespace sippar::cluster
