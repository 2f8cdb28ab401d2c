// A cluster of many processes becomes a store of one process again. While this runs, the lock
// service's file `store` says "collapsing", so that no member can start, and this program holds the
// master's lock, so that a member that was about to start cannot reign. The removal of TARGET from
// the directory is the commit point: before it the lock files of the cluster count, and after it
// those in the directory.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "cluster/api/store_paths.h"
#include "cluster/lock/lock_paths.h"
#include "cluster/node/bootstrap.h"
#include "cluster/node/carry_store.h"
#include "cluster/node/cluster_site.h"
#include "cluster/node/lock_picture.h"
#include "cluster/node/sole_administrator.h"
#include "cluster/node/store_file.h"
#include "cluster/node/target.h"
#include "cluster/node/target_file.h"
#include "engine/base/crash_point.h"
#include "engine/store/store_files.h"

namespace sippar::cluster {
namespace {

// The number of epochs and fencing numbers that programs in the middle of their start may still
// take from the cluster's counter. The store's counter begins above them.
constexpr uint64_t kNumbersMargin = 1000;
constexpr uint64_t kNumberMax = (uint64_t{1} << 32) - 1;

class Collapse {
 public:
  Collapse(const ClusterPlan& plan, LockSession* session) : plan_(plan), session_(session) {}

  Status Run() {
    ASSIGN_OR_RETURN(bool is_marked, ReadMark());
    RETURN_IF_ERROR(CheckDirectory());
    if (!is_marked) RETURN_IF_ERROR(Mark());
    // An earlier collapse that was killed may have removed TARGET without syncing the directory.
    // The steps after the commit depend on a durable removal.
    RETURN_IF_ERROR(plan_.fs->SyncDir(plan_.store.directory));
    ASSIGN_OR_RETURN(bool is_committed, IsCommitted());
    if (!is_committed) RETURN_IF_ERROR(CarryBack());
    CRASH_POINT("collapse.after_commit");
    RETURN_IF_ERROR(CheckNobodyLives());
    RETURN_IF_ERROR(RemoveStoreFiles(session_));
    CRASH_POINT("collapse.before_end");
    return RemoveMark();
  }

 private:
  std::string TargetPath() const { return store_paths::TargetFile(plan_.store.directory); }

  // True if an earlier collapse has written the mark, the text "collapsing", into the file `store`.
  StatusOr<bool> ReadMark() {
    auto store = session_->Read(lock_paths::Store(), Freshness::kConsistent);
    if (store.status().code() == StatusCode::kNotFound) {
      return NotFound(fmt::format("cluster {}: there is none", plan_.target));
    }
    RETURN_IF_ERROR(store.status());
    store_version_ = store->version;
    auto file = ParseStoreFile(store->content);
    if (file.ok() && file->phase == StorePhase::kCollapsing && file->place == plan_.store) {
      target_of_mark_ = file->target;
      return true;
    }
    RETURN_IF_ERROR(CheckStore(plan_, store->content));
    return false;
  }

  // The commit is the removal of TARGET. If TARGET names another cluster, the store was carried to
  // that cluster after the commit.
  StatusOr<bool> IsCommitted() {
    auto target = ReadTargetFile(plan_.fs, plan_.store.directory);
    if (target.status().code() == StatusCode::kNotFound) return true;
    RETURN_IF_ERROR(target.status());
    return *target != target_of_mark_;
  }

  Status CheckDirectory() {
    auto id = session_->Read(lock_paths::ClusterId(), Freshness::kConsistent);
    // Not found: an earlier collapse has removed all files of the lock service except `store`,
    // which has the mark.
    if (!id.ok() && id.status().code() != StatusCode::kNotFound) return id.status();
    return CheckMounted(plan_.fs, plan_.store.directory, plan_.target, id.ok() ? id->content : "");
  }

