// Makes the store of one process that of a cluster of many.
// SPDX-License-Identifier: Apache-2.0
#include "cluster/node/carry_store.h"

#include <fmt/format.h>

#include <utility>

#include "cluster/api/store_paths.h"
#include "cluster/lock/lock_paths.h"
#include "cluster/node/file_proof.h"
#include "cluster/node/lock_picture.h"
#include "cluster/node/sole_administrator.h"
#include "cluster/node/store_file.h"
#include "cluster/node/target.h"
#include "cluster/node/target_file.h"
#include "engine/base/crash_point.h"
#include "engine/base/printable.h"

namespace sippar::cluster {
namespace {

// Copies the lock files of the directory into the cluster's lock service. Meanwhile no other
// process has the directory's lock service open. The file TARGET is written after all copies were
// read back, and is the commit point: from then on the lock files in the directory are ignored.
Status CarryLocks(const ClusterPlan& plan, const std::string& id, LockSession* to) {
  RETURN_IF_ERROR(CheckDirectories(plan.fs, plan.store.directory));
  auto opened = LockServiceOf(plan.store.directory, plan.fs, plan.clock);
  RETURN_IF_ERROR(Annotate(opened.status(), fmt::format("store {}", plan.store.directory)));
  // Checks the store again: no other process has it open now, but a process that had it open
  // earlier may have changed it.
  RETURN_IF_ERROR(
      FindStoreOfOne(plan.fs, plan.store.directory, /*create_if_missing=*/false).status());
  ASSIGN_OR_RETURN(LockPicture picture, PictureOf(opened->get()));
  if (picture.files[lock_paths::ClusterId()] != id) {
    return DataLoss(
        fmt::format("store {}: its CLUSTER and its lock files have different ids; put "
                    "both back from one copy",
                    plan.store.directory));
  }
  ASSIGN_OR_RETURN(std::string claimed, ClaimId(to, id));
  if (claimed != id) {
    return FailedPrecondition(fmt::format(
        "store {}: its cluster id is '{}', but {} is another cluster (id '{}'); repeat the command "
        "with another NAME in zk://HOSTS/NAME",
        plan.store.directory, id, plan.target, engine::PrintableBytes(claimed)));
  }
  CRASH_POINT("carry.after_claim");
  RETURN_IF_ERROR(CarryInto(picture, to));
  CRASH_POINT("carry.before_commit");
  return engine::ReplaceFile(plan.fs, store_paths::TargetFile(plan.store.directory),
                             TargetFileText(plan.target));
}

// Removes a directory of files. May be repeated after a crash.
Status RemoveFolder(engine::FileSystem* fs, const std::string& path) {
  ASSIGN_OR_RETURN(bool exists, fs->Exists(path));
  if (!exists) return OkStatus();
  ASSIGN_OR_RETURN(std::vector<std::string> names, fs->List(path));
  for (const std::string& name : names) {
    RETURN_IF_ERROR(fs->Remove(path + "/" + name));
    CRASH_POINT("carry.removing");
  }
  return fs->RemoveDir(path);
}

// The rename removes all lock files at once, so that no older program finds only a part of them.
Status RemoveLocks(const ClusterPlan& plan) {
  const std::string locks = store_paths::Locks(plan.store.directory);
  const std::string carried = store_paths::CarriedLocks(plan.store.directory);
  ASSIGN_OR_RETURN(bool has_locks, plan.fs->Exists(locks));
  if (has_locks) {
    RETURN_IF_ERROR(RemoveFolder(plan.fs, carried));
    RETURN_IF_ERROR(plan.fs->Rename(locks, carried));
    RETURN_IF_ERROR(plan.fs->SyncDir(plan.store.directory));
    CRASH_POINT("carry.after_rename");
  }
  RETURN_IF_ERROR(RemoveFolder(plan.fs, carried));
  return plan.fs->SyncDir(plan.store.directory);
}

StatusOr<bool> CarryThrough(const ClusterPlan& plan, LockSession* session) {
  // Decides again what to do, because another administrator's program may have carried the store
  // before this program became the sole administrator.
  ASSIGN_OR_RETURN(MakingStep step, NextMaking(plan, session));
  if (!step.making.has_value()) return false;
  if (*step.making == Making::kFill) {
    return Aborted(fmt::format("store {}: another program changes it; repeat the command",
                               plan.store.directory));
  }
  RETURN_IF_ERROR(BeginStore(plan, session));
  if (*step.making == Making::kCarry) {
    CRASH_POINT("carry.after_mark");
    RETURN_IF_ERROR(CarryLocks(plan, step.look.id, session));
    CRASH_POINT("carry.after_commit");
  }
  RETURN_IF_ERROR(RemoveLocks(plan));
  CRASH_POINT("carry.before_store");
  return TellStore(plan, session);
}

}  // namespace

Status CheckStore(const ClusterPlan& plan, const std::string& store) {
  auto place = PlaceOfComplete(store);
  RETURN_IF_ERROR(Annotate(place.status(), fmt::format("cluster {}", plan.target)));
  if (*place == plan.store) return OkStatus();
  return FailedPrecondition(
      fmt::format("cluster {0}: its store is {1}, not {2}, and a cluster keeps its store; "
                  "name {1}, or another cluster",
                  plan.target, engine::PrintableBytes(store), PrintStorePlace(plan.store)));
}

Status BeginStore(const ClusterPlan& plan, LockSession* session) {
  const std::string making = PrintStoreFile({StorePhase::kMaking, plan.store, {}});
  Status made = session->Create(lock_paths::Store(), making, LockFileKind::kLasting).status();
  if (made.code() != StatusCode::kAlreadyExists) return made;
  ASSIGN_OR_RETURN(LockFile store, session->Read(lock_paths::Store(), Freshness::kConsistent));
  return store.content == making ? OkStatus() : CheckStore(plan, store.content);
}

StatusOr<bool> TellStore(const ClusterPlan& plan, LockSession* session) {
  ASSIGN_OR_RETURN(LockFile store, session->Read(lock_paths::Store(), Freshness::kConsistent));
  if (store.content == PrintStoreFile({StorePhase::kMaking, plan.store, {}})) {
    Status told =
        session->Write(lock_paths::Store(), PrintStorePlace(plan.store), store.version).status();
    if (told.code() != StatusCode::kAborted) {
      RETURN_IF_ERROR(told);
      return true;
    }
    ASSIGN_OR_RETURN(store, session->Read(lock_paths::Store(), Freshness::kConsistent));
  }
  RETURN_IF_ERROR(CheckStore(plan, store.content));
  return false;
}

StatusOr<bool> CarryStore(const ClusterPlan& plan) {
  ASSIGN_OR_RETURN(std::unique_ptr<LockSession> session,
                   BeSoleAdministrator(plan.locks, plan.target, plan.session_us, plan.clock));
  auto made = CarryThrough(plan, session.get());
  // Closes the session, so that the next administrator's program need not wait for its timeout.
  (void)session->Close();
  return made;
}

}  // namespace sippar::cluster
