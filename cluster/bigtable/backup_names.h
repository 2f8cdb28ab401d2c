// Converts names of backups between the Cloud Bigtable API and the store.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "cluster/bigtable/instance_records.h"
#include "cluster/bigtable/resource_names.h"

namespace sippar::cluster {

// "projects/P/instances/I/clusters/C/backups/B". Two clusters of an instance may each have a
// backup B.
struct BackupName {
  PartName cluster;
  std::string id;  // follows the rules of table ids

  [[nodiscard]] static StatusOr<BackupName> Parse(const std::string& name);
  // Makes the name of a new backup. kNotFound: the instance has no such cluster.
  [[nodiscard]] static StatusOr<BackupName> OfNew(const InstanceRecords& records,
                                                  const std::string& parent, const std::string& id);
  // Parses the name in the store: P/I/C/B, or P/I/B for the implied cluster (kImpliedClusterId).
  static BackupName FromStored(const std::string& stored);
  std::string stored() const;
  std::string ToString() const;
};

// Checks that a deletion would lose no backups. kFailedPrecondition: the instance has backups. If
// `cluster_id` is not "", only the backups of this cluster of the instance count.
[[nodiscard]] Status CheckNoBackups(const InstanceRecords& records, const InstanceName& instance,
                                    const std::string& cluster_id);

}  // namespace sippar::cluster
