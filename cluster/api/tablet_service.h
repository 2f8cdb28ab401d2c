// The data calls to one tablet server, in plain C++ types. The client library finds the server and
// calls it: directly in one process, with delays and loss in the simulator. Thread safe.
//
// NotServed (engine/base/status.h): the server does not serve the tablet (any more), serves it at
// another epoch, or is about to split, merge or unload it. Nothing was done, so the caller looks
// the tablet up again. kUnavailable: an I/O error or no answer; a write has an unknown outcome.
// Other errors as in data_api.h. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "cluster/api/data_api.h"
#include "cluster/api/server_id.h"

namespace sippar::cluster {

// A tablet as the caller knows it. The epoch lets the server refuse a call that was delayed until
// the tablet had moved away and back (tests/FAULTS.md N8).
struct TabletAddress {
  uint64_t tablet_id = 0;
  uint64_t tablet_epoch = 0;
};

class TabletService {
 public:
  virtual ~TabletService() = default;

  [[nodiscard]] virtual std::vector<Status> Apply(const TabletAddress& tablet,
                                                  const std::vector<const RowMutation*>& batch) = 0;
  [[nodiscard]] virtual StatusOr<engine::RowUpdateResult> Update(
      const TabletAddress& tablet, const engine::RowUpdate& update) = 0;
  // Returns one answer per update, in the same order.
  [[nodiscard]] virtual std::vector<StatusOr<engine::RowUpdateResult>> UpdateBatch(
      const TabletAddress& tablet, const std::vector<const engine::RowUpdate*>& batch) {
    std::vector<StatusOr<engine::RowUpdateResult>> answers;
    for (const engine::RowUpdate* update : batch) answers.push_back(Update(tablet, *update));
    return answers;
  }
  [[nodiscard]] virtual Status CommitRow(const TabletAddress& tablet, const RowMutation& mutation,
                                         const std::vector<ReadCheck>& checks) = 0;
  // Reads only the rows of the tablet, even if `read` asks for more.
  [[nodiscard]] virtual StatusOr<std::unique_ptr<CellStream>> Read(const TabletAddress& tablet,
                                                                   const ReadSpec& read,
                                                                   const CallOptions& options) = 0;
  [[nodiscard]] virtual Status Run(const TabletAddress& tablet, const engine::Program& program,
                                   const CallOptions& options, engine::ProgramSink* sink) = 0;
  // The stream reports an invalid request with its first batch. Its TooOld means that the
  // position is older than the retention, and NotServed that the tablet has moved.
  [[nodiscard]] virtual StatusOr<std::unique_ptr<ChangeStream>> ReadChanges(const TabletAddress&,
                                                                            const ChangesRequest&,
                                                                            const CallOptions&) {
    return Unimplemented("reading changes: not over this transport yet");
  }
};

}  // namespace sippar::cluster
