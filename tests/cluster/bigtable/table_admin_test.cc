// Administration of tables and instances as clients see it.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "tests/cluster/serve/api_fixture.h"

namespace sippar::cluster {
namespace {

using admin::BigtableTableAdmin;
using grpc::StatusCode;

class TableAdminTest : public ApiTest {
 protected:
  admin::Table Get(admin::Table::View view = admin::Table::SCHEMA_VIEW) {
    admin::GetTableRequest request;
    request.set_name(kTable);
    request.set_view(view);
    admin::Table table;
    EXPECT_TRUE(Call(admin_.get(), &BigtableTableAdmin::Stub::GetTable, request, &table).ok());
    return table;
  }
  grpc::Status Modify(const admin::ModifyColumnFamiliesRequest& request) {
    admin::Table table;
    return Call(admin_.get(), &BigtableTableAdmin::Stub::ModifyColumnFamilies, request, &table);
  }
  grpc::Status Create(const std::string& id, const std::string& parent = kInstance) {
    admin::CreateTableRequest request;
    request.set_parent(parent);
    request.set_table_id(id);
    admin::Table table;
    return Call(admin_.get(), &BigtableTableAdmin::Stub::CreateTable, request, &table);
  }
  grpc::Status Delete(const std::string& name) {
    admin::DeleteTableRequest request;
    request.set_name(name);
    google::protobuf::Empty empty;
    return Call(admin_.get(), &BigtableTableAdmin::Stub::DeleteTable, request, &empty);
  }
};

TEST_F(TableAdminTest, TablesOfInstancesAreApart) {
  ASSERT_TRUE(Create("t").ok());
  EXPECT_EQ(Create("t").error_code(), StatusCode::ALREADY_EXISTS);
  ASSERT_TRUE(Create("t", "projects/p/instances/other").ok());
  ASSERT_TRUE(Create("t", "projects/sippar/instances/default").ok());
  EXPECT_TRUE(client_->admin()->Do(calls::GetTable{"t"}).ok());
  EXPECT_TRUE(client_->admin()->Do(calls::GetTable{"p/other/t"}).ok());
  ASSERT_TRUE(Create("a").ok());
  admin::ListTablesRequest request;
  request.set_parent(kInstance);
  request.set_page_size(1);
  admin::ListTablesResponse page;
  auto list = [&] {
    page.Clear();
    return Call(admin_.get(), &BigtableTableAdmin::Stub::ListTables, request, &page);
  };
  ASSERT_TRUE(list().ok());
  ASSERT_EQ(page.tables_size(), 1);
  EXPECT_EQ(page.tables(0).name(), "projects/p/instances/i/tables/a");
  request.set_page_token(page.next_page_token());
  ASSERT_TRUE(list().ok());
  ASSERT_EQ(page.tables_size(), 1);
  EXPECT_EQ(page.tables(0).name(), kTable);
  EXPECT_EQ(page.next_page_token(), "");
  ASSERT_TRUE(Delete(kTable).ok());
  EXPECT_EQ(Delete(kTable).error_code(), StatusCode::NOT_FOUND);
}

TEST_F(TableAdminTest, IdsAreChecked) {
  for (const char* id : {"", "-x", ".x", "a b", "a/b", "p/i/t"}) {
    EXPECT_EQ(Create(id).error_code(), StatusCode::INVALID_ARGUMENT) << id;
  }
  EXPECT_EQ(Create(std::string(51, 'x')).error_code(), StatusCode::INVALID_ARGUMENT);
  EXPECT_TRUE(Create(std::string(50, 'x')).ok());
  EXPECT_EQ(Create("t", "projects/p").error_code(), StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(Create("t", "projects/p/instances/a b").error_code(), StatusCode::INVALID_ARGUMENT);
}

TEST_F(TableAdminTest, GcRulesAndTypesComeBackAsTheyWereGiven) {
  CreateTable();
  admin::ModifyColumnFamiliesRequest request;
  request.set_name(kTable);
  auto* modification = request.add_modifications();
  modification->set_id("x");
  auto* all = modification->mutable_create()->mutable_gc_rule()->mutable_intersection();
  all->add_rules()->set_max_num_versions(3);
  auto* any = all->add_rules()->mutable_union_();
  any->add_rules()->mutable_max_age()->set_seconds(86'400);
  any->add_rules()->mutable_max_age()->set_nanos(500'000'000);
  ASSERT_TRUE(Modify(request).ok());
  admin::Table table = Get();
  EXPECT_EQ(table.column_families().at("x").gc_rule().SerializeAsString(),
            modification->create().gc_rule().SerializeAsString());
  EXPECT_FALSE(table.column_families().at("f").has_gc_rule());
  EXPECT_TRUE(table.column_families().at("n").value_type().has_int64_type());
  EXPECT_EQ(table.granularity(), admin::Table::MILLIS);
  EXPECT_TRUE(Get(admin::Table::NAME_ONLY).column_families().empty());
  EXPECT_EQ(Get(admin::Table::FULL).cluster_states_size(), 1);
}

TEST_F(TableAdminTest, ModificationsAreAllOrNone) {
  CreateTable();
  ASSERT_TRUE(Set("r", "f", "q", 0, "v").ok());
  admin::ModifyColumnFamiliesRequest request;
  request.set_name(kTable);
  request.add_modifications()->set_id("f");
  request.mutable_modifications(0)->set_drop(true);
  request.add_modifications()->set_id("unknown");
  request.mutable_modifications(1)->set_drop(true);
  EXPECT_EQ(Modify(request).error_code(), StatusCode::NOT_FOUND);
  EXPECT_EQ(Read().rows.size(), 1u);
  request.mutable_modifications(1)->set_id("f");
  request.mutable_modifications(1)->mutable_create();
  ASSERT_TRUE(Modify(request).ok());
  EXPECT_TRUE(Read().rows.empty());  // the family is new, although it has an old name
  EXPECT_TRUE(Get().column_families().contains("f"));
  request.mutable_modifications(0)->set_id("g");
  request.mutable_modifications(1)->set_id("f");
  EXPECT_EQ(Modify(request).error_code(), StatusCode::ALREADY_EXISTS);
  EXPECT_TRUE(Get().column_families().contains("g"));
}

TEST_F(TableAdminTest, AFamilyMadeAnewInOneChangeMayHaveAnotherType) {
  CreateTable();
  ASSERT_TRUE(Set("r", "f", "q", 0, "old").ok());
  ASSERT_TRUE(Set("r", "g", "q", 0, "stays").ok());
  uint64_t version = client_->admin()->Do(calls::GetTable{"p/i/t"})->schema_version;
  admin::ModifyColumnFamiliesRequest request;
  request.set_name(kTable);
  request.add_modifications()->set_id("f");
  request.mutable_modifications(0)->set_drop(true);
  request.add_modifications()->set_id("f");
  request.mutable_modifications(1)
      ->mutable_create()
      ->mutable_value_type()
      ->mutable_int64_type()
      ->mutable_encoding()
      ->mutable_big_endian_bytes();
  for (int i = 1; i <= 3; ++i) {
    ASSERT_TRUE(Modify(request).ok());
    EXPECT_EQ(client_->admin()->Do(calls::GetTable{"p/i/t"})->schema_version,
              version + i);  // both modifications are one change
    EXPECT_EQ(Read().Print(), "r g:q@0=stays\n");
    ASSERT_TRUE(Set("r", "f", "q", 0, "12345678").ok());
    EXPECT_EQ(Read().Print(), "r f:q@0=12345678\nr g:q@0=stays\n");
    ASSERT_TRUE(client_->admin()->Do(calls::Compact{"p/i/t", ""}).ok());
    EXPECT_EQ(Read().Print(), "r f:q@0=12345678\nr g:q@0=stays\n");
  }
}

TEST_F(TableAdminTest, MalformedFamiliesAreRefused) {
  CreateTable();
  auto refused = [this](auto fill) {
    admin::ModifyColumnFamiliesRequest request;
    request.set_name(kTable);
    auto* modification = request.add_modifications();
    modification->set_id("x");
    fill(modification);
    return Modify(request).error_code();
  };
  using Modification = admin::ModifyColumnFamiliesRequest::Modification;
  EXPECT_EQ(refused([](Modification*) {}), StatusCode::NOT_FOUND);
  EXPECT_EQ(refused([](Modification* m) { m->set_id("f"); }), StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(refused([](Modification* m) { m->mutable_create(), m->set_id("a b"); }),
            StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(refused([](Modification* m) {
              m->mutable_create()->mutable_gc_rule()->set_max_num_versions(0);
            }),
            StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(refused([](Modification* m) {
              m->mutable_create()->mutable_gc_rule()->mutable_max_age()->set_seconds(-1);
            }),
            StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(refused([](Modification* m) {
              admin::GcRule* rule = m->mutable_create()->mutable_gc_rule();
              for (int i = 0; i < 30; ++i) rule = rule->mutable_union_()->add_rules();
            }),
            StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(refused([](Modification* m) {
              m->mutable_create()->mutable_value_type()->mutable_aggregate_type();
            }),
            StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(refused([](Modification* m) {
              m->mutable_create()->mutable_value_type()->mutable_float64_type();
            }),
            StatusCode::UNIMPLEMENTED);
}

TEST_F(TableAdminTest, F_A6_AFamilyOfTextKeepsItsType) {
  CreateTable();
  admin::ModifyColumnFamiliesRequest request;
  request.set_name(kTable);
  auto* modification = request.add_modifications();
  modification->set_id("s");
  modification->mutable_create()
      ->mutable_value_type()
      ->mutable_string_type()
      ->mutable_encoding()
      ->mutable_utf8_bytes();
  ASSERT_TRUE(Modify(request).ok());
  auto type = [this] { return Get().column_families().at("s").value_type(); };
  EXPECT_TRUE(type().string_type().encoding().has_utf8_bytes());
  ASSERT_TRUE(Set("r", "s", "q", 0, "text").ok());
  EXPECT_EQ(Read().Print(), "r s:q@0=text\n");
  modification->mutable_update_mask()->add_paths("value_type");
  modification->mutable_update()->mutable_value_type()->mutable_int64_type();
  EXPECT_EQ(Modify(request).error_code(), StatusCode::FAILED_PRECONDITION);
  // A family that is created again without a type has no type.
  modification->set_drop(true);
  request.add_modifications()->set_id("s");
  request.mutable_modifications(1)->mutable_create();
  ASSERT_TRUE(Modify(request).ok());
  EXPECT_EQ(type().kind_case(), admin::Type::KIND_NOT_SET);
}

TEST_F(TableAdminTest, F_A6_TheTypeOfAnAggregateIsImmutable) {
  CreateTable();
  admin::ModifyColumnFamiliesRequest request;
  request.set_name(kTable);
  auto* modification = request.add_modifications();
  modification->set_id("sum");
  auto* aggregate = modification->mutable_create()->mutable_value_type()->mutable_aggregate_type();
  aggregate->mutable_input_type()->mutable_int64_type();
  aggregate->mutable_sum();
  admin::Type sum = modification->create().value_type();
  ASSERT_TRUE(Modify(request).ok());
  modification->mutable_update_mask()->add_paths("value_type");
  auto update = [&] {
    grpc::Status status = Modify(request);
    EXPECT_EQ(status.error_code(), StatusCode::INVALID_ARGUMENT);
    return status.error_message();
  };
  const std::string expected = "Immutable fields 'value_type.aggregate_type' cannot be updated";
  modification->mutable_update()->mutable_value_type()->mutable_string_type();
  EXPECT_EQ(update(), expected);
  *modification->mutable_update()->mutable_value_type() = sum;
  modification->mutable_update()->mutable_value_type()->mutable_aggregate_type()->mutable_max();
  EXPECT_EQ(update(), expected);
  *modification->mutable_update()->mutable_value_type() = sum;
  EXPECT_TRUE(Modify(request).ok());  // an update that changes nothing
}

TEST_F(TableAdminTest, F_A10_AGranularityThatThereIsNotIsRefused) {
  admin::CreateTableRequest request;
  request.set_parent(kInstance);
  request.set_table_id("t");
  request.mutable_table()->set_granularity(static_cast<admin::Table::TimestampGranularity>(77));
  admin::Table table;
  EXPECT_EQ(
      Call(admin_.get(), &BigtableTableAdmin::Stub::CreateTable, request, &table).error_code(),
      StatusCode::INVALID_ARGUMENT);
}

TEST_F(TableAdminTest, F_A12_AutomaticBackupsAreRefusedWithTheWayOut) {
  admin::CreateTableRequest request;
  request.set_parent(kInstance);
  request.set_table_id("t");
  request.mutable_table()->mutable_automated_backup_policy()->mutable_frequency()->set_seconds(9);
  admin::Table table;
  grpc::Status status = Call(admin_.get(), &BigtableTableAdmin::Stub::CreateTable, request, &table);
  EXPECT_EQ(status.error_code(), StatusCode::UNIMPLEMENTED);
  EXPECT_NE(status.error_message().find("CreateBackup"), std::string::npos);
  CreateTable();
  admin::UpdateTableRequest update;
  update.mutable_table()->set_name(kTable);
  update.mutable_update_mask()->add_paths("automated_backup_policy");
  google::longrunning::Operation operation;
  status = Call(admin_.get(), &BigtableTableAdmin::Stub::UpdateTable, update, &operation);
  EXPECT_EQ(status.error_code(), StatusCode::UNIMPLEMENTED);
  EXPECT_NE(status.error_message().find("CreateBackup"), std::string::npos);
}

TEST_F(TableAdminTest, AProtectedTableAndItsFamiliesStay) {
  CreateTable();
  admin::UpdateTableRequest update;
  update.mutable_table()->set_name(kTable);
  update.mutable_table()->set_deletion_protection(true);
  update.mutable_update_mask()->add_paths("deletion_protection");
  google::longrunning::Operation operation;
  ASSERT_TRUE(Call(admin_.get(), &BigtableTableAdmin::Stub::UpdateTable, update, &operation).ok());
  EXPECT_TRUE(operation.done());
  admin::Table table;
  ASSERT_TRUE(operation.response().UnpackTo(&table));
  EXPECT_TRUE(table.deletion_protection());
  google::longrunning::GetOperationRequest get;
  get.set_name(operation.name());
  google::longrunning::Operation again;
  using google::longrunning::Operations;
  ASSERT_TRUE(Call(operations_.get(), &Operations::Stub::GetOperation, get, &again).ok());
  EXPECT_EQ(again.SerializeAsString(), operation.SerializeAsString());
  EXPECT_EQ(Delete(kTable).error_code(), StatusCode::FAILED_PRECONDITION);
  admin::ModifyColumnFamiliesRequest drop;
  drop.set_name(kTable);
  drop.add_modifications()->set_id("f");
  drop.mutable_modifications(0)->set_drop(true);
  EXPECT_EQ(Modify(drop).error_code(), StatusCode::FAILED_PRECONDITION);
  drop.add_modifications()->set_id("f");
  drop.mutable_modifications(1)->mutable_create();
  EXPECT_EQ(Modify(drop).error_code(), StatusCode::FAILED_PRECONDITION);
  // Other ways to drop the table are rejected as well.
  EXPECT_EQ(client_->admin()->Do(calls::DropTable{"p/i/t"}).code(),
            sippar::StatusCode::kFailedPrecondition);
  update.mutable_table()->set_deletion_protection(false);
  ASSERT_TRUE(Call(admin_.get(), &BigtableTableAdmin::Stub::UpdateTable, update, &operation).ok());
  EXPECT_TRUE(Delete(kTable).ok());
}

TEST_F(TableAdminTest, DroppedRowsAreGoneAndLaterOnesStay) {
  CreateTable({"b"});
  for (int i = 0; i < 2'500; ++i) {
    ASSERT_TRUE(Set(fmt::format("a{:04}", i), "f", "q", 0, "v").ok());
  }
  ASSERT_TRUE(Set("b", "f", "q", 0, "v").ok());
  admin::DropRowRangeRequest request;
  request.set_name(kTable);
  google::protobuf::Empty empty;
  auto drop = [&] {
    return Call(admin_.get(), &BigtableTableAdmin::Stub::DropRowRange, request, &empty);
  };
  EXPECT_EQ(drop().error_code(), StatusCode::INVALID_ARGUMENT);
  request.set_row_key_prefix("a");
  ASSERT_TRUE(drop().ok());
  EXPECT_EQ(Read().rows, (std::vector<std::string>{"b"}));
  ASSERT_TRUE(Set("a0001", "f", "q", 0, "v").ok());
  EXPECT_EQ(Read().rows, (std::vector<std::string>{"a0001", "b"}));
  request.set_delete_all_data_from_table(true);
  ASSERT_TRUE(drop().ok());
  EXPECT_TRUE(Read().rows.empty());
}

TEST_F(TableAdminTest, ConsistencyTokensAreConsistentAtOnce) {
  CreateTable();
  admin::GenerateConsistencyTokenRequest generate;
  generate.set_name(kTable);
  admin::GenerateConsistencyTokenResponse token;
  ASSERT_TRUE(
      Call(admin_.get(), &BigtableTableAdmin::Stub::GenerateConsistencyToken, generate, &token)
          .ok());
  admin::CheckConsistencyRequest check;
  check.set_name(kTable);
  check.set_consistency_token(token.consistency_token());
  admin::CheckConsistencyResponse consistent;
  auto ask = [&] {
    return Call(admin_.get(), &BigtableTableAdmin::Stub::CheckConsistency, check, &consistent);
  };
  ASSERT_TRUE(ask().ok());
  EXPECT_TRUE(consistent.consistent());
  check.set_consistency_token("another");
  EXPECT_EQ(ask().error_code(), StatusCode::INVALID_ARGUMENT);
}

TEST_F(TableAdminTest, EveryInstanceExistsAndHasOneCluster) {
  CreateTable();
  using Stub = admin::BigtableInstanceAdmin::Stub;
  admin::GetInstanceRequest get;
  get.set_name("projects/any/instances/one");
  admin::Instance instance;
  ASSERT_TRUE(Call(instances_.get(), &Stub::GetInstance, get, &instance).ok());
  EXPECT_EQ(instance.state(), admin::Instance::READY);
  admin::ListInstancesRequest list;
  list.set_parent("projects/p");
  admin::ListInstancesResponse instances;
  ASSERT_TRUE(Call(instances_.get(), &Stub::ListInstances, list, &instances).ok());
  ASSERT_EQ(instances.instances_size(), 1);
  EXPECT_EQ(instances.instances(0).name(), kInstance);
  admin::ListClustersRequest clusters;
  clusters.set_parent("projects/p/instances/-");
  admin::ListClustersResponse found;
  ASSERT_TRUE(Call(instances_.get(), &Stub::ListClusters, clusters, &found).ok());
  ASSERT_EQ(found.clusters_size(), 1);
  admin::GetClusterRequest cluster;
  cluster.set_name(found.clusters(0).name());
  admin::Cluster one;
  EXPECT_TRUE(Call(instances_.get(), &Stub::GetCluster, cluster, &one).ok());
  cluster.set_name("projects/p/instances/i/clusters/other");
  EXPECT_EQ(Call(instances_.get(), &Stub::GetCluster, cluster, &one).error_code(),
            StatusCode::NOT_FOUND);
}

}  // namespace
}  // namespace sippar::cluster
