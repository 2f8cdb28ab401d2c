// Tables to exports and back (backups.h). Writers wait for the second, short flush only, as in a
// split. SPDX-License-Identifier: Apache-2.0
#include <set>

#include "engine/base/crash_point.h"
#include "engine/model/schema_change.h"
#include "engine/tablet/giving_way.h"
#include "tests/support/store/store.h"

namespace sippar::engine {
namespace {

// Names files on behalf of a table that is being made.
class AdoptedFiles {
 public:
  explicit AdoptedFiles(FileRegistry* files) : files_(files) {}
  ~AdoptedFiles() { files_->Unname(ids_); }
  AdoptedFiles(const AdoptedFiles&) = delete;
  AdoptedFiles& operator=(const AdoptedFiles&) = delete;

  Status Add(uint64_t id, const std::string& directory) {
    RETURN_IF_ERROR(files_->Adopt(id, directory + "/" + SstableName(id)));
    ids_.push_back(id);
    return OkStatus();
  }

 private:
  FileRegistry* const files_;
  std::vector<uint64_t> ids_;
};

}  // namespace

StatusOr<Store::Export> Store::Close(const std::string& name, GivingWay* parents) {
  ASSIGN_OR_RETURN(std::shared_ptr<const OpenTable> table, FindTable(name));
  if (table->tablets != parents->tablets()) return Aborted("the tablets changed meanwhile");
  Export made;
  made.schema = table->entry.schema;
  ASSIGN_OR_RETURN(made.tablets, parents->Close());
  for (TabletState& state : made.tablets) {
    state.requests.clear();  // of writes to the table that is exported
    for (uint64_t id : state.FileIds()) made.files.push_back(host_.context()->files->Find(id));
  }
  return made;
}

StatusOr<Store::Export> Store::ExportTable(const std::string& name) {
  for (;;) {
    ASSIGN_OR_RETURN(std::vector<std::shared_ptr<Tablet>> tablets, Tablets(name));
    GivingWay giving_way(std::move(tablets));
    RETURN_IF_ERROR(giving_way.Begin());
    MutexLock admin_lock(&admin_mutex_);
    auto made = Close(name, &giving_way);
    if (made.status().code() != StatusCode::kAborted) return made;
  }
}

Status Store::DropTable(const std::string& name, const std::function<Status(const Export&)>& keep) {
  for (;;) {
    ASSIGN_OR_RETURN(CatalogTable entry, GetTable(name));
    RETURN_IF_ERROR(CheckDrop(entry.schema));
    ASSIGN_OR_RETURN(std::vector<std::shared_ptr<Tablet>> tablets, Tablets(name));
    GivingWay giving_way(std::move(tablets));
    RETURN_IF_ERROR(giving_way.Begin());
    MutexLock admin_lock(&admin_mutex_);
    auto made = Close(name, &giving_way);
    if (made.status().code() == StatusCode::kAborted) continue;
    RETURN_IF_ERROR(made.status());
    RETURN_IF_ERROR(keep(*made));
    return Drop(name);
  }
}

Status Store::ImportTable(const TableSchema& schema, std::vector<TabletState> tablets,
                          const std::string& directory) {
  MutexLock admin_lock(&admin_mutex_);
  RETURN_IF_ERROR(CheckNew(schema));
  std::set<uint64_t> ids;
  for (TabletState& state : tablets) {
    for (uint64_t id : state.FileIds()) ids.insert(id);
    for (GroupState& group : state.groups) {
      for (RunState& run : group.runs) {
        ASSIGN_OR_RETURN(run.run_id, host_.NextId());
      }
    }
  }
  AdoptedFiles adopted(host_.context()->files.get());
  for (uint64_t id : ids) RETURN_IF_ERROR(adopted.Add(id, directory));
  RETURN_IF_ERROR(options_.fs->SyncDir(files_.sst()));
  CRASH_POINT("restore.after_links");
  return AddTable(schema, std::move(tablets));
}

}  // namespace sippar::engine
