// TabletControl of a server: refuses calls of older masters, then passes each call to the part that
// does the work. Thread safe. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cluster/api/control_api.h"
#include "cluster/tabletserver/server_parts.h"
#include "cluster/tabletserver/tablet_moves.h"
#include "cluster/tabletserver/tablet_split.h"

namespace sippar::cluster {

class ControlHandler final : public TabletControl {
 public:
  ControlHandler(const ServerParts* parts, TabletMoves* moves, TabletSplitter* splitter)
      : parts_(parts), moves_(moves), splitter_(splitter) {}

  Status LoadTablet(uint64_t master_epoch, const TabletRecord& record,
                    const TableRecord& table) override;
  Status UnloadTablet(uint64_t master_epoch, uint64_t tablet_id, uint64_t tablet_epoch) override;
  StatusOr<ServerReport> Report(uint64_t master_epoch) override;
  Status SetSchema(uint64_t master_epoch, const TableRecord& table) override;
  Status SplitTablet(uint64_t master_epoch, uint64_t tablet_id, const std::string& row) override;
  Status SplitByLoad(uint64_t master_epoch, uint64_t tablet_id) override;
  Status SortLogPart(uint64_t master_epoch, const ServerId& dead, uint64_t segment) override;
  StatusOr<std::vector<uint64_t>> HeldFiles(const std::vector<uint64_t>& files) override;
  Status ForgetBirths(uint64_t master_epoch, uint64_t tablet_id) override;

  Status FlushTablet(uint64_t tablet_id) override;
  Status CompactTablet(uint64_t tablet_id, const std::string& group) override;
  Status VerifyTablet(uint64_t tablet_id) override;
  StatusOr<std::vector<GroupStats>> TabletStats(uint64_t tablet_id) override;
  StatusOr<std::string> DumpTablet(uint64_t tablet_id) override;
  std::map<std::string, uint64_t> Metrics() override;
  std::vector<CompactionInfo> Compactions() override;
  StatusOr<std::vector<HotTablet>> HotTablets(int64_t start_us, int64_t end_us) override {
    return parts_->host->hot_tablets().List(start_us, end_us);
  }

 private:
  Status CheckMaster(uint64_t master_epoch);
  StatusOr<std::shared_ptr<Served>> Find(uint64_t tablet_id) const;
  Status ChangeSchema(const TableRecord& table,
                      const std::shared_ptr<const engine::TableSchema>& schema, Served* served);

  const ServerParts* const parts_;
  TabletMoves* const moves_;
  TabletSplitter* const splitter_;
  std::atomic<uint64_t> master_epoch_{0};  // highest epoch of a master seen so far
  engine::Mutex schema_mutex_;             // held during one change of a table's schema
};

}  // namespace sippar::cluster
