// Which instances, clusters and app profiles there are: those that were made, kept as records
// (instance/P/I, cluster/P/I/ID, profile/P/I/ID), and, unless only made ones count, every instance
// that is named. An instance for which no cluster was made has one, kImpliedClusterId, and each has
// an app profile. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cluster/bigtable/resource_names.h"
#include "cluster/client/client.h"
#include "cluster/proto/instance.pb.h"

namespace sippar::cluster {

class InstanceRecords {
 public:
  // `strict`: what nobody made is not there, but for the instance of plain tables. `client`
  // outlives this.
  InstanceRecords(Client* client, bool strict) : client_(client), strict_(strict) {}

  // kNotFound.
  [[nodiscard]] Status CheckExists(const InstanceName& name) const;
  [[nodiscard]] StatusOr<google::bigtable::admin::v2::Instance> Get(const InstanceName& name) const;
  // Made ones and those that have tables, in order.
  [[nodiscard]] StatusOr<std::vector<InstanceName>> OfProject(const std::string& project) const;
  // `parent`: an instance, or "projects/P/instances/-" for all of the project.
  [[nodiscard]] StatusOr<std::vector<InstanceName>> OfParent(const std::string& parent) const;

  // In order of name; never empty. One store holds the data of all of them.
  [[nodiscard]] StatusOr<std::vector<google::bigtable::admin::v2::Cluster>> Clusters(
      const InstanceName& name) const;
  [[nodiscard]] StatusOr<std::vector<std::string>> ClusterIds(const InstanceName& name) const;
  // kNotFound names those that there are.
  [[nodiscard]] StatusOr<google::bigtable::admin::v2::Cluster> GetCluster(
      const PartName& name) const;

  [[nodiscard]] StatusOr<std::vector<google::bigtable::admin::v2::AppProfile>> Profiles(
      const InstanceName& name) const;
  // "" is the default one.
  [[nodiscard]] StatusOr<google::bigtable::admin::v2::AppProfile> GetProfile(
      const PartName& name) const;
  // May calls with this profile read and write a row at once? kFailedPrecondition: no. A profile
  // that nobody made may, unless only made ones count: kNotFound.
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
// `kind`: "cluster", "profile". Of all of an instance with the id "".
std::string PartRecord(const char* kind, const InstanceName& name, const std::string& id);

}  // namespace sippar::cluster
