// SPDX-License-Identifier: Apache-2.0
#include "cluster/client/tablet_list.h"

#include <string_view>
#include <unordered_map>

#include "cluster/location/meta_row.h"

namespace sippar::cluster {
namespace {

constexpr std::string_view kOnline = "online";
constexpr std::string_view kLoading = "loading";
constexpr std::string_view kSilent = "silent";

void AddFigures(const std::vector<GroupStats>& groups, TabletInfo* info) {
  info->state = kOnline;
  for (const GroupStats& group : groups) {
    info->stored_bytes += group.stored_bytes;
    info->memtable_bytes += group.memtable_bytes;
    info->sstable_count += group.sstables;
  }
}

}  // namespace

bool IsMoving(const Status& status) {
  return status.code() == StatusCode::kUnavailable || HasCause(status, Cause::kNotServed);
}

void TabletList::Begin(const std::vector<TabletRecord>& records) {
  std::unordered_map<uint64_t, TabletInfo> before;
  for (TabletInfo& info : infos_) before.emplace(info.tablet_id, std::move(info));
  infos_.clear();
  wanted_.clear();
  has_moving_ = false;
  for (const TabletRecord& record : records) {
    TabletInfo& info = infos_.emplace_back();
    info.tablet_id = record.tablet_id;
    info.range = record.range;
    info.server = record.server.ToString();
    info.state = PhaseName(record.phase);
    if (record.phase != TabletPhase::kAssigned) continue;
    const auto known = before.find(record.tablet_id);
    const bool is_known = known != before.end() && known->second.server == info.server &&
                          known->second.range == info.range &&
                          (known->second.state == kOnline || known->second.state == kSilent);
    if (is_known) {
      info = std::move(known->second);
    } else {
      wanted_.emplace_back(infos_.size() - 1, record.server);
    }
  }
}

std::vector<TabletAt> TabletList::Wanted() const {
  std::vector<TabletAt> tablets;
  tablets.reserve(wanted_.size());
  for (const auto& [position, server] : wanted_) {
    tablets.push_back({server, infos_[position].tablet_id});
  }
  return tablets;
}

Status TabletList::Add(const std::vector<TabletFigures>& answers) {
  for (size_t i = 0; i < answers.size(); ++i) {
    TabletInfo& info = infos_[wanted_[i].first];
    const Status& status = answers[i].status();
    if (status.ok()) {
      AddFigures(*answers[i], &info);
    } else if (IsMoving(status)) {
      info.state = kLoading;
      has_moving_ = true;
    } else if (status.code() == StatusCode::kDeadlineExceeded) {
      info.state = kSilent;
    } else {
      return status;
    }
  }
  return OkStatus();
}

}  // namespace sippar::cluster
