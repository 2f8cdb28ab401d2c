// For tests of the engine alone: tables by name over a TabletHost, whose catalog and tablet states
// are files, where servers have METADATA and the lock service. What it writes is a directory of
// format 1 (engine/store/old_store.h reads those). Thread safe. Lock order: admin_mutex_,
// schedule_mutex_ < tables_mutex_ < the tablets' locks. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/base/thread.h"
#include "engine/store/catalog.h"
#include "engine/store/store_files.h"
#include "engine/store/store_options.h"
#include "engine/store/tablet_host.h"
#include "engine/tablet/giving_way.h"
#include "engine/tablet/reshape.h"
#include "engine/tablet/tablet.h"
#include "tests/support/store/record_book.h"

namespace sippar::engine {

class Backups;

class Store {
 public:
  // Opens every tablet and replays the log. Errors as OpenStoreFiles; kDataLoss names the file.
  [[nodiscard]] static StatusOr<std::unique_ptr<Store>> Open(const std::string& directory,
                                                             const StoreOptions& options);
  ~Store();
  // Ends background work, syncs and closes the log. No call may be running.
  [[nodiscard]] Status Close();

  [[nodiscard]] Status CreateTable(const TableSchema& schema,
                                   const std::vector<std::string>& split_keys);
  [[nodiscard]] Status AlterTable(const TableSchema& schema, uint64_t expected_version);
  [[nodiscard]] Status DropTable(const std::string& name);
  // A table as it was at one moment, everything acknowledged before included: writers wait as for a
  // split. Its files stay as long as `files`.
  struct Export {
    TableSchema schema;
    std::vector<TabletState> tablets;
    std::vector<std::shared_ptr<SharedSstable>> files;
  };
  [[nodiscard]] StatusOr<Export> ExportTable(const std::string& name);
  // DropTable, if `keep` is OK with what nobody can change any more.
  [[nodiscard]] Status DropTable(const std::string& name,
                                 const std::function<Status(const Export&)>& keep);
  // A new table of exported tablets, whose files have second names in `directory`.
  [[nodiscard]] Status ImportTable(const TableSchema& schema, std::vector<TabletState> tablets,
                                   const std::string& directory);
  Backups* backups() { return backups_.get(); }
  [[nodiscard]] StatusOr<CatalogTable> GetTable(const std::string& name) const;
  // Without copying: for each call of a client.
  [[nodiscard]] StatusOr<std::shared_ptr<const TableSchema>> Schema(const std::string& name) const;
  [[nodiscard]] std::vector<CatalogTable> ListTables() const;

  // kNotFound: no such table.
  [[nodiscard]] StatusOr<std::shared_ptr<Tablet>> FindTablet(const std::string& table,
                                                             std::string_view row) const;
  [[nodiscard]] StatusOr<std::vector<std::shared_ptr<Tablet>>> Tablets(
      const std::string& table) const;

  // As TabletHost's; also settles what a failed schema change left open.
  [[nodiscard]] Status Admit(size_t rows);
  // Group commit over several tablets is the log's; this applies one batch of one table.
  [[nodiscard]] std::vector<Status> Apply(const std::string& table,
                                          const std::vector<const RowMutation*>& batch);

  // As Tablet's, on the tablet that has the row.
  [[nodiscard]] StatusOr<RowUpdateResult> Update(const std::string& table, const RowUpdate& update);
  [[nodiscard]] Status CommitRow(const std::string& table, const RowMutation& mutation,
                                 std::span<const RowCheck> checks);

  // `row` becomes the first of a tablet. OK when it is already.
  [[nodiscard]] Status Split(const std::string& table, const std::string& row);
  // All tablets with some of `rows` become one.
  [[nodiscard]] Status Merge(const std::string& table, const RowRange& rows);
  // One split or merge that sizes ask for (reshape.h); false when none does.
  bool ReshapeOnce();

  // Removes what change streams need not keep any more; a background thread does it now and then.
  [[nodiscard]] Status ExpireChanges();

  [[nodiscard]] Status Flush(const std::string& table);
  [[nodiscard]] Status CompactMajor(const std::string& table, const std::string& group);
  // Small facts beside the tables.
  RecordBook* records() { return &records_; }
  // What runs beside the tables: log, caches, compactions, figures.
  TabletHost* host() { return &host_; }
  Metrics* metrics() { return host_.metrics(); }

