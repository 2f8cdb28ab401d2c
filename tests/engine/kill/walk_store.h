// What the kill walk does to tables, over whatever keeps them: a store (store_walk.cc), or a
// cluster of one as OpenClient gives it (tests/cluster/kill/).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "engine/base/random.h"
#include "engine/fs/fault_file_system.h"
#include "engine/model/cell.h"
#include "engine/model/mutation.h"
#include "engine/model/read_spec.h"
#include "engine/model/schema.h"

namespace sippar::engine {

struct WalkTable {
  TableSchema schema;
  uint64_t schema_version = 0;
};

// Thread safe. Calls that lose a race against a split or merge are made again by whoever has them.
class WalkStore {
 public:
  virtual ~WalkStore() = default;

  virtual std::vector<Status> Apply(const std::string& table,
                                    const std::vector<RowMutation>& batch) = 0;
  virtual Status Read(const std::string& table, const ReadSpec& read,
                      const std::function<void(const Cell& cell)>& visit) = 0;
  virtual Status CreateTable(const TableSchema& schema,
                             const std::vector<std::string>& split_keys) = 0;
  virtual Status AlterTable(const TableSchema& schema, uint64_t version) = 0;
  virtual Status DropTable(const std::string& table) = 0;
  virtual StatusOr<WalkTable> GetTable(const std::string& table) = 0;
  virtual StatusOr<std::vector<TableSchema>> ListTables() = 0;
  virtual Status Split(const std::string& table, const std::string& row) = 0;
  virtual Status Merge(const std::string& table) = 0;  // of all its tablets
  virtual Status Flush(const std::string& table) = 0;
  virtual Status CompactMajor(const std::string& table, const std::string& group) = 0;
  // What the policy says, if there are enough runs; may be the background's affair.
  virtual Status CompactOnce(const std::string& table) = 0;
  virtual uint64_t Metric(const std::string& name) = 0;

  virtual bool HasBackup(const std::string& name) = 0;
  virtual Status CreateBackup(const std::string& name, const std::string& table) = 0;
  virtual Status Restore(const std::string& name, const std::string& table) = 0;
  virtual Status DropAndKeep(const std::string& table) = 0;
  virtual Status Undelete(const std::string& table) = 0;
  virtual Status DeleteBackup(const std::string& name) = 0;

  // Every block of every SSTable is whole.
  virtual Status Verify(const std::string& table) = 0;
  // The change stream has every change of every tablet, up to the last one.
  virtual Status CheckChanges(const std::string& table) = 0;
  // No file is left that nothing names, as soon as background work is done with its own.
  virtual Status CheckNoOrphans() = 0;
  virtual Status Close() = 0;
};

// Sizes are drawn: small ones, so that everything happens often. `check`: without background work,
// where it can be done without.
StatusOr<std::unique_ptr<WalkStore>> OpenWalkStore(const std::string& directory, bool check,
                                                   FileSystem* fs, Random* random);

}  // namespace sippar::engine
