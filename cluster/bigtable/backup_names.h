// Names of backups in the Cloud Bigtable API and what they are called in the store.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "cluster/bigtable/instance_records.h"
#include "cluster/bigtable/resource_names.h"

namespace sippar::cluster {

// "projects/P/instances/I/clusters/C/backups/B". Two clusters of an instance may each have a B.
struct BackupName {
  PartName cluster;
  std::string id;  // as a table's

  [[nodiscard]] static StatusOr<BackupName> Parse(const std::string& name);
  // Of a new one: kNotFound when the instance has no such cluster.
  [[nodiscard]] static StatusOr<BackupName> OfNew(const InstanceRecords& records,
                                                  const std::string& parent, const std::string& id);
  // P/I/C/B; P/I/B in the cluster that nobody made.
  static BackupName FromStored(const std::string& stored);
  std::string stored() const;
  std::string ToString() const;
};

// kFailedPrecondition: the instance, or with an id one cluster of it, has backups, which a call
// that removes it would lose.
[[nodiscard]] Status CheckNoBackups(const InstanceRecords& records, const InstanceName& instance,
                                    const std::string& cluster_id);

}  // namespace sippar::cluster
