// One mutation on its way through the log. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "engine/tablet/tablet.h"

namespace sippar::engine {

// Must not move while the log holds its address.
struct Tablet::PreparedWrite {
  const RowMutation* mutation = nullptr;
  RowMutation planned;   // what an operation of RowUpdate came to
  RowMutation resolved;  // used when the client's mutation had to be completed
  int64_t wall_us = 0;
  ChangeTail::Flight flight;  // where changes are kept
  RequestId request;          // none: nobody asks for the answer again
  std::string answer;
  CommitLog::Write write;
};

}  // namespace sippar::engine
