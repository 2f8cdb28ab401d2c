// The operations of the kill walk on tables, on a directory opened as by every command (a cluster
// of one server).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cluster/client/client.h"
#include "engine/base/random.h"
#include "engine/fs/fault_file_system.h"
#include "engine/model/cell.h"
#include "engine/model/mutation.h"
#include "engine/model/read_spec.h"
#include "engine/model/schema.h"
#include "engine/store/store_options.h"
#include "tests/support/reference_table.h"

namespace sippar::engine {

struct WalkTable {
  TableSchema schema;
  uint64_t schema_version = 0;
};

// Thread safe, except Close and CheckNoLeftovers. Calls that meet a split or merge are retried.
class WalkStore {
 public:
  // Draws small sizes, so that every kind of background work happens often. `check`: without
  // flushes and compactions in the background.
  static StatusOr<std::unique_ptr<WalkStore>> Open(const std::string& directory, bool check,
                                                   FileSystem* fs, Random* random);

  std::vector<Status> Apply(const std::string& table, const std::vector<RowMutation>& batch);
  Status Read(const std::string& table, const ReadSpec& read,
              const std::function<void(const Cell& cell)>& visit);
  Status CreateTable(const TableSchema& schema, const std::vector<std::string>& split_keys);
  Status AlterTable(const TableSchema& schema, uint64_t version);
  Status DropTable(const std::string& table);
  StatusOr<WalkTable> GetTable(const std::string& table);
  StatusOr<std::vector<TableSchema>> ListTables();
  Status Split(const std::string& table, const std::string& row);
  Status Merge(const std::string& table);  // merges all tablets of the table
  Status Flush(const std::string& table);
  Status CompactMajor(const std::string& table, const std::string& group);
  uint64_t Metric(const std::string& name);

  bool HasBackup(const std::string& name);
  Status CreateBackup(const std::string& name, const std::string& table);
  Status Restore(const std::string& name, const std::string& table);
  Status DropAndKeep(const std::string& table);
  Status Undelete(const std::string& table);
  Status DeleteBackup(const std::string& name);

  // Checks that every block of every SSTable and the archive of changes are undamaged.
  Status Verify(const std::string& table);
  // Repeats on `replayed` all changes of the table, from the beginning of its change stream until
  // now, in the order of each row.
  Status ReplayChanges(const std::string& table, ReferenceTable* replayed);
  // Closes the store and opens it again. The doctor must find no problem then, and files that no
  // record named before this start must be gone.
  Status CheckNoLeftovers();
  Status Close() { return client_->Close(); }

 private:
  WalkStore(std::string directory, const StoreOptions& options)
      : directory_(std::move(directory)), options_(options) {}
  Status OpenClient();
  cluster::AdminApi* admin() { return client_->admin(); }
  Status ReplayPartition(const std::string& table, const RowRange& partition, int64_t since_us,
                         std::vector<RowMutation>* changes);

  const std::string directory_;
  const StoreOptions options_;
  std::unique_ptr<cluster::Client> client_;
};

}  // namespace sippar::engine
