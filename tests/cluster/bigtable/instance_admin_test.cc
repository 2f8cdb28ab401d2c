// Instances, clusters, app profiles, policies and schema bundles as clients see them.
// SPDX-License-Identifier: Apache-2.0
#include <google/protobuf/descriptor.pb.h>

#include "cluster/node/open_client.h"
#include "tests/cluster/serve/api_fixture.h"

namespace sippar::cluster {
namespace {

using admin::BigtableTableAdmin;
using google::longrunning::Operation;
using grpc::StatusCode;
using v2::Bigtable;
using Stub = admin::BigtableInstanceAdmin::Stub;

class InstanceAdminTest : public ApiTest {
 protected:
  grpc::StatusCode Create(const std::string& id, admin::Instance* made = nullptr) {
    admin::CreateInstanceRequest request;
    request.set_parent("projects/p");
    request.set_instance_id(id);
    request.mutable_instance()->set_display_name("shown");
    (*request.mutable_instance()->mutable_labels())["a"] = "b";
    (*request.mutable_clusters())["c1"].set_serve_nodes(3);
    Operation operation;
    grpc::Status status = Call(instances_.get(), &Stub::CreateInstance, request, &operation);
    if (status.ok()) EXPECT_TRUE(operation.done());
    if (made != nullptr) EXPECT_TRUE(operation.response().UnpackTo(made));
    return status.error_code();
  }
  grpc::StatusCode Get(const std::string& name, admin::Instance* instance) {
    admin::GetInstanceRequest request;
    request.set_name(name);
    return Call(instances_.get(), &Stub::GetInstance, request, instance).error_code();
  }
  std::string Clusters(const std::string& instance) {
    admin::ListClustersRequest request;
    request.set_parent(instance);
    admin::ListClustersResponse response;
    EXPECT_TRUE(Call(instances_.get(), &Stub::ListClusters, request, &response).ok());
    std::string text;
    for (const admin::Cluster& cluster : response.clusters()) {
      text += cluster.name().substr(cluster.name().rfind('/') + 1) + "=" +
              std::to_string(cluster.serve_nodes()) + " ";
    }
    return text;
  }
  grpc::StatusCode CreateProfile(const std::string& id, const admin::AppProfile& profile,
                                 admin::AppProfile* made = nullptr) {
    admin::CreateAppProfileRequest request;
    request.set_parent(kInstance);
    request.set_app_profile_id(id);
    *request.mutable_app_profile() = profile;
    return Call(instances_.get(), &Stub::CreateAppProfile, request, made).error_code();
  }
  grpc::StatusCode Increment(const std::string& profile) {
    v2::ReadModifyWriteRowRequest request;
    request.set_table_name(kTable);
    request.set_app_profile_id(profile);
    request.set_row_key("r");
    auto* rule = request.add_rules();
    rule->set_family_name("n");
    rule->set_increment_amount(1);
    v2::ReadModifyWriteRowResponse row;
    return Call(data_.get(), &Bigtable::Stub::ReadModifyWriteRow, request, &row).error_code();
  }
  // Restarts the server on the same disk.
  void Restart(bool strict = false) {
    server_.reset();
    queries_.reset();
    client_.reset();
    ClientOptions options;
    options.fs = &fs_;
    options.clock = &clock_;
    Serve(std::move(*OpenClient("/db", options)), strict);
  }
};

TEST_F(InstanceAdminTest, WhatWasMadeOutlivesTheServer) {
  admin::Instance instance;
  ASSERT_EQ(Create("made", &instance), StatusCode::OK);
  EXPECT_EQ(instance.name(), "projects/p/instances/made");
  EXPECT_EQ(instance.state(), admin::Instance::READY);
  EXPECT_EQ(Create("made"), StatusCode::ALREADY_EXISTS);
  admin::PartialUpdateInstanceRequest update;
  update.mutable_instance()->set_name(instance.name());
  update.mutable_instance()->set_display_name("changed");
  update.mutable_update_mask()->add_paths("display_name");
  Operation operation;
  ASSERT_TRUE(Call(instances_.get(), &Stub::PartialUpdateInstance, update, &operation).ok());
  update.mutable_update_mask()->add_paths("state");
  EXPECT_EQ(Call(instances_.get(), &Stub::PartialUpdateInstance, update, &operation).error_code(),
            StatusCode::INVALID_ARGUMENT);
  Restart();
  ASSERT_EQ(Get("projects/p/instances/made", &instance), StatusCode::OK);
  EXPECT_EQ(instance.display_name(), "changed");
  EXPECT_EQ(instance.labels().at("a"), "b");
  admin::ListInstancesRequest list;
  list.set_parent("projects/p");
  admin::ListInstancesResponse instances;
  ASSERT_TRUE(Call(instances_.get(), &Stub::ListInstances, list, &instances).ok());
  ASSERT_EQ(instances.instances_size(), 1);
  admin::DeleteInstanceRequest drop;
  drop.set_name(instance.name());
  google::protobuf::Empty empty;
  ASSERT_TRUE(Call(instances_.get(), &Stub::DeleteInstance, drop, &empty).ok());
  ASSERT_TRUE(Call(instances_.get(), &Stub::ListInstances, list, &instances).ok());
  EXPECT_EQ(instances.instances_size(), 0);
  EXPECT_EQ(Create("made"), StatusCode::OK);
}

TEST_F(InstanceAdminTest, AnInstanceGoesWithItsTablesUnlessOneIsProtected) {
  CreateTable();
  auto protect = [this](bool on) {
    admin::UpdateTableRequest update;
    update.mutable_table()->set_name(kTable);
    update.mutable_table()->set_deletion_protection(on);
    update.mutable_update_mask()->add_paths("deletion_protection");
    Operation operation;
    ASSERT_TRUE(
        Call(admin_.get(), &BigtableTableAdmin::Stub::UpdateTable, update, &operation).ok());
  };
  admin::DeleteInstanceRequest drop;
  drop.set_name(kInstance);
  google::protobuf::Empty empty;
  auto run = [&] {
    return Call(instances_.get(), &Stub::DeleteInstance, drop, &empty).error_code();
  };
  protect(true);
  EXPECT_EQ(run(), StatusCode::FAILED_PRECONDITION);
  EXPECT_EQ(client_->admin()->Do(calls::ListTables{})->size(), 1u);
  protect(false);
  EXPECT_EQ(run(), StatusCode::OK);
  EXPECT_TRUE(client_->admin()->Do(calls::ListTables{})->empty());
}

TEST_F(InstanceAdminTest, ClustersAreKept) {
  EXPECT_EQ(Clusters(kInstance), "sippar=1 ");
  admin::CreateClusterRequest create;
  create.set_parent(kInstance);
  create.set_cluster_id("c2");
  create.mutable_cluster()->set_serve_nodes(5);
  Operation operation;
  ASSERT_TRUE(Call(instances_.get(), &Stub::CreateCluster, create, &operation).ok());
  EXPECT_EQ(Call(instances_.get(), &Stub::CreateCluster, create, &operation).error_code(),
            StatusCode::ALREADY_EXISTS);
  EXPECT_EQ(Clusters(kInstance), "c2=5 sippar=1 ");
  admin::PartialUpdateClusterRequest update;
  update.mutable_cluster()->set_name("projects/p/instances/i/clusters/c2");
  update.mutable_cluster()->set_serve_nodes(7);
  update.mutable_update_mask()->add_paths("serve_nodes");
  ASSERT_TRUE(Call(instances_.get(), &Stub::PartialUpdateCluster, update, &operation).ok());
  Restart();
  EXPECT_EQ(Clusters(kInstance), "c2=7 sippar=1 ");
  admin::DeleteClusterRequest drop;
  google::protobuf::Empty empty;
  drop.set_name("projects/p/instances/i/clusters/sippar");
  ASSERT_TRUE(Call(instances_.get(), &Stub::DeleteCluster, drop, &empty).ok());
  EXPECT_EQ(Call(instances_.get(), &Stub::DeleteCluster, drop, &empty).error_code(),
            StatusCode::NOT_FOUND);
  drop.set_name("projects/p/instances/i/clusters/c2");
  EXPECT_EQ(Call(instances_.get(), &Stub::DeleteCluster, drop, &empty).error_code(),
            StatusCode::FAILED_PRECONDITION);
}

TEST_F(InstanceAdminTest, ProfilesSayWhoMayReadAndWriteAtOnce) {
  CreateTable();
  EXPECT_EQ(Increment(""), StatusCode::OK);
  EXPECT_EQ(Increment("nobody-made-it"), StatusCode::OK);
  admin::AppProfile profile, made;
  EXPECT_EQ(CreateProfile("none", profile), StatusCode::INVALID_ARGUMENT);
  profile.set_description("batch");
  profile.mutable_single_cluster_routing()->set_cluster_id("sippar");
  profile.mutable_standard_isolation()->set_priority(admin::AppProfile::PRIORITY_LOW);
  ASSERT_EQ(CreateProfile("batch", profile, &made), StatusCode::OK);
  EXPECT_EQ(CreateProfile("batch", profile), StatusCode::ALREADY_EXISTS);
  EXPECT_EQ(made.standard_isolation().priority(), admin::AppProfile::PRIORITY_LOW);
  EXPECT_EQ(Increment("batch"), StatusCode::FAILED_PRECONDITION);
  v2::CheckAndMutateRowRequest check;
  check.set_table_name(kTable);
  check.set_app_profile_id("batch");
  check.set_row_key("r");
  check.add_true_mutations()->mutable_delete_from_row();
  v2::CheckAndMutateRowResponse matched;
  EXPECT_EQ(Call(data_.get(), &Bigtable::Stub::CheckAndMutateRow, check, &matched).error_code(),
            StatusCode::FAILED_PRECONDITION);
  admin::UpdateAppProfileRequest update;
  *update.mutable_app_profile() = made;
  update.mutable_app_profile()->mutable_single_cluster_routing()->set_allow_transactional_writes(
      true);
  update.mutable_update_mask()->add_paths("single_cluster_routing");
  Operation operation;
  ASSERT_TRUE(Call(instances_.get(), &Stub::UpdateAppProfile, update, &operation).ok());
  EXPECT_EQ(Call(instances_.get(), &Stub::UpdateAppProfile, update, &operation).error_code(),
            StatusCode::ABORTED);  // the etag in the request is outdated
  Restart();
  EXPECT_EQ(Increment("batch"), StatusCode::OK);
  admin::ListAppProfilesRequest list;
  list.set_parent(kInstance);
  list.set_page_size(1);
  admin::ListAppProfilesResponse page;
  ASSERT_TRUE(Call(instances_.get(), &Stub::ListAppProfiles, list, &page).ok());
  ASSERT_EQ(page.app_profiles_size(), 1);
  EXPECT_EQ(page.app_profiles(0).description(), "batch");
  list.set_page_token(page.next_page_token());
  ASSERT_TRUE(Call(instances_.get(), &Stub::ListAppProfiles, list, &page).ok());
  EXPECT_EQ(page.app_profiles(0).name(), "projects/p/instances/i/appProfiles/default");
  EXPECT_EQ(page.next_page_token(), "");
  admin::DeleteAppProfileRequest drop;
  google::protobuf::Empty empty;
  drop.set_name(made.name());
  ASSERT_TRUE(Call(instances_.get(), &Stub::DeleteAppProfile, drop, &empty).ok());
  EXPECT_EQ(Call(instances_.get(), &Stub::DeleteAppProfile, drop, &empty).error_code(),
            StatusCode::NOT_FOUND);
}

TEST_F(InstanceAdminTest, StrictServersHaveWhatWasMade) {
  Restart(/*strict=*/true);
  admin::Instance instance;
  EXPECT_EQ(Get("projects/p/instances/one", &instance), StatusCode::NOT_FOUND);
  admin::CreateTableRequest table;
  table.set_parent("projects/p/instances/one");
  table.set_table_id("t");
  admin::Table made;
  auto create = [&] {
    return Call(admin_.get(), &BigtableTableAdmin::Stub::CreateTable, table, &made).error_code();
  };
  auto prepare = [&] {
    v2::PrepareQueryRequest query;
    query.set_instance_name(table.parent());
    query.set_query("SELECT 1 AS x");
    v2::PrepareQueryResponse response;
    return Call(data_.get(), &v2::Bigtable::Stub::PrepareQuery, query, &response).error_code();
  };
  EXPECT_EQ(create(), StatusCode::NOT_FOUND);
  EXPECT_EQ(prepare(), StatusCode::NOT_FOUND);
  ASSERT_EQ(Create("one"), StatusCode::OK);
  EXPECT_EQ(prepare(), StatusCode::OK);
  EXPECT_EQ(create(), StatusCode::OK);
  EXPECT_EQ(Get("projects/p/instances/one", &instance), StatusCode::OK);
}

TEST_F(InstanceAdminTest, PoliciesAreKeptUnderTheirEtag) {
  CreateTable();
  google::iam::v1::GetIamPolicyRequest get;
  google::iam::v1::SetIamPolicyRequest set;
  google::iam::v1::Policy policy;
  for (const char* resource : {kInstance, kTable}) {
    get.set_resource(resource);
    set.set_resource(resource);
    auto read = [&] {
      return Call(admin_.get(), &BigtableTableAdmin::Stub::GetIamPolicy, get, &policy);
    };
    auto write = [&] {
      return Call(admin_.get(), &BigtableTableAdmin::Stub::SetIamPolicy, set, &policy).error_code();
    };
    ASSERT_TRUE(read().ok());
    EXPECT_EQ(policy.bindings_size(), 0);
    *set.mutable_policy() = policy;
    auto* binding = set.mutable_policy()->add_bindings();
    binding->set_role("roles/bigtable.reader");
    binding->add_members("user:a@example.com");
    EXPECT_EQ(write(), StatusCode::OK);
    EXPECT_EQ(write(), StatusCode::ABORTED);  // the policy was read before the other write
    Restart();
    ASSERT_TRUE(read().ok());
    ASSERT_EQ(policy.bindings_size(), 1);
    EXPECT_EQ(policy.bindings(0).members(0), "user:a@example.com");
  }
  google::iam::v1::TestIamPermissionsRequest test;
  test.set_resource(kTable);
  test.add_permissions("bigtable.tables.readRows");
  google::iam::v1::TestIamPermissionsResponse allowed;
  ASSERT_TRUE(
      Call(admin_.get(), &BigtableTableAdmin::Stub::TestIamPermissions, test, &allowed).ok());
  EXPECT_EQ(allowed.permissions_size(), 1);
  get.set_resource("projects/p/instances/i/tables/nowhere");
  EXPECT_EQ(Call(admin_.get(), &BigtableTableAdmin::Stub::GetIamPolicy, get, &policy).error_code(),
            StatusCode::NOT_FOUND);
  get.set_resource("projects/p/instances/i/tables/t/authorizedViews/nowhere");
  EXPECT_EQ(Call(admin_.get(), &BigtableTableAdmin::Stub::GetIamPolicy, get, &policy).error_code(),
            StatusCode::NOT_FOUND);
}

TEST_F(InstanceAdminTest, SchemaBundlesAreDescriptors) {
  CreateTable();
  google::protobuf::FileDescriptorSet files;
  files.add_file()->set_name("a.proto");
  admin::CreateSchemaBundleRequest create;
  create.set_parent(kTable);
  create.set_schema_bundle_id("b");
  Operation operation;
  auto run = [&] {
    return Call(admin_.get(), &BigtableTableAdmin::Stub::CreateSchemaBundle, create, &operation)
        .error_code();
  };
  EXPECT_EQ(run(), StatusCode::INVALID_ARGUMENT);
  create.mutable_schema_bundle()->mutable_proto_schema()->set_proto_descriptors(
      files.SerializeAsString());
  ASSERT_EQ(run(), StatusCode::OK);
  EXPECT_EQ(run(), StatusCode::ALREADY_EXISTS);
  admin::GetSchemaBundleRequest get;
  get.set_name("projects/p/instances/i/tables/t/schemaBundles/b");
  admin::SchemaBundle bundle;
  Restart();
  ASSERT_TRUE(Call(admin_.get(), &BigtableTableAdmin::Stub::GetSchemaBundle, get, &bundle).ok());
  EXPECT_EQ(bundle.proto_schema().proto_descriptors(), files.SerializeAsString());
  admin::DeleteSchemaBundleRequest drop;
  drop.set_name(get.name());
  drop.set_etag("stale");
  google::protobuf::Empty empty;
  auto remove = [&] {
    return Call(admin_.get(), &BigtableTableAdmin::Stub::DeleteSchemaBundle, drop, &empty)
        .error_code();
  };
  EXPECT_EQ(remove(), StatusCode::ABORTED);
  drop.set_etag(bundle.etag());
  EXPECT_EQ(remove(), StatusCode::OK);
  EXPECT_EQ(
      Call(admin_.get(), &BigtableTableAdmin::Stub::GetSchemaBundle, get, &bundle).error_code(),
      StatusCode::NOT_FOUND);
}

}  // namespace
}  // namespace sippar::cluster