  // kFailedPrecondition if a server or a master lives, or was killed and its session is not over
  // yet. Also acquires the master's lock, so that no candidate becomes master during the collapse.
  Status CheckNobodyLives() {
    ASSIGN_OR_RETURN(std::vector<std::string> living, HeldFiles(session_, lock_paths::Servers()));
    ASSIGN_OR_RETURN(std::vector<std::string> masters, HeldFiles(session_, lock_paths::Masters()));
    living.insert(living.end(), masters.begin(), masters.end());
    auto reigning = session_->Acquire(lock_paths::MasterLock());
    if (reigning.status().code() == StatusCode::kAlreadyExists) {
      living.push_back(lock_paths::MasterLock());
    } else if (!reigning.ok() && reigning.status().code() != StatusCode::kNotFound) {
      return reigning.status();
    }
    if (living.empty()) return OkStatus();
    return FailedPrecondition(
        fmt::format("cluster {}: it runs ({}); end it with `sippar admin stop {}`", plan_.target,
                    fmt::join(living, ", "), plan_.target));
  }

  // Writes this cluster's target into TARGET and into the mark. A repeated collapse compares the
  // two to find out whether the store still belongs to this cluster, or was carried to another
  // cluster since.
  Status Mark() {
    RETURN_IF_ERROR(CheckNobodyLives());
    target_of_mark_ = plan_.target;
    RETURN_IF_ERROR(engine::ReplaceFile(plan_.fs, TargetPath(), TargetFileText(plan_.target)));
    RETURN_IF_ERROR(plan_.fs->SyncDir(plan_.store.directory));
    CRASH_POINT("collapse.before_mark");
    ASSIGN_OR_RETURN(
        store_version_,
        session_->Write(lock_paths::Store(),
                        PrintStoreFile({StorePhase::kCollapsing, plan_.store, target_of_mark_}),
                        store_version_));
    CRASH_POINT("collapse.after_mark");
    return OkStatus();
  }

  Status CarryBack() {
    RETURN_IF_ERROR(CheckNobodyLives());
    ASSIGN_OR_RETURN(LockPicture picture, PictureOf(session_));
    picture.numbers_end = std::min(picture.numbers_end + kNumbersMargin, kNumberMax);
    auto opened = LockServiceOf(plan_.store.directory, plan_.fs, plan_.clock);
    RETURN_IF_ERROR(Annotate(opened.status(), fmt::format("store {}", plan_.store.directory)));
    ASSIGN_OR_RETURN(std::unique_ptr<LockSession> to,
                     (*opened)->OpenSession({"collapse of " + plan_.target, 0, plan_.clock}));
    RETURN_IF_ERROR(CarryInto(picture, to.get()));
    ASSIGN_OR_RETURN(bool has_format, plan_.fs->Exists(plan_.store.directory + "/STORE"));
    if (!has_format) RETURN_IF_ERROR(engine::WriteStoreFormat(plan_.fs, plan_.store.directory));
    // A member that gets its lock after this check reads the mark afterwards, and ends
    // (store_mark.h).
    RETURN_IF_ERROR(CheckNobodyLives());
    CRASH_POINT("collapse.before_commit");
    RETURN_IF_ERROR(plan_.fs->Remove(TargetPath()));
    CRASH_POINT("collapse.committing");
    return plan_.fs->SyncDir(plan_.store.directory);
  }

  Status RemoveMark() {
    Status removed = session_->Remove(lock_paths::Store(), store_version_);
    return removed.code() == StatusCode::kNotFound ? OkStatus() : removed;
  }

  const ClusterPlan& plan_;
  LockSession* const session_;
  uint64_t store_version_ = 0;
  std::string target_of_mark_;
};

}  // namespace

Status CollapseClusterOf(const ClusterPlan& plan) {
  ASSIGN_OR_RETURN(std::unique_ptr<LockSession> session,
                   BeSoleAdministrator(plan.locks, plan.target, plan.session_us, plan.clock));
  Status collapsed = Collapse(plan, session.get()).Run();
  // Closes the session, so that its locks are free at once and not only after its timeout.
  (void)session->Close();
  return collapsed;
}

}  // namespace sippar::cluster
