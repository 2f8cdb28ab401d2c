// What the master does for administrators, in plain C++ types. Thread safe. Every schema change is
// durable when it returns. SPDX-License-Identifier: Apache-2.0
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
  uint64_t schema_version = 0;  // rises at each change
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

  // cluster/api/backup_api.h; nullptr: this target keeps no backups.
  virtual BackupApi* backups() { return nullptr; }

  // kAlreadyExists; kInvalidArgument. `split_keys` sorted, distinct, not empty: n keys, n+1
  // tablets.
  [[nodiscard]] virtual Status CreateTable(const TableSchema& schema,
                                           const std::vector<std::string>& split_keys) = 0;
  // Replaces the schema (which changes are allowed: engine/model/schema_change.h). kAborted when
  // `expected_version` is no longer the table's; a family that is gone is dropped with its data;
  // one that moves to another group gets there over time.
  [[nodiscard]] virtual Status AlterTable(const TableSchema& schema, uint64_t expected_version) = 0;
  // kFailedPrecondition: it is protected.
  [[nodiscard]] virtual Status DropTable(const std::string& table) = 0;
  [[nodiscard]] virtual StatusOr<TableInfo> GetTable(const std::string& table) = 0;  // kNotFound
  // Of GetTable; real ones copy nothing, as each call of a client comes here.
  [[nodiscard]] virtual StatusOr<std::shared_ptr<const TableSchema>> GetSchema(
      const std::string& table) {
    ASSIGN_OR_RETURN(TableInfo info, GetTable(table));
    return std::make_shared<const TableSchema>(std::move(info.schema));
  }
  [[nodiscard]] virtual StatusOr<std::vector<TableInfo>> ListTables() = 0;  // in order of name
  // Memtables to SSTables, now. `group` "" = all.
  [[nodiscard]] virtual Status Flush(const std::string& table) = 0;
  // Major compaction: one run without tombstones or garbage. Waits for it.
  [[nodiscard]] virtual Status Compact(const std::string& table, const std::string& group) = 0;
  // `row` becomes the first of a tablet; no byte is copied, nobody waits long.
  [[nodiscard]] virtual Status Split(const std::string& table, const std::string& row) = 0;
  // The tablets that have some of `rows` become one.
  [[nodiscard]] virtual Status Merge(const std::string& table, const engine::RowRange& rows) = 0;
  // Scrub: reads every block of every SSTable; kDataLoss names file and offset.
  [[nodiscard]] virtual Status Verify(const std::string& table) = 0;
  [[nodiscard]] virtual StatusOr<std::vector<GroupStats>> Stats(const std::string& table) = 0;
  [[nodiscard]] virtual std::map<std::string, uint64_t> Metrics() = 0;
  // About the last hundred that ended, oldest first, then those that run.
  [[nodiscard]] virtual std::vector<CompactionInfo> Compactions() = 0;
  // Tablets that took much of their server's processors in times that began within
  // [start_us, end_us), as far as servers that live remember.
  [[nodiscard]] virtual StatusOr<std::vector<HotTablet>> HotTablets(int64_t start_us,
                                                                    int64_t end_us) = 0;
  // Small facts by name, for what is built on this interface. kNotFound. In order of name; durable
  // when OK; kAborted: the record's version is not `version` (0: there is none).
  [[nodiscard]] virtual StatusOr<NamedRecord> GetRecord(const std::string& name) = 0;
  [[nodiscard]] virtual StatusOr<std::vector<NamedRecord>> ListRecords(
      const std::string& prefix) = 0;
  [[nodiscard]] virtual Status PutRecord(const std::string& name, const std::string& body,
                                         uint64_t version) = 0;
  [[nodiscard]] virtual Status DeleteRecord(const std::string& name, uint64_t version) = 0;
  // For people: range, redo point, memtables, runs and files of every tablet.
  [[nodiscard]] virtual StatusOr<std::string> DumpTablets(const std::string& table) = 0;
};

}  // namespace sippar::cluster
