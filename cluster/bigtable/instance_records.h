// Knows which instances, clusters and app profiles exist. Created ones are stored as named records
// (instance/P/I, cluster/P/I/ID, profile/P/I/ID). Others are implied: unless the server is strict,
// every instance that a request names exists; an instance without created clusters has the cluster
// kImpliedClusterId; and every instance has the app profile kDefaultProfileId. Thread safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cluster/bigtable/resource_names.h"
#include "cluster/client/client.h"
#include "cluster/proto/instance.pb.h"

namespace sippar::cluster {

class InstanceRecords {
 public:
  // `strict`: only created instances exist, and the default instance, which has the tables with
  // plain names. `client` must outlive the object.
  InstanceRecords(Client* client, bool strict) : client_(client), strict_(strict) {}

  // kNotFound: the instance does not exist.
  [[nodiscard]] Status CheckExists(const InstanceName& name) const;
  [[nodiscard]] StatusOr<google::bigtable::admin::v2::Instance> Get(const InstanceName& name) const;
  // Instances that were created or that contain tables, sorted by name.
  [[nodiscard]] StatusOr<std::vector<InstanceName>> OfProject(const std::string& project) const;
  // `parent`: the name of an instance, or "projects/P/instances/-" for all instances of the
  // project.
  [[nodiscard]] StatusOr<std::vector<InstanceName>> OfParent(const std::string& parent) const;

  // Sorted by name; never empty. Clusters are names only: one store holds the data of all of them.
  [[nodiscard]] StatusOr<std::vector<google::bigtable::admin::v2::Cluster>> Clusters(
      const InstanceName& name) const;
  [[nodiscard]] StatusOr<std::vector<std::string>> ClusterIds(const InstanceName& name) const;
  // kNotFound names the existing clusters, or the instance if that does not exist.
  [[nodiscard]] StatusOr<google::bigtable::admin::v2::Cluster> GetCluster(
      const PartName& name) const;

  [[nodiscard]] StatusOr<std::vector<google::bigtable::admin::v2::AppProfile>> Profiles(
      const InstanceName& name) const;
  // The id "" means the default profile.
  [[nodiscard]] StatusOr<google::bigtable::admin::v2::AppProfile> GetProfile(
      const PartName& name) const;
  // Checks whether calls with this profile may read and write a row in one transaction.
  // kFailedPrecondition: they may not. If the profile was not created, they may; but on a strict
  // server this holds only for the default profile, and any other one yields kNotFound.
  [[nodiscard]] Status CheckTransactions(const InstanceName& name,
                                         const std::string& profile_id) const;

  Client* client() const { return client_; }
  AdminApi* admin() const { return client_->admin(); }
  bool strict() const { return strict_; }

 private:
  Client* client_;
  bool strict_;
};

inline constexpr const char* kDefaultProfileId = "default";
inline constexpr const char* kImpliedClusterId = "sippar";

std::string InstanceRecord(const InstanceName& name);
// Name of the record of a cluster or profile (`kind` "cluster" or "profile"). With the id "" it is
// the prefix of all such names of the instance.
std::string PartRecord(const char* kind, const InstanceName& name, const std::string& id);

}  // namespace sippar::cluster
