// The calls on rows and tablets as values (call.h). A call on rows names a table (DataApi), or one
// tablet of a table (TabletService). Plain data.
//
// Errors: kNotFound (table not found), kInvalidArgument, kUnavailable (the tablet is moving or its
// server restarts: retry), kAborted (lost a race: retry the row), kDataLoss, kResourceExhausted,
// kCancelled, kDeadlineExceeded. After kUnavailable, kCancelled or kDeadlineExceeded a write has an
// unknown outcome.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "cluster/api/call.h"
#include "cluster/api/lent.h"
#include "engine/model/mutation.h"
#include "engine/model/read_spec.h"
#include "engine/model/row_set.h"
#include "engine/program/row_update.h"

namespace sippar::cluster {

using engine::ReadSpec;
using engine::RowMutation;
using engine::RowRange;

using LentTable = Lent<std::string>;

// A tablet as the caller knows it. The epoch lets the server refuse a call that was delayed until
// the tablet had moved away and back (tests/FAULTS.md N8).
struct TabletAddress {
  uint64_t tablet_id = 0;
  uint64_t tablet_epoch = 0;

  static constexpr int kFields = 2;
};

// A read of a row transaction. The commit runs it again and compares the digest (XXH3 over all
// cells with their times and sequence numbers).
struct ReadCheck {
  ReadSpec read;  // its rows are ignored: it reads the row of the transaction
  uint64_t digest = 0;

  static constexpr int kFields = 2;
};

struct TabletInfo {
  uint64_t tablet_id = 0;
  RowRange range;
  std::string server;
  // "online", "loading", "silent" (the server holds its lock, and cannot be reached or did not
  // answer in time), or the phase in METADATA: "unassigned" ... Unless "online", the sizes are 0.
  std::string state;
  uint64_t stored_bytes = 0;
  uint64_t memtable_bytes = 0;
  uint64_t sstable_count = 0;

  static constexpr int kFields = 7;
};

namespace calls {

// The rule of a call that writes rows. The call is safe to repeat because its caller gives each
// write a request id wherever an answer can be lost (cluster/PROTOCOL.md, "Request ids").
constexpr CallRule RowWriteRule(const char* name) {
  return {name, Repeat::kSafe, Effect::kUnknown, TimeLimit::kShort};
}

// Changes rows; durable when OK. The reply has one part for each mutation, in the same order. The
// change of each row is atomic; the change of the whole batch is not.
template <class To>
struct ApplyRows {
  To to;
  LentBatch<RowMutation> batch;

  using Write = RowMutation;  // the type of the writes, each of which needs a request id
  using Reply = std::vector<Status>;
  static constexpr int kFields = 2;
  static constexpr CallRule kRule = RowWriteRule("ApplyRows");
};

// Reads, decides and writes under each row's lock: SQL's UPDATE, IF, INCREMENT, APPEND and DELETE
// by pattern, and the Bigtable API's CheckAndMutateRow and ReadModifyWriteRow. The reply has one
// part for each update, in the same order; updates of one tablet may share the wait for the log's
// sync.
template <class To>
struct UpdateRows {
  To to;
  LentBatch<engine::RowUpdate> batch;

  using Write = engine::RowUpdate;
  using Reply = std::vector<StatusOr<engine::RowUpdateResult>>;
  static constexpr int kFields = 2;
  static constexpr CallRule kRule = RowWriteRule("UpdateRows");
};

// Applies `mutation` if every check still yields its digest; otherwise kAborted names the row.
template <class To>
struct CommitRow {
  To to;
  Lent<RowMutation> mutation;
  Lent<std::vector<ReadCheck>> checks;

  using Write = RowMutation;
  using Reply = Done;
  static constexpr int kFields = 3;
  static constexpr CallRule kRule = RowWriteRule("CommitRow");
};

template <class To>
using RowCalls = CallList<ApplyRows<To>, UpdateRows<To>, CommitRow<To>>;

// Lists the tablets of the table in key order, with their sizes. Asks all servers of the table
// concurrently; a server that does not answer within 10 s, or within half of the call's time, makes
// its tablets "silent".
struct ListTablets {
  std::string table;

  using Reply = std::vector<TabletInfo>;
  static constexpr int kFields = 1;
  static constexpr CallRule kRule = LookUpRule("ListTablets");
};

// Lists only the ranges of the tablets, possibly from a cache. Callers use them to divide a table
// into parts that can be read separately.
struct TabletRanges {
  std::string table;

  using Reply = std::vector<RowRange>;
  static constexpr int kFields = 1;
  static constexpr CallRule kRule = LookUpRule("TabletRanges");
};

using DataCalls = decltype(Join(RowCalls<LentTable>(), CallList<ListTablets, TabletRanges>()));
using TabletCalls = RowCalls<TabletAddress>;

}  // namespace calls

// True for the answer of a batch, whose reply has a Status or StatusOr for each part.
template <class Answer>
inline constexpr bool kHasParts = false;
template <>
inline constexpr bool kHasParts<StatusOr<std::vector<Status>>> = true;
template <class Part>
inline constexpr bool kHasParts<StatusOr<std::vector<StatusOr<Part>>>> = true;

// The parts of a batch's answer. An error of the whole call is the answer of each part.
template <class Part>
std::vector<Part> PartsOf(StatusOr<std::vector<Part>> answer, size_t count) {
  if (answer.ok()) [[likely]]
    return *std::move(answer);
  return std::vector<Part>(count, Part(answer.status()));
}

// Like PartsOf, for a batch of one.
template <class Part>
Part OnlyPart(StatusOr<std::vector<Part>> answer) {
  if (answer.ok()) [[likely]]
    return std::move(answer->front());
  return answer.status();
}

}  // namespace sippar::cluster