 private:
  struct OpenTable {
    CatalogTable entry;
    std::vector<std::shared_ptr<Tablet>> tablets;  // in key order
    const std::shared_ptr<Tablet>& TabletOf(std::string_view row) const;
  };

  // Crash points of a split or merge, in order.
  struct ReshapePoints {
    const char* after_flush;
    const char* after_states;
    const char* after_catalog;
    const char* after_removal;
  };
  using ChildStates = std::function<StatusOr<std::vector<TabletState>>(
      const std::vector<TabletState>& parents, uint64_t* next_tablet_id)>;

  Store(const StoreOptions& options, StoreFiles files);
  StatusOr<std::shared_ptr<const OpenTable>> FindTable(const std::string& name) const;
  Status OnTablet(const std::string& name, std::string_view row,
                  const std::function<Status(Tablet*)>& action);
  Status OnTablets(const std::string& name, const std::function<Status(Tablet*)>& action);
  void WaitForRouting(const std::string& name, const std::shared_ptr<const OpenTable>& table);
  std::vector<Status> ApplyRouted(const OpenTable& table,
                                  const std::vector<const RowMutation*>& batch);
  Status Replace(const std::string& name, const std::vector<std::shared_ptr<Tablet>>& parents,
                 const ChildStates& children_of, const ReshapePoints& points);
  Status CommitReplacement(const OpenTable& table, size_t first, GivingWay* parents,
                           const ChildStates& children_of, const ReshapePoints& points)
      REQUIRES(admin_mutex_);
  void Install(const OpenTable& table, size_t first, const std::vector<TabletState>& parents,
               std::vector<TabletState> children, Catalog changed) REQUIRES(admin_mutex_);
  Status MergePair(const std::string& name, const std::vector<std::shared_ptr<Tablet>>& tablets);
  TabletSize SizeOf(const Tablet& tablet) const;
  bool SplitIfLarge(const std::string& name, const std::shared_ptr<Tablet>& tablet,
                    uint64_t split_size);
  bool MergeIfSmall(const std::string& name, const std::shared_ptr<Tablet>& left,
                    const std::shared_ptr<Tablet>& right, uint64_t split_size);
  // With all tablets closed for writes, so until `parents` goes.
  StatusOr<Export> Close(const std::string& name, GivingWay* parents) REQUIRES(admin_mutex_);
  Status Drop(const std::string& name) REQUIRES(admin_mutex_);
  Status CheckNew(const TableSchema& schema) REQUIRES(admin_mutex_);
  // Ids are given here.
  Status AddTable(TableSchema schema, std::vector<TabletState> tablets) REQUIRES(admin_mutex_);
  Status OpenTablets(const std::string& catalog_body);
  Status Recover();
  Status SweepOrphans();
  Status SweepTemporaries();
  void RemoveOrphan(const std::string& path);
  void CountOrphan(const Status& removed);
  Status SaveCatalog(const Catalog& catalog) REQUIRES(admin_mutex_);
  std::string ChangesOf(uint64_t table_id) const;
  // Tells `schema` the time from which on the table's changes are kept, and from then on they are.
  Status PrepareChanges(const CatalogTable& before,
                        const std::vector<std::shared_ptr<Tablet>>& tablets, TableSchema* schema)
      REQUIRES(admin_mutex_);
  void RemoveChanges(const std::string& directory);
  Status SweepChanges();
  // After a failed save the disk may hold either catalog: writes wait until it is ours again.
  Status SettleCatalog() REQUIRES(admin_mutex_);

  const StoreOptions options_;
  const StoreFiles files_;
  std::unique_ptr<TabletStateStore> states_;
  TabletHost host_;
  RecordBook records_;
  std::unique_ptr<Backups> backups_;  // set once, by Open

  Mutex admin_mutex_;  // one schema change at a time
  Catalog catalog_ GUARDED_BY(admin_mutex_);
  std::atomic<bool> catalog_in_doubt_{false};
  mutable Mutex tables_mutex_;
  CondVar routing_changed_;  // a split or merge has ended
  std::map<std::string, std::shared_ptr<const OpenTable>> tables_ GUARDED_BY(tables_mutex_);
};

}  // namespace sippar::engine
