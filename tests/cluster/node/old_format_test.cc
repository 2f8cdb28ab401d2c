// Directories of format 1, which this program rejects and leaves unchanged.
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cluster/api/store_paths.h"
#include "cluster/node/open_client.h"
#include "engine/tablet/state_file.h"
#include "tests/cluster/node/damaged_store.h"

namespace sippar::cluster {
namespace {

using ::testing::HasSubstr;

Status Open(engine::FileSystem* fs) {
  ClientOptions options;
  options.fs = fs;
  options.create_if_missing = true;
  return OpenClient("/db", options).status();
}

void ExpectRefused(const Status& status) {
  EXPECT_CODE(status, StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(MessageOf(status)),
              HasSubstr("store /db: its directory format is not supported (1, expected 2)"));
  EXPECT_THAT(std::string(MessageOf(status)), HasSubstr("a sippar built from commit "));
}

TEST(OldFormatTest, AStoreWithoutAMasterIsRefusedAndNotTouched) {
  engine::MemoryFileSystem disk;
  for (const char* path : {"/db", "/db/wal", "/db/sst", "/db/tablets"}) {
    EXPECT_OK(disk.CreateDir(path));
    EXPECT_OK(disk.SyncDir(path));
  }
  EXPECT_OK(disk.SyncDir("/"));
  EXPECT_OK(engine::ReplaceFile(&disk, "/db/CATALOG", "tables"));
  EXPECT_OK(engine::ReplaceFile(&disk, "/db/EPOCH", "1"));
  EXPECT_OK(engine::ReplaceFile(&disk, "/db/wal/0000000000000001-00000001.log", "a row"));
  EXPECT_OK(engine::ReplaceFile(&disk, "/db/STORE", "sippar store\nformat 1\n"));
  const StoreImage before = StoreImage::Of(&disk);
  ExpectRefused(Open(&disk));
  EXPECT_TRUE(StoreImage::Of(&disk) == before);
  // Without the file STORE it is not a sippar store at all.
  EXPECT_OK(disk.Remove("/db/STORE"));
  const StoreImage without = StoreImage::Of(&disk);
  EXPECT_CODE(Open(&disk), StatusCode::kFailedPrecondition);
  EXPECT_TRUE(StoreImage::Of(&disk) == without);
}

// An older program ended before it had converted all manifests into tables.
TEST(OldFormatTest, AMoveToFormat2ThatWasNotFinishedIsRefused) {
  engine::MemoryFileSystem disk;
  {
    auto client = OpenStore(&disk);
    ASSERT_TRUE(client.ok()) << client.status();
    EXPECT_OK((*client)->admin()->Do(calls::CreateTable{SchemaOf("t"), {}}));
    EXPECT_OK(PutRow(client->get(), "a", "1"));
    EXPECT_OK((*client)->Close());
  }
  EXPECT_OK(disk.CreateDir(store_paths::Backups("/db")));
  const std::string manifest = store_paths::Backup("/db", 1);
  EXPECT_OK(engine::WriteStateFile(&disk, manifest, engine::kBackupMagic, "of table u"));
  ExpectRefused(Open(&disk));
  EXPECT_TRUE(*disk.Exists(manifest));
  EXPECT_OK(disk.Remove(manifest));
  auto client = OpenStore(&disk);
  ASSERT_TRUE(client.ok()) << client.status();
  EXPECT_EQ(CountRows(client->get(), "t"), 1);
}

}  // namespace
}  // namespace sippar::cluster
