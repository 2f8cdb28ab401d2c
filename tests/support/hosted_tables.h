// For tests of the engine alone: tables by name over one TabletHost, in a directory with wal/,
// sst/, changes/ and the file TABLES (table_book.h). No program reads such a directory: what users
// run is a cluster of one server (cluster/node/embedded_node.h), which has the same tablets under a
// master and METADATA. Thread safe. Lock order: admin_mutex_ < tables_mutex_ < the tablets' locks.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/base/thread.h"
#include "engine/store/store_options.h"
#include "engine/store/tablet_host.h"
#include "engine/tablet/tablet.h"
#include "tests/support/table_book.h"

namespace sippar::engine {

class HostedTables {
 public:
  // Opens every tablet and replays the log. kDataLoss names the damaged or missing file.
  [[nodiscard]] static StatusOr<std::unique_ptr<HostedTables>> Open(const std::string& directory,
                                                                    const StoreOptions& options);
  ~HostedTables() { (void)Close(); }
  // Ends background work, syncs and closes the log. No call may be running.
  [[nodiscard]] Status Close() { return host_.Close(); }

  [[nodiscard]] Status CreateTable(const TableSchema& schema,
                                   const std::vector<std::string>& split_keys);
  // kAborted: the table's schema has another version.
  [[nodiscard]] Status AlterTable(const TableSchema& schema, uint64_t expected_version);
  [[nodiscard]] Status DropTable(const std::string& name);
  [[nodiscard]] StatusOr<BookTable> GetTable(const std::string& name) const;
  std::vector<BookTable> ListTables() const;

  // kNotFound: the table does not exist.
  [[nodiscard]] StatusOr<std::shared_ptr<Tablet>> FindTablet(const std::string& table,
                                                             std::string_view row) const;
  // The tablets of a table in key order.
  [[nodiscard]] StatusOr<std::vector<std::shared_ptr<Tablet>>> Tablets(
      const std::string& table) const;

  // Like the functions of Tablet, on the tablets that contain the rows.
  [[nodiscard]] std::vector<Status> Apply(const std::string& table,
                                          const std::vector<const RowMutation*>& batch);
  [[nodiscard]] StatusOr<RowUpdateResult> Update(const std::string& table, const RowUpdate& update);
  [[nodiscard]] Status CommitRow(const std::string& table, const RowMutation& mutation,
                                 std::span<const RowCheck> checks);

  // Splits a tablet so that `row` begins a tablet. Returns OK if it already does.
  [[nodiscard]] Status Split(const std::string& table, const std::string& row);
  // Merges all tablets that contain some of `rows` into one.
  [[nodiscard]] Status Merge(const std::string& table, const RowRange& rows);

  [[nodiscard]] Status Flush(const std::string& table);
  [[nodiscard]] Status CompactMajor(const std::string& table, const std::string& group);
  TabletHost* host() { return &host_; }
  Metrics* metrics() { return host_.metrics(); }

 private:
  struct OpenTable {
    BookTable entry;
    std::vector<std::shared_ptr<Tablet>> tablets;  // in key order
    const std::shared_ptr<Tablet>& TabletOf(std::string_view row) const;
  };
  // Makes the states of the tablets that replace `parents`.
  using Successors = std::function<StatusOr<std::vector<TabletState>>(
      const std::vector<TabletState>& parents, uint64_t* next_tablet_id)>;

  HostedTables(std::string directory, const StoreOptions& options, std::unique_ptr<TableBook> book);
  Status OpenTablets();
  Status Recover();
  Status SweepOrphans();
  void RemoveOrphan(const std::string& path);
  StatusOr<std::shared_ptr<const OpenTable>> FindTable(const std::string& name) const;
  void Publish(std::shared_ptr<const OpenTable> table);
  Status OnTablet(const std::string& name, std::string_view row,
                  const std::function<Status(Tablet*)>& action);
  Status OnTablets(const std::string& name, const std::function<Status(Tablet*)>& action);
  void WaitForRouting(const std::string& name, const std::shared_ptr<const OpenTable>& table);
  // Replaces tablets. kAborted: `parents` are no longer tablets of the table.
  Status Replace(const std::string& name, const std::vector<std::shared_ptr<Tablet>>& parents,
                 const Successors& successors);
  Status MergePair(const std::string& name, const std::vector<std::shared_ptr<Tablet>>& tablets);
  std::string ChangesOf(uint64_t table_id) const;
  Status PrepareChanges(const BookTable& before,
                        const std::vector<std::shared_ptr<Tablet>>& tablets, TableSchema* schema);
  void RemoveChanges(uint64_t table_id);

  const std::string directory_;
  const StoreOptions options_;
  const std::unique_ptr<TableBook> book_;
  const uint64_t epoch_;
  TabletHost host_;

  Mutex admin_mutex_;  // held during each schema change, split or merge
  mutable Mutex tables_mutex_;
  CondVar routing_changed_;  // notified when tables_ changes
  std::map<std::string, std::shared_ptr<const OpenTable>> tables_ GUARDED_BY(tables_mutex_);
};

}  // namespace sippar::engine
