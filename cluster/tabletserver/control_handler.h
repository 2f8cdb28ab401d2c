// TabletControl of a server: refuses calls that carry the epoch of an older master, and carries out
// all others or passes them to the part that does. Thread safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cluster/api/control_api.h"
#include "cluster/api/member_answer.h"
#include "cluster/tabletserver/server_parts.h"
#include "cluster/tabletserver/tablet_moves.h"
#include "cluster/tabletserver/tablet_split.h"

namespace sippar::cluster {

class ControlHandler final : public TabletControl {
 public:
  ControlHandler(const ServerParts* parts, TabletMoves* moves, TabletSplitter* splitter)
      : parts_(parts), moves_(moves), splitter_(splitter) {}

  // A call that has begun runs to its end, so its options are ignored. Failures are marked as
  // answers (api/member_answer.h), because the master must not mistake them for the silence of a
  // dead server.
  void Carry(const AnyCall& call, const CallOptions&) override {
    AnswerBy(call, [this](const auto& asked) { return MarkAnswered(Perform(asked)); });
  }

 private:
  Status Perform(const calls::LoadTablet& asked);
  Status Perform(const calls::UnloadTablet& asked);
  StatusOr<ServerReport> Perform(const calls::Report& asked);
  Status Perform(const calls::SetSchema& asked);
  Status Perform(const calls::SplitTablet& asked);
  Status Perform(const calls::SplitByLoad& asked);
  Status Perform(const calls::SortLogPart& asked);
  StatusOr<std::vector<uint64_t>> Perform(const calls::HeldFiles& asked);
  Status Perform(const calls::ForgetBirths& asked);
  Status Perform(const calls::FlushTablet& asked);
  Status Perform(const calls::CompactTablet& asked);
  Status Perform(const calls::VerifyTablet& asked);
  StatusOr<std::vector<GroupStats>> Perform(const calls::TabletStats& asked);
  StatusOr<calls::BatchTabletStats::Reply> Perform(const calls::BatchTabletStats& asked);
  StatusOr<std::string> Perform(const calls::DumpTablet& asked);
  StatusOr<std::map<std::string, uint64_t>> Perform(const calls::Metrics& asked);
  StatusOr<std::vector<CompactionInfo>> Perform(const calls::Compactions& asked);
  StatusOr<std::vector<CallTraceInfo>> Perform(const calls::Traces& asked);
  StatusOr<std::vector<HotTablet>> Perform(const calls::HotTablets& asked);

  Status CheckMaster(uint64_t master_epoch);
  StatusOr<std::shared_ptr<Served>> Find(uint64_t tablet_id) const;
  Status ChangeSchema(const TableRecord& table,
                      const std::shared_ptr<const engine::TableSchema>& schema, Served* served);

  const ServerParts* const parts_;
  TabletMoves* const moves_;
  TabletSplitter* const splitter_;
  std::atomic<uint64_t> master_epoch_{0};  // highest epoch of a master in any call so far
  engine::Mutex schema_mutex_;             // held during SetSchema and ForgetBirths
};

}  // namespace sippar::cluster
