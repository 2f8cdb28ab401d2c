// Splits tablets. A tablet's server decides and commits a split by itself (paper section 5.2): one
// row of METADATA names both children, and from then on they are served. No data is copied.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "cluster/tabletserver/server_parts.h"

namespace sippar::cluster {

// Thread safe.
class TabletSplitter {
 public:
  explicit TabletSplitter(const ServerParts* parts) : parts_(parts) {}

  // Makes `row` the first row of a tablet; OK if the parent already begins with it.
  // kFailedPrecondition: the root tablet is never split; kInvalidArgument: the row is outside the
  // tablet, or too long; kNotFound, kUnavailable: see ServedSet::BeginSplit.
  [[nodiscard]] Status Split(const std::shared_ptr<Served>& parent, const std::string& row);
  // Makes one split if a tablet is large enough for it (engine/tablet/reshape.h); false if none is.
  bool SplitLarge();

 private:
  Status Replace(const std::shared_ptr<Served>& parent, const std::string& row, const ChildIds& ids,
                 std::vector<std::shared_ptr<Served>>* children);
  StatusOr<TabletRecord> Commit(const engine::TabletState& closed, const SplitRecord& split);
  std::vector<std::shared_ptr<Served>> ServeChildren(const Served& parent,
                                                     const TabletRecord& committed);
  bool SplitIfLarge(const std::shared_ptr<Served>& served);

  const ServerParts* const parts_;
};

}  // namespace sippar::cluster
