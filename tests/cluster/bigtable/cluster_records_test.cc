// Clusters that were created with their instance, in every call in which clients use their names.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <atomic>

#include "engine/base/thread.h"
#include "tests/cluster/serve/api_fixture.h"

namespace sippar::cluster {
namespace {

using google::longrunning::Operation;
using grpc::StatusCode;
using Instances = admin::BigtableInstanceAdmin::Stub;
using Tables = admin::BigtableTableAdmin::Stub;

constexpr const char* kMade = "projects/p/instances/made";
constexpr const char* kMadeTable = "projects/p/instances/made/tables/t";

class ClusterRecordsTest : public ApiTest {
 protected:
  ClusterRecordsTest() {
    admin::CreateInstanceRequest request;
    request.set_parent("projects/p");
    request.set_instance_id("made");
    (*request.mutable_clusters())["c1"].set_serve_nodes(3);
    auto& limits = *(*request.mutable_clusters())["c2"]
                        .mutable_cluster_config()
                        ->mutable_cluster_autoscaling_config()
                        ->mutable_autoscaling_limits();
    limits.set_min_serve_nodes(2);
    limits.set_max_serve_nodes(5);
    Operation operation;
    EXPECT_TRUE(Call(instances_.get(), &Instances::CreateInstance, request, &operation).ok());
    admin::CreateTableRequest table;
    table.set_parent(kMade);
    table.set_table_id("t");
    (*table.mutable_table()->mutable_column_families())["f"];
    table.mutable_table()->mutable_change_stream_config()->mutable_retention_period()->set_seconds(
        86'400);
    admin::Table made;
    EXPECT_TRUE(Call(admin_.get(), &Tables::CreateTable, table, &made).ok());
  }
  static std::string Cluster(const std::string& id) {
    return fmt::format("{}/clusters/{}", kMade, id);
  }
  static std::string Backup(const std::string& cluster) { return Cluster(cluster) + "/backups/b"; }
  grpc::Status CreateBackup(const std::string& cluster) {
    admin::CreateBackupRequest request;
    request.set_parent(Cluster(cluster));
    request.set_backup_id("b");
    request.mutable_backup()->set_source_table(kMadeTable);
    request.mutable_backup()->mutable_expire_time()->set_seconds(clock_.NowMicros() / 1'000'000 +
                                                                 86'400);
    Operation operation;
    grpc::Status status = Call(admin_.get(), &Tables::CreateBackup, request, &operation);
    admin::Backup backup;
    if (status.ok()) {
      EXPECT_TRUE(operation.response().UnpackTo(&backup));
      EXPECT_EQ(backup.name(), Backup(cluster));
    }
    return status;
  }
  // Lists the backups page by page.
  std::string Backups(const std::string& cluster) {
    std::string names;
    admin::ListBackupsRequest request;
    request.set_parent(Cluster(cluster));
    request.set_page_size(1);
    do {
      admin::ListBackupsResponse page;
      grpc::Status status = Call(admin_.get(), &Tables::ListBackups, request, &page);
      if (!status.ok()) return status.error_message();
      for (const admin::Backup& backup : page.backups()) names += backup.name() + "\n";
      request.set_page_token(page.next_page_token());
    } while (!request.page_token().empty());
    return names;
  }
  StatusCode DeleteCluster(const std::string& id) {
    admin::DeleteClusterRequest request;
    request.set_name(Cluster(id));
    google::protobuf::Empty empty;
    return Call(instances_.get(), &Instances::DeleteCluster, request, &empty).error_code();
  }
  StatusCode DeleteInstance() {
    admin::DeleteInstanceRequest request;
    request.set_name(kMade);
    google::protobuf::Empty empty;
    return Call(instances_.get(), &Instances::DeleteInstance, request, &empty).error_code();
  }
  StatusCode DeleteBackup(const std::string& cluster) {
    admin::DeleteBackupRequest request;
    request.set_name(Backup(cluster));
    google::protobuf::Empty empty;
    return Call(admin_.get(), &Tables::DeleteBackup, request, &empty).error_code();
  }
  admin::AppProfile Profile(const std::string& id) {
    admin::GetAppProfileRequest request;
    request.set_name(fmt::format("{}/appProfiles/{}", kMade, id));
    admin::AppProfile profile;
    EXPECT_TRUE(Call(instances_.get(), &Instances::GetAppProfile, request, &profile).ok());
    return profile;
  }
};

TEST_F(ClusterRecordsTest, F_A1_BackupsAreOfTheClustersThatWereMade) {
  ASSERT_TRUE(CreateBackup("c1").ok());
  EXPECT_EQ(CreateBackup("c1").error_code(), StatusCode::ALREADY_EXISTS);
  ASSERT_TRUE(CreateBackup("c2").ok());  // another cluster may have a backup of the same id
  grpc::Status missing = CreateBackup("sippar");
  EXPECT_EQ(missing.error_code(), StatusCode::NOT_FOUND);
  EXPECT_NE(missing.error_message().find("c1, c2"), std::string::npos) << missing.error_message();
  EXPECT_EQ(Backups("c1"), Backup("c1") + "\n");
  EXPECT_EQ(Backups("-"), Backup("c2") + "\n" + Backup("c1") + "\n");
  EXPECT_NE(Backups("sippar").find("cluster 'sippar' not found"), std::string::npos);
  admin::RestoreTableRequest restore;
  restore.set_parent(kMade);
  restore.set_table_id("restored");
  restore.set_backup(Backup("c1"));
  Operation operation;
  ASSERT_TRUE(Call(admin_.get(), &Tables::RestoreTable, restore, &operation).ok());
  admin::RestoreTableMetadata metadata;
  ASSERT_TRUE(operation.metadata().UnpackTo(&metadata));
  EXPECT_EQ(metadata.backup_info().backup(), Backup("c1"));
}

// Clusters are created while another client changes one that exists.
TEST_F(ClusterRecordsTest, ACreationLosesNoChangeOfAnotherCluster) {
  constexpr int kChanges = 60;
  std::atomic<bool> ends{false};
  engine::Thread creator("creator", [&] {
    for (int i = 0; !ends && i < 40; ++i) {
      admin::CreateClusterRequest request;
      request.set_parent(kMade);
      request.set_cluster_id(fmt::format("new{}", i));
      request.mutable_cluster()->set_serve_nodes(1);
      Operation operation;
      EXPECT_TRUE(Call(instances_.get(), &Instances::CreateCluster, request, &operation).ok());
    }
  });
  for (int nodes = 4; nodes < 4 + kChanges && !HasFailure(); ++nodes) {
    admin::Cluster change;
    change.set_name(Cluster("c1"));
    change.set_serve_nodes(nodes);
    Operation operation;
    EXPECT_TRUE(Call(instances_.get(), &Instances::UpdateCluster, change, &operation).ok());
    engine::Clock::System()->SleepMicros(2'000);
    admin::GetClusterRequest get;
    get.set_name(Cluster("c1"));
    admin::Cluster found;
    EXPECT_TRUE(Call(instances_.get(), &Instances::GetCluster, get, &found).ok());
    EXPECT_EQ(found.serve_nodes(), nodes);
  }
  ends = true;
  creator.Join();
}

TEST_F(ClusterRecordsTest, F_A1_ABackupKeepsItsClusterAndInstance) {
  ASSERT_TRUE(CreateBackup("c2").ok());
  EXPECT_EQ(DeleteCluster("c2"), StatusCode::FAILED_PRECONDITION);
  EXPECT_EQ(DeleteInstance(), StatusCode::FAILED_PRECONDITION);
  EXPECT_EQ(DeleteBackup("c1"), StatusCode::NOT_FOUND);
  ASSERT_EQ(DeleteBackup("c2"), StatusCode::OK);
  EXPECT_EQ(DeleteCluster("c2"), StatusCode::OK);
  EXPECT_EQ(DeleteInstance(), StatusCode::OK);
}

TEST_F(ClusterRecordsTest, F_A1_TablesProfilesAndChangesNameTheClusters) {
  admin::GetTableRequest get;
  get.set_name(kMadeTable);
  get.set_view(admin::Table::FULL);
  admin::Table table;
  ASSERT_TRUE(Call(admin_.get(), &Tables::GetTable, get, &table).ok());
  ASSERT_EQ(table.cluster_states_size(), 2);
  EXPECT_EQ(table.cluster_states().at("c1").replication_state(), admin::Table::ClusterState::READY);
  EXPECT_TRUE(table.cluster_states().contains("c2"));
  admin::ListTablesRequest list;
  list.set_parent(kMade);
  list.set_view(admin::Table::REPLICATION_VIEW);
  admin::ListTablesResponse tables;
  ASSERT_TRUE(Call(admin_.get(), &Tables::ListTables, list, &tables).ok());
  ASSERT_EQ(tables.tables_size(), 1);
  EXPECT_TRUE(tables.tables(0).cluster_states().contains("c1"));
  EXPECT_EQ(Profile("default").single_cluster_routing().cluster_id(), "c1");

  v2::MutateRowRequest write;
  write.set_table_name(kMadeTable);
  write.set_row_key("r");
  write.add_mutations()->mutable_set_cell()->set_family_name("f");
  v2::MutateRowResponse written;
  ASSERT_TRUE(Call(data_.get(), &v2::Bigtable::Stub::MutateRow, write, &written).ok());
  v2::ReadChangeStreamRequest changes;
  changes.set_table_name(kMadeTable);
  changes.mutable_start_time()->set_seconds(clock_.NowMicros() / 1'000'000);
  changes.mutable_start_time()->set_nanos(
      static_cast<int32_t>(clock_.NowMicros() % 1'000'000 * 1000));
  changes.mutable_heartbeat_duration()->set_nanos(1'000'000);
  grpc::ClientContext context;
  auto reader = data_->ReadChangeStream(&context, changes);
  v2::ReadChangeStreamResponse response;
  while (reader->Read(&response) && !response.has_data_change()) continue;
  EXPECT_EQ(response.data_change().source_cluster_id(), "c1");
  context.TryCancel();
  while (reader->Read(&response)) continue;
  grpc::Status status = reader->Finish();
  EXPECT_EQ(status.error_code(), StatusCode::CANCELLED) << status.error_message();
}

TEST_F(ClusterRecordsTest, F_A12_AnAutoscaledClusterHasItsLeastNodes) {
  admin::GetClusterRequest get;
  get.set_name(Cluster("c2"));
  admin::Cluster cluster;
  ASSERT_TRUE(Call(instances_.get(), &Instances::GetCluster, get, &cluster).ok());
  EXPECT_EQ(cluster.serve_nodes(), 2);
  // The number of nodes is fixed from now on.
  admin::PartialUpdateClusterRequest update;
  update.mutable_cluster()->set_name(get.name());
  update.mutable_cluster()->set_serve_nodes(4);
  update.mutable_update_mask()->add_paths("serve_nodes");
  update.mutable_update_mask()->add_paths("cluster_config");
  Operation operation;
  ASSERT_TRUE(Call(instances_.get(), &Instances::PartialUpdateCluster, update, &operation).ok());
  ASSERT_TRUE(Call(instances_.get(), &Instances::GetCluster, get, &cluster).ok());
  EXPECT_EQ(cluster.serve_nodes(), 4);
}

TEST_F(ClusterRecordsTest, F_A9_AProfileWithoutIsolationIsOfHighPriority) {
  admin::CreateAppProfileRequest create;
  create.set_parent(kMade);
  create.set_app_profile_id("plain");
  create.mutable_app_profile()->mutable_multi_cluster_routing_use_any();
  admin::AppProfile profile;
  ASSERT_TRUE(Call(instances_.get(), &Instances::CreateAppProfile, create, &profile).ok());
  EXPECT_EQ(profile.standard_isolation().priority(), admin::AppProfile::PRIORITY_HIGH);
  EXPECT_EQ(Profile("plain").standard_isolation().priority(), admin::AppProfile::PRIORITY_HIGH);
  EXPECT_EQ(Profile("default").standard_isolation().priority(), admin::AppProfile::PRIORITY_HIGH);
  create.set_app_profile_id("boost");
  create.mutable_app_profile()->mutable_data_boost_isolation_read_only();
  ASSERT_TRUE(Call(instances_.get(), &Instances::CreateAppProfile, create, &profile).ok());
  EXPECT_TRUE(Profile("boost").has_data_boost_isolation_read_only());
}

}  // namespace
}  // namespace sippar::cluster
