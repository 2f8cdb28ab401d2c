// The calls of AdminApi for backups of tables, and for dropped tables that are kept for a while so
// that they can be restored. Table names are those of the store; the caller chooses backup names
// freely. A change is durable when its call returns OK. Times are microseconds since the Unix
// epoch. Plain data.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cluster/api/call.h"
#include "cluster/api/change_api.h"
#include "engine/model/schema.h"
#include "engine/store/backup_info.h"

namespace sippar::cluster {

using engine::BackupInfo;

// Where the changes begin that are not in a backup. Of each tablet, a backup has exactly the
// changes up to a position.
struct BackupChanges {
  engine::TableSchema schema;      // of the source when the backup was made
  uint64_t table_id = 0;           // of the source
  std::vector<ChangeToken> parts;  // one for each tablet of then; together they cover all rows

  static constexpr int kFields = 3;
};

namespace calls {

// Backs up the table with everything that was acknowledged before the call. It is not one snapshot
// of the table: each tablet is saved as it was at some moment during the call. kNotFound: table not
// found; kAlreadyExists: the backup exists; kResourceExhausted: the store has kBackupsMax backups;
// kUnavailable: the table's tablets moved or split all the time, or the backup took so long that
// its files may be gone.
struct CreateBackup {
  std::string name;
  std::string table;
  int64_t expires_us = 0;

  using Reply = BackupInfo;
  static constexpr int kFields = 3;
  static constexpr CallRule kRule = ChangeRule("CreateBackup");
};

struct CopyBackup {
  std::string source;
  std::string name;
  int64_t expires_us = 0;

  using Reply = BackupInfo;
  static constexpr int kFields = 3;
  static constexpr CallRule kRule = ChangeRule("CopyBackup");
};

// kNotFound: backup not found. This call, ListBackups and GetBackupChanges have no time limit,
// because they read every manifest.
struct GetBackup {
  std::string name;

  using Reply = BackupInfo;
  static constexpr int kFields = 1;
  static constexpr CallRule kRule{"GetBackup"};
};

// Returns the backups that have not expired, in the order of their creation.
struct ListBackups {
  using Reply = std::vector<BackupInfo>;
  static constexpr int kFields = 0;
  static constexpr CallRule kRule{"ListBackups"};
};

// Sets the absolute time at which the backup expires, so repeating the call changes nothing.
struct SetBackupExpiry {
  std::string name;
  int64_t expires_us = 0;

  using Reply = BackupInfo;
  static constexpr int kFields = 2;
  static constexpr CallRule kRule{"SetBackupExpiry", Repeat::kSafe, Effect::kUnknown};
};

struct DeleteBackup {
  std::string name;

  using Reply = Done;
  static constexpr int kFields = 1;
  static constexpr CallRule kRule = ChangeRule("DeleteBackup");
};

// Returns what is needed to read the changes that the source of a backup had after it, if the
// source has a change stream: BackupChanges. kNotFound: backup not found.
struct GetBackupChanges {
  std::string name;

  using Reply = BackupChanges;
  static constexpr int kFields = 1;
  static constexpr CallRule kRule{"GetBackupChanges"};
};

// Creates a table with the schema and data of the backup. The new table is not protected against
// deletion, even if the old one was. Once begun, the call ignores its caller's deadline and cancel
// flag. kNotFound: backup not found; kAlreadyExists: the table exists.
struct RestoreTable {
  std::string backup;
  std::string table;

  using Reply = Done;
  static constexpr int kFields = 2;
  static constexpr CallRule kRule = ChangeRule("RestoreTable");
};

// Like DropTable, but the table can be undeleted for `keep_us`, and occupies its disk space until
// then. If the disk is full, the table is removed at once.
struct DropAndKeepTable {
  std::string table;
  int64_t keep_us = 0;

  using Reply = Done;
  static constexpr int kFields = 2;
  static constexpr CallRule kRule = ChangeRule("DropAndKeepTable");
};

// Restores the table of this name that was dropped last. kNotFound: no dropped table has this
// name, or the time for which it was kept is over. kAlreadyExists: another table has the name now.
struct UndeleteTable {
  std::string table;

  using Reply = Done;
  static constexpr int kFields = 1;
  static constexpr CallRule kRule = ChangeRule("UndeleteTable");
};

using BackupCalls =
    CallList<CreateBackup, CopyBackup, GetBackup, ListBackups, SetBackupExpiry, DeleteBackup,
             GetBackupChanges, RestoreTable, DropAndKeepTable, UndeleteTable>;

}  // namespace calls
}  // namespace sippar::cluster
