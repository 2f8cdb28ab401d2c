// The data calls to one tablet server: the calls on rows (row_calls.h) of one of its tablets, and
// streams. The client library finds the server and calls it: directly in one process, over the wire
// between processes, with delays and loss in the simulator. Thread safe.
//
// NotServed (engine/base/status.h): the server does not serve the tablet, serves it at another
// epoch, or is about to split, merge or unload it. Nothing was done, so the caller looks the tablet
// up again. kUnavailable: an I/O error or no answer; a write has an unknown outcome. Other errors
// as in row_calls.h.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "cluster/api/data_api.h"
#include "engine/base/cpu_time.h"

namespace sippar::cluster {

class TabletService : public Port<calls::TabletCalls> {
 public:
  // Reads only the rows of the tablet, even if `read` asks for more.
  [[nodiscard]] virtual StatusOr<std::unique_ptr<CellStream>> Read(const TabletAddress& tablet,
                                                                   const ReadSpec& read,
                                                                   const CallOptions& options) = 0;
  [[nodiscard]] virtual Status Run(const TabletAddress& tablet, const engine::Program& program,
                                   const CallOptions& options, engine::ProgramSink* sink) = 0;
  // The stream reports an invalid request with its first batch. TooOld: the requested position is
  // older than the stream's retention. NotServed: the tablet has moved.
  [[nodiscard]] virtual StatusOr<std::unique_ptr<ChangeStream>> ReadChanges(const TabletAddress&,
                                                                            const ChangesRequest&,
                                                                            const CallOptions&) {
    return Unimplemented("reading changes is not supported by this transport");
  }
  // Counts the CPU time of the threads that serve calls of other processes; it lives as long as the
  // service. Null: not counted here.
  virtual engine::CpuCount* cpu() { return nullptr; }
};

}  // namespace sippar::cluster
