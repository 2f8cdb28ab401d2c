// The interface for administrators in plain C++ types, which the master of a cluster implements:
// tables, tablets, figures and named records. Thread safe. A schema change is durable when its call
// returns OK. Times are microseconds since the Unix epoch.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "engine/base/status.h"
#include "engine/model/named_record.h"
#include "engine/model/row_set.h"
#include "engine/model/schema.h"
#include "engine/store/hot_tablets.h"
#include "engine/tablet/group_stats.h"

namespace sippar::cluster {

using engine::GroupStats;
using engine::HotTablet;
using engine::NamedRecord;
using engine::TableSchema;

struct TableInfo {
  TableSchema schema;
  uint64_t table_id = 0;
  uint64_t schema_version = 0;  // rises with each schema change
  int64_t changed_at_us = 0;    // time of the last schema change
  uint64_t tablet_count = 0;
};

struct CompactionInfo {
  std::string table;
  uint64_t tablet_id = 0;
  std::string group;
  std::string kind;    // "minor", "merging", "major"
  std::string reason;  // why the policy chose it
  uint64_t inputs = 0;
  uint64_t bytes_in = 0;
  uint64_t bytes_out = 0;
  int64_t started_us = 0;
  int64_t duration_us = 0;
  std::string status;  // "running", "done", or the error
};

class BackupApi;

class AdminApi {
 public:
  virtual ~AdminApi() = default;

  // The interface for backups (cluster/api/backup_api.h); nullptr: this target keeps no backups.
  virtual BackupApi* backups() { return nullptr; }

  // Creates a table of n + 1 tablets from n split keys, which are sorted, distinct, and none of
  // them "". kAlreadyExists; kInvalidArgument.
  [[nodiscard]] virtual Status CreateTable(const TableSchema& schema,
                                           const std::vector<std::string>& split_keys) = 0;
  // Replaces the schema; engine/model/schema_change.h has the rules. A family that the new schema
  // lacks is dropped with its data. The data of a family that changes its locality group moves with
  // later compactions. kAborted: `expected_version` is not the table's version any more.
  [[nodiscard]] virtual Status AlterTable(const TableSchema& schema, uint64_t expected_version) = 0;
  // kFailedPrecondition: the table is protected.
  [[nodiscard]] virtual Status DropTable(const std::string& table) = 0;
  [[nodiscard]] virtual StatusOr<TableInfo> GetTable(const std::string& table) = 0;  // kNotFound
  // Returns the schema alone. Implementations that serve data override it to share one object
  // instead of copying, because every data call of the Bigtable API needs the schema.
  [[nodiscard]] virtual StatusOr<std::shared_ptr<const TableSchema>> GetSchema(
      const std::string& table) {
    ASSIGN_OR_RETURN(TableInfo info, GetTable(table));
    return std::make_shared<const TableSchema>(std::move(info.schema));
  }
  [[nodiscard]] virtual StatusOr<std::vector<TableInfo>> ListTables() = 0;  // sorted by name
  // Writes the memtables to SSTables now.
  [[nodiscard]] virtual Status Flush(const std::string& table) = 0;
  // Runs a major compaction, which leaves one run without tombstones or garbage, and returns when
  // it is done. `group` "": all locality groups.
  [[nodiscard]] virtual Status Compact(const std::string& table, const std::string& group) = 0;
  // Splits the tablet that has `row`, so that `row` becomes the first row of a tablet. No data is
  // copied, so reads and writes are interrupted only briefly.
  [[nodiscard]] virtual Status Split(const std::string& table, const std::string& row) = 0;
  // Merges all tablets that overlap `rows` into one.
  [[nodiscard]] virtual Status Merge(const std::string& table, const engine::RowRange& rows) = 0;
  // Scrubs the table: reads every block of every SSTable. kDataLoss names the file and the offset.
  [[nodiscard]] virtual Status Verify(const std::string& table) = 0;
  [[nodiscard]] virtual StatusOr<std::vector<GroupStats>> Stats(const std::string& table) = 0;
  [[nodiscard]] virtual std::map<std::string, uint64_t> Metrics() = 0;
  // About a hundred of the compactions that ended last, oldest first, then the running ones.
  [[nodiscard]] virtual std::vector<CompactionInfo> Compactions() = 0;
  // Tablets that used much of their server's CPU in measuring intervals that began within
  // [start_us, end_us). Servers keep this in memory, so it ends with the server's process.
  [[nodiscard]] virtual StatusOr<std::vector<HotTablet>> HotTablets(int64_t start_us,
                                                                    int64_t end_us) = 0;
  // Small named records for the layers above this interface, such as the instances of the Bigtable
  // API. Lists are sorted by name. A change is durable when OK, and conditional: kAborted when the
  // record's version is not `version` (0: the record must not exist). kNotFound.
  [[nodiscard]] virtual StatusOr<NamedRecord> GetRecord(const std::string& name) = 0;
  [[nodiscard]] virtual StatusOr<std::vector<NamedRecord>> ListRecords(
      const std::string& prefix) = 0;
  [[nodiscard]] virtual Status PutRecord(const std::string& name, const std::string& body,
                                         uint64_t version) = 0;
  [[nodiscard]] virtual Status DeleteRecord(const std::string& name, uint64_t version) = 0;
  // Describes every tablet for a human reader: range, redo point, memtables, runs and files.
  [[nodiscard]] virtual StatusOr<std::string> DumpTablets(const std::string& table) = 0;
};

}  // namespace sippar::cluster
