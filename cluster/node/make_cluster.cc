// SPDX-License-Identifier: Apache-2.0
#include "cluster/node/make_cluster.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <optional>
#include <string_view>

#include "cluster/api/store_paths.h"
#include "cluster/lock/lock_paths.h"
#include "cluster/node/bootstrap.h"
#include "cluster/node/carry_store.h"
#include "cluster/node/store_file.h"
#include "cluster/node/store_kind.h"
#include "cluster/node/target_file.h"
#include "engine/base/crash_point.h"
#include "engine/base/printable.h"
#include "engine/base/random.h"

namespace sippar::cluster {
namespace {

// Publishes the file under its final name; kAlreadyExists: another program has published it.
Status Publish(engine::FileSystem* fs, const std::string& path, const std::string& content,
               uint64_t session) {
  const std::string temporary = fmt::format("{}.{:x}-{:x}.tmp", path, ::getpid(), session);
  ASSIGN_OR_RETURN(std::unique_ptr<engine::AppendFile> file, fs->Create(temporary));
  Status appended = file->Append(content);
  CRASH_POINT("init.before_publish");
  Status published = engine::PublishFile(fs, file.get(), temporary, path);
  return appended.ok() ? published : appended;
}

// True for names that Publish, or an init of an older program, leaves when it is killed.
bool IsTemporary(std::string_view name) {
  return name.ends_with(".tmp") && (name.starts_with("CLUSTER.") || name.starts_with("TARGET."));
}

// True for folders that may exist beforehand: an init makes wal and sst, and leaves them empty.
bool MayBeEmptyFolder(std::string_view name) {
  return name == "wal" || name == "sst" || name == "lost+found";
}

StatusOr<std::string> TextOr(StatusOr<std::string> text) {
  if (text.status().code() == StatusCode::kNotFound) return std::string();
  return text;
}

StatusOr<DirectoryLook> LookAt(engine::FileSystem* fs, const std::string& directory) {
  DirectoryLook look;
  ASSIGN_OR_RETURN(bool exists, fs->Exists(directory));
  if (!exists) return look;
  // A killed program may have left file names that are not durable yet. They are made durable
  // first, because this program relies on them.
  RETURN_IF_ERROR(fs->SyncDir(directory));
  ASSIGN_OR_RETURN(look.id, TextOr(ReadClusterId(fs, directory)));
  ASSIGN_OR_RETURN(look.target, TextOr(ReadTargetFile(fs, directory)));
  ASSIGN_OR_RETURN(std::vector<std::string> names, fs->List(directory));
  for (const std::string& name : names) {
    if (name == "STORE") look.is_store = true;
    if (name == "CLUSTER" || name == "TARGET" || IsTemporary(name)) continue;
    if (MayBeEmptyFolder(name)) {
      ASSIGN_OR_RETURN(std::vector<std::string> files, fs->List(directory + "/" + name));
      if (files.empty() || name == "lost+found") continue;
    }
    look.others.push_back(name);
  }
  return look;
}

// For a directory whose CLUSTER does not have the id of `target`, which is `expected` ("": none).
// Its TARGET, if it has one, names `target`.
Status RefuseOther(const DirectoryLook& look, const std::string& directory,
                   const std::string& target, const std::string& expected) {
  const std::string other = expected.empty()
                                ? "knows no cluster"
                                : fmt::format("has the id '{}'", engine::PrintableBytes(expected));
  std::string remedy = "repeat the command with an empty directory";
  if (!look.target.empty()) {
    remedy = fmt::format("`sippar admin doctor {}` says the way back", directory);
  } else if (look.is_store) {
    remedy = "repeat the command with another NAME in zk://HOSTS/NAME, or with an empty directory";
  }
  return FailedPrecondition(fmt::format("store {}: its cluster id is '{}', but {} {}; {}",
                                        directory, engine::PrintableBytes(look.id), target, other,
                                        remedy));
}

Status MakeDirectory(engine::FileSystem* fs, const std::string& directory) {
  RETURN_IF_ERROR(fs->CreateDir(directory));
  const size_t slash = directory.rfind('/');
  return fs->SyncDir(slash == 0 ? "/" : directory.substr(0, slash));
}

// Writes TARGET before anything else, and then checks that the directory has no lock files. Another
// program that makes the directory a store of one process looks for TARGET after it has made its
// lock files. So at most one of the two programs continues.
Status TakeDirectory(const ClusterPlan& plan, uint64_t session) {
  Status taken = Publish(plan.fs, store_paths::TargetFile(plan.store.directory),
                         TargetFileText(plan.target), session);
  if (!taken.ok() && taken.code() != StatusCode::kAlreadyExists) return taken;
  CRASH_POINT("init.after_target");
  const std::string locks = store_paths::Locks(plan.store.directory);
  ASSIGN_OR_RETURN(bool has_locks, plan.fs->Exists(locks));
  if (!has_locks) return OkStatus();
  // A TARGET that another init made is left alone: that init removes it.
  if (taken.ok()) RETURN_IF_ERROR(plan.fs->Remove(store_paths::TargetFile(plan.store.directory)));
  return FailedPrecondition(
      fmt::format("store {}: another program opens it without a cluster (that program has "
                  "made {}); end that program, and repeat the command",
                  plan.store.directory, locks));
}

Status WriteId(const ClusterPlan& plan, const std::string& id, uint64_t session) {
  Status made =
      Publish(plan.fs, store_paths::ClusterId(plan.store.directory), ClusterIdFile(id), session);
  if (made.code() != StatusCode::kAlreadyExists) return made;
  ASSIGN_OR_RETURN(std::string found, ReadClusterId(plan.fs, plan.store.directory));
  if (found == id) return OkStatus();
  // The init of another cluster has written CLUSTER since the directory was looked at.
  return FailedPrecondition(
      fmt::format("store {}: its cluster id is '{}', but {} has the id '{}'; repeat the command "
                  "with another NAME in zk://HOSTS/NAME and an empty directory",
                  plan.store.directory, engine::PrintableBytes(found), plan.target, id));
}

// The lock service decides the cluster's id before CLUSTER is written, so programs that make the
// same cluster at the same time use the same id. The directory is made before the lock service
// learns of the cluster: if that fails, nothing is left in the lock service.
StatusOr<bool> Fill(const ClusterPlan& plan, LockSession* session) {
  RETURN_IF_ERROR(MakeDirectory(plan.fs, plan.store.directory));
  RETURN_IF_ERROR(BeginStore(plan, session));
  CRASH_POINT("init.after_mark");
  const uint64_t entropy = static_cast<uint64_t>(plan.clock->NowMicros()) ^ (session->id() << 52);
  ASSIGN_OR_RETURN(std::string id,
                   ClaimId(session, fmt::format("{:016x}", engine::Random(entropy).Next())));
  CRASH_POINT("init.after_claim");
  RETURN_IF_ERROR(TakeDirectory(plan, session->id()));
  RETURN_IF_ERROR(WriteId(plan, id, session->id()));
  CRASH_POINT("init.after_id");
  RETURN_IF_ERROR(plan.fs->CreateDir(store_paths::Sstables(plan.store.directory)));
  RETURN_IF_ERROR(plan.fs->CreateDir(store_paths::Logs(plan.store.directory)));
  RETURN_IF_ERROR(plan.fs->SyncDir(plan.store.directory));
  CRASH_POINT("init.before_store");
  return TellStore(plan, session);
}

// For a complete cluster: checks that its directory is mounted here, and writes nothing.
StatusOr<bool> CheckComplete(const ClusterPlan& plan, const std::string& store,
                             LockSession* session) {
  RETURN_IF_ERROR(CheckStore(plan, store));
  ASSIGN_OR_RETURN(LockFile id, session->Read(lock_paths::ClusterId(), Freshness::kConsistent));
  RETURN_IF_ERROR(CheckMounted(plan.fs, plan.store.directory, plan.target, id.content));
  return false;
}

// nullopt: there is no such file.
StatusOr<std::optional<std::string>> ContentOf(LockSession* session, const std::string& path) {
  auto file = session->Read(path, Freshness::kConsistent);
  if (file.status().code() == StatusCode::kNotFound) return std::optional<std::string>();
  RETURN_IF_ERROR(file.status());
  return std::optional<std::string>(std::move(file->content));
}

}  // namespace

StatusOr<Making> DecideMaking(const DirectoryLook& look, const std::string& directory,
                              const std::string& target, const std::string& known_id) {
  if (!look.is_store) {
    // The lock service of `target` knows no cluster, so it lacks the schemas of the store's tables
    // and the location of METADATA's root. Only another lock service can have them.
    if (!look.others.empty() && !look.id.empty() && look.target == target && known_id.empty()) {
      return FailedPrecondition(fmt::format(
          "store {0}: it belongs to cluster {1}, which its lock service does not know any more; "
          "`sippar admin doctor {0}` says the way back",
          directory, target));
    }
    // The directory has the data of another cluster; the error names that cluster, which helps more
    // than the name of a file.
    if (!look.id.empty() && look.id != known_id) {
      return look.target.empty() || look.target == target
                 ? StatusOr<Making>(RefuseOther(look, directory, target, known_id))
                 : StatusOr<Making>(BelongsTo(directory, look.target));
    }
    if (!look.others.empty()) {
      return FailedPrecondition(
          fmt::format("directory {}: it is not empty (it holds {}) and is not a store; give the "
                      "cluster an empty directory, or the directory of a store",
                      directory, look.others.front()));
    }
    // If CLUSTER has the known id, TARGET and `target` are two addresses of the same cluster.
    const bool is_others = look.id.empty() && !look.target.empty() && look.target != target;
    return is_others ? StatusOr<Making>(BelongsTo(directory, look.target)) : Making::kFill;
  }
  if (look.id.empty()) {
    return DataLoss(
        fmt::format("store {}: its file CLUSTER is missing; put it back from a copy", directory));
  }
  // The store belongs to the cluster that TARGET names, because an init carried the store's lock
  // files to that cluster's lock service.
  if (!look.target.empty() && look.target != target) return BelongsTo(directory, look.target);
  const bool fits =
      look.target.empty() ? known_id.empty() || known_id == look.id : known_id == look.id;
  if (!fits) return RefuseOther(look, directory, target, known_id);
  return look.target.empty() ? Making::kCarry : Making::kFinish;
}

namespace {

StatusOr<bool> MakeWith(const ClusterPlan& plan, LockSession* session) {
  ASSIGN_OR_RETURN(MakingStep step, NextMaking(plan, session));
  if (!step.making.has_value()) return false;
  return *step.making == Making::kFill ? Fill(plan, session) : CarryStore(plan);
}

}  // namespace

StatusOr<std::string> ClaimId(LockSession* session, const std::string& wanted) {
  Status made = session->Create(lock_paths::ClusterId(), wanted, LockFileKind::kLasting).status();
  if (made.ok()) return wanted;
  if (made.code() != StatusCode::kAlreadyExists) return made;
  ASSIGN_OR_RETURN(LockFile id, session->Read(lock_paths::ClusterId(), Freshness::kConsistent));
  return id.content;
}

StatusOr<MakingStep> NextMaking(const ClusterPlan& plan, LockSession* session) {
  MakingStep step;
  ASSIGN_OR_RETURN(auto store, ContentOf(session, lock_paths::Store()));
  if (store.has_value() && *store != PrintStoreFile({StorePhase::kMaking, plan.store, {}})) {
    RETURN_IF_ERROR(CheckComplete(plan, *store, session).status());
    return step;
  }
  // The directory comes first: an init that runs concurrently claims the id before it writes
  // CLUSTER, so an id that is read later is that of the CLUSTER that was seen.
  ASSIGN_OR_RETURN(step.look, LookAt(plan.fs, plan.store.directory));
  ASSIGN_OR_RETURN(auto id, ContentOf(session, lock_paths::ClusterId()));
  ASSIGN_OR_RETURN(step.making,
                   DecideMaking(step.look, plan.store.directory, plan.target, id.value_or("")));
  return step;
}

StatusOr<bool> MakeClusterOf(const ClusterPlan& plan) {
  if (!plan.allows_unsafe_store) {
    RETURN_IF_ERROR(RefuseCachingMount(plan.fs, plan.store.directory));
  }
  ASSIGN_OR_RETURN(
      std::unique_ptr<LockSession> session,
      plan.locks->OpenSession({"init of " + plan.target, plan.session_us, plan.clock}));
  auto made = MakeWith(plan, session.get());
  // An error of Close does no harm, because the session holds no lock.
  (void)session->Close();
  return made;
}

}  // namespace sippar::cluster
