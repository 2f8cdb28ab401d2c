// The directory of a cluster on this machine: its lock, its settings, and the small files that its
// processes read.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "cli/cluster/plan.h"
#include "engine/base/status.h"

namespace sippar::cli {

// Holds a lock on the directory, so only one `sippar cluster` at a time works on it.
class ClusterHome {
 public:
  // Opens the directory, and makes it first if `may_make` is true and it is missing. kNotFound:
  // `may_make` is false, and the directory is missing or holds no cluster; kFailedPrecondition: the
  // directory holds something else; kUnavailable: another `sippar cluster` works on it, or it
  // cannot be made or read; kDataLoss: its settings are damaged.
  [[nodiscard]] static StatusOr<std::unique_ptr<ClusterHome>> Open(const std::string& directory,
                                                                   bool may_make);
  ~ClusterHome();
  ClusterHome(const ClusterHome&) = delete;
  ClusterHome& operator=(const ClusterHome&) = delete;

  // Absolute path without symbolic links.
  const std::string& directory() const { return directory_; }
  // Empty if no cluster was ever started in this directory.
  const std::optional<ClusterSettings>& settings() const { return settings_; }
  [[nodiscard]] Status Keep(const ClusterSettings& settings);
  // Makes the folders and writes the ZooKeeper files that the plan's processes need at their start.
  [[nodiscard]] Status Prepare(const ClusterPlan& plan) const;

 private:
  explicit ClusterHome(std::string directory) : directory_(std::move(directory)) {}
  Status Lock();
  Status ReadSettings(bool may_make);

  const std::string directory_;
  std::optional<ClusterSettings> settings_;
  int lock_ = -1;  // descriptor of the directory, which holds the flock()
};

}  // namespace sippar::cli
