// TabletList: the answer to ListTablets, put together from METADATA's records and the figures that
// the servers give. Pure; not thread safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>
#include <vector>

#include "cluster/api/row_calls.h"
#include "cluster/api/tablet_record.h"
#include "cluster/client/tablet_figures.h"

namespace sippar::cluster {

// True if METADATA assigns the tablet to a server, but this server does not serve it yet, or no
// longer, or cannot be reached: a moment later the answer may be another one.
bool IsMoving(const Status& status);

class TabletList {
 public:
  // Begins the list with METADATA's records, in key order. A tablet that is where it was in the
  // list before keeps its figures.
  void Begin(const std::vector<TabletRecord>& records);
  // The tablets whose figures are wanted, in key order.
  std::vector<TabletAt> Wanted() const;
  // Adds the answers for Wanted(). Requires: the caller's own time is not over, so
  // kDeadlineExceeded is that of a silent server. Returns an error that leaves no list.
  [[nodiscard]] Status Add(const std::vector<TabletFigures>& answers);
  bool has_moving() const { return has_moving_; }
  std::vector<TabletInfo> Take() { return std::move(infos_); }

 private:
  std::vector<TabletInfo> infos_;
  std::vector<std::pair<size_t, ServerId>> wanted_;  // positions in infos_
  bool has_moving_ = false;
};

}  // namespace sippar::cluster
