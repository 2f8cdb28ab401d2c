// Backups, restored and undeleted tables as clients see them.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "tests/cluster/serve/api_fixture.h"

namespace sippar::cluster {
namespace {

using google::longrunning::Operation;
using grpc::StatusCode;
using Stub = admin::BigtableTableAdmin::Stub;

constexpr const char* kCluster = "projects/p/instances/i/clusters/sippar";
constexpr const char* kBackup = "projects/p/instances/i/clusters/sippar/backups/b";

class BackupApiTest : public ApiTest {
 protected:
  BackupApiTest() {
    CreateTable({"m"});
    EXPECT_TRUE(Set("a", "f", "q", 0, "1").ok());
    EXPECT_TRUE(Set("z", "f", "q", 0, "2").ok());
  }
  int64_t NowSeconds() { return clock_.NowMicros() / 1'000'000; }
  grpc::Status Create(const std::string& id, int64_t expire_s, Operation* operation,
                      const std::string& parent = kCluster) {
    admin::CreateBackupRequest request;
    request.set_parent(parent);
    request.set_backup_id(id);
    request.mutable_backup()->set_source_table(kTable);
    request.mutable_backup()->mutable_expire_time()->set_seconds(expire_s);
    return Call(admin_.get(), &Stub::CreateBackup, request, operation);
  }
  admin::ListBackupsResponse List(const std::string& token = "", int page_size = 0) {
    admin::ListBackupsRequest request;
    request.set_parent("projects/p/instances/i/clusters/-");
    request.set_page_size(page_size);
    request.set_page_token(token);
    admin::ListBackupsResponse response;
    EXPECT_TRUE(Call(admin_.get(), &Stub::ListBackups, request, &response).ok());
    return response;
  }
  grpc::Status Restore(const std::string& table_id, Operation* operation) {
    admin::RestoreTableRequest request;
    request.set_parent(kInstance);
    request.set_table_id(table_id);
    request.set_backup(kBackup);
    return Call(admin_.get(), &Stub::RestoreTable, request, operation);
  }
  std::string ReadTable(const std::string& id) {
    v2::ReadRowsRequest request;
    request.set_table_name(std::string(kInstance) + "/tables/" + id);
    ReadResult result = Read(request);
    return result.status.ok() ? result.Print() : result.status.error_message();
  }
  grpc::Status DeleteTable() {
    admin::DeleteTableRequest request;
    request.set_name(kTable);
    return Call(admin_.get(), &Stub::DeleteTable, request,
                static_cast<google::protobuf::Empty*>(nullptr));
  }
};

TEST_F(BackupApiTest, IsMadeListedCopiedRestoredAndDeleted) {
  Operation operation;
  ASSERT_TRUE(Create("b", NowSeconds() + 86'400, &operation).ok());
  ASSERT_TRUE(operation.done());
  admin::Backup backup;
  ASSERT_TRUE(operation.response().UnpackTo(&backup));
  EXPECT_EQ(backup.name(), kBackup);
  EXPECT_EQ(backup.source_table(), kTable);
  EXPECT_EQ(backup.state(), admin::Backup::READY);
  EXPECT_EQ(backup.expire_time().seconds(), NowSeconds() + 86'400);
  EXPECT_GT(backup.size_bytes(), 0);
  admin::CreateBackupMetadata metadata;
  ASSERT_TRUE(operation.metadata().UnpackTo(&metadata));
  EXPECT_EQ(metadata.source_table(), kTable);
  EXPECT_EQ(Create("b", NowSeconds() + 86'400, &operation).error_code(),
            StatusCode::ALREADY_EXISTS);

  admin::CopyBackupRequest copy;
  copy.set_parent(kCluster);
  copy.set_backup_id("c");
  copy.set_source_backup(kBackup);
  copy.mutable_expire_time()->set_seconds(NowSeconds() + 86'400);
  ASSERT_TRUE(Call(admin_.get(), &Stub::CopyBackup, copy, &operation).ok());
  ASSERT_TRUE(operation.response().UnpackTo(&backup));
  EXPECT_EQ(backup.source_backup(), kBackup);

  admin::ListBackupsResponse page = List("", 1);
  ASSERT_EQ(page.backups_size(), 1);
  EXPECT_EQ(page.backups(0).name(), backup.name());  // the newest backup comes first
  page = List(page.next_page_token(), 1);
  ASSERT_EQ(page.backups_size(), 1);
  EXPECT_EQ(page.backups(0).name(), kBackup);
  EXPECT_EQ(page.next_page_token(), "");

  ASSERT_TRUE(Set("a", "f", "q", 0, "later").ok());
  ASSERT_TRUE(Restore("restored", &operation).ok());
  admin::Table table;
  ASSERT_TRUE(operation.response().UnpackTo(&table));
  EXPECT_EQ(table.name(), std::string(kInstance) + "/tables/restored");
  EXPECT_TRUE(table.column_families().contains("g"));
  admin::RestoreTableMetadata restored;
  ASSERT_TRUE(operation.metadata().UnpackTo(&restored));
  EXPECT_EQ(restored.backup_info().backup(), kBackup);
  EXPECT_EQ(ReadTable("restored"), "a f:q@0=1\nz f:q@0=2\n");
  EXPECT_EQ(Restore("restored", &operation).error_code(), StatusCode::ALREADY_EXISTS);

  admin::UpdateBackupRequest update;
  update.mutable_backup()->set_name(kBackup);
  update.mutable_backup()->mutable_expire_time()->set_seconds(NowSeconds() + 200'000);
  update.mutable_update_mask()->add_paths("expire_time");
  ASSERT_TRUE(Call(admin_.get(), &Stub::UpdateBackup, update, &backup).ok());
  EXPECT_EQ(backup.expire_time().seconds(), NowSeconds() + 200'000);
  update.mutable_update_mask()->set_paths(0, "source_table");
  EXPECT_EQ(Call(admin_.get(), &Stub::UpdateBackup, update, &backup).error_code(),
            StatusCode::INVALID_ARGUMENT);

  admin::DeleteBackupRequest gone;
  gone.set_name(kBackup);
  google::protobuf::Empty empty;
  ASSERT_TRUE(Call(admin_.get(), &Stub::DeleteBackup, gone, &empty).ok());
  admin::GetBackupRequest get;
  get.set_name(kBackup);
  EXPECT_EQ(Call(admin_.get(), &Stub::GetBackup, get, &backup).error_code(), StatusCode::NOT_FOUND);
  EXPECT_EQ(List().backups_size(), 1);
}

TEST_F(BackupApiTest, MalformedRequestsAreRefused) {
  Operation operation;
  int64_t later = NowSeconds() + 86'400;
  EXPECT_EQ(Create("b", 0, &operation).error_code(), StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(Create("b", NowSeconds(), &operation).error_code(), StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(Create("b", INT64_MAX, &operation).error_code(), StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(Create("b", NowSeconds() + 91 * 86'400, &operation).error_code(),
            StatusCode::INVALID_ARGUMENT);
  for (const char* id : {"", "a/b", ".b", "b b"}) {
    EXPECT_EQ(Create(id, later, &operation).error_code(), StatusCode::INVALID_ARGUMENT) << id;
  }
  EXPECT_EQ(Create("b", later, &operation, kInstance).error_code(), StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(Create("b", later, &operation, "projects/p/instances/i/clusters/x").error_code(),
            StatusCode::NOT_FOUND);
  EXPECT_EQ(Create("b", later, &operation, "projects/p/instances/j/clusters/sippar").error_code(),
            StatusCode::INVALID_ARGUMENT);  // the table belongs to another instance
  EXPECT_EQ(Restore("t2", &operation).error_code(), StatusCode::NOT_FOUND);
  EXPECT_EQ(List().backups_size(), 0);
}

TEST_F(BackupApiTest, ADeletedTableCanBeHadBack) {
  admin::UndeleteTableRequest undelete;
  undelete.set_name(kTable);
  Operation operation;
  EXPECT_EQ(Call(admin_.get(), &Stub::UndeleteTable, undelete, &operation).error_code(),
            StatusCode::NOT_FOUND);
  ASSERT_TRUE(DeleteTable().ok());
  EXPECT_NE(ReadTable("t").find("not found"), std::string::npos);
  EXPECT_EQ(List().backups_size(), 0);
  ASSERT_TRUE(Call(admin_.get(), &Stub::UndeleteTable, undelete, &operation).ok());
  admin::Table table;
  ASSERT_TRUE(operation.response().UnpackTo(&table));
  EXPECT_EQ(table.name(), kTable);
  EXPECT_EQ(ReadTable("t"), "a f:q@0=1\nz f:q@0=2\n");
  ASSERT_TRUE(Set("a", "f", "q", 0, "new").ok());
  EXPECT_EQ(ReadTable("t"), "a f:q@0=new\nz f:q@0=2\n");
}

}  // namespace
}  // namespace sippar::cluster
