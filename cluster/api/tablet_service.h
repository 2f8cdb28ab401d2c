// What a tablet server does with the tablets it serves, in plain C++ types; the client library
// routes to it. The in-process transport calls it directly, the simulator and RPC put delays, loss
// and bytes in between. Thread safe.
//
// kOutOfRange (engine::IsMoved): not served here (any more), at another epoch, or giving way to
// others right now; nothing was done: look the tablet up again. kUnavailable: I/O trouble or no
// answer; a write's outcome is unknown. Other errors as data_api.h.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "cluster/api/data_api.h"
#include "cluster/api/server_id.h"

namespace sippar::cluster {

// A tablet as the caller knows it. A call that was delayed until the tablet had moved away and back
// is refused by the epoch (FAULTS.md N8).
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
  // One answer each, as Apply.
  [[nodiscard]] virtual std::vector<StatusOr<engine::RowUpdateResult>> UpdateBatch(
      const TabletAddress& tablet, const std::vector<const engine::RowUpdate*>& batch) {
    std::vector<StatusOr<engine::RowUpdateResult>> answers;
    for (const engine::RowUpdate* update : batch) answers.push_back(Update(tablet, *update));
    return answers;
  }
  [[nodiscard]] virtual Status CommitRow(const TabletAddress& tablet, const RowMutation& mutation,
                                         const std::vector<ReadCheck>& checks) = 0;
  // Rows are clipped to the tablet.
  [[nodiscard]] virtual StatusOr<std::unique_ptr<CellStream>> Read(const TabletAddress& tablet,
                                                                   const ReadSpec& read,
                                                                   const CallOptions& options) = 0;
  [[nodiscard]] virtual Status Run(const TabletAddress& tablet, const engine::Program& program,
                                   const CallOptions& options, engine::ProgramSink* sink) = 0;
  // What is wrong with the request is said with the first batch, where kOutOfRange is of its
  // position.
  [[nodiscard]] virtual StatusOr<std::unique_ptr<ChangeStream>> ReadChanges(const TabletAddress&,
                                                                            const ChangesRequest&,
                                                                            const CallOptions&) {
    return Unimplemented("reading changes: not over this transport yet");
  }
};

}  // namespace sippar::cluster
