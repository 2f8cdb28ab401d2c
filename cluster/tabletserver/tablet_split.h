// Splits, which a tablet's server decides and commits by itself (paper section 5.2): one row of
// METADATA names both children, and from then on they are served. No byte of a file is copied.
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

  // `row` becomes the first of a tablet; OK when it is the parent's first already.
  // kFailedPrecondition: the root tablet; kInvalidArgument: not a row of the tablet, or too long.
  [[nodiscard]] Status Split(const std::shared_ptr<Served>& parent, const std::string& row);
  // One split that sizes ask for (engine/tablet/reshape.h); false when none does.
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
