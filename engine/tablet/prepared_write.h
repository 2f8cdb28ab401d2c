// One mutation on its way through the commit log, from TabletWriter::Prepare until Commit returns.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "engine/changes/change_tail.h"
#include "engine/log/commit_log.h"
#include "engine/model/mutation.h"

namespace sippar::engine {

// Must not move: the log holds the address of `write`, and `mutation` may point into this struct.
struct PreparedWrite {
  const RowMutation* mutation = nullptr;
  RowMutation planned;   // the mutation planned for a RowUpdate operation
  RowMutation resolved;  // a completed copy of the client's mutation, if one was needed
  int64_t wall_us = 0;
  ChangeTail::Flight flight;  // holds back the low watermark if the table has a change stream
  RequestId request;          // if IsNone(), a repeated call makes the write a second time
  std::string answer;
  CommitLog::Write write;
};

}  // namespace sippar::engine
