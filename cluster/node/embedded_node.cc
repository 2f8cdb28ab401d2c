// A cluster of one: lock service, master, tablet server and client in this process, connected by
// direct calls.
// SPDX-License-Identifier: Apache-2.0
#include "cluster/node/embedded_node.h"

#include <algorithm>
#include <set>
#include <utility>

#include "cluster/api/store_paths.h"
#include "cluster/lock/embedded_lock_service.h"
#include "cluster/lock/lock_directory.h"
#include "cluster/node/file_proof.h"
#include "cluster/node/findings.h"
#include "cluster/node/life_sweep.h"
#include "cluster/node/local_cluster.h"
#include "cluster/node/picture_proof.h"
#include "cluster/node/target.h"
#include "cluster/node/target_file.h"
#include "engine/fs/overlay_file_system.h"
#include "engine/store/store_files.h"

namespace sippar::cluster {
namespace {

constexpr int64_t kLookUs = 100'000;  // time between two checks whether the start fails
constexpr int64_t kNever = INT64_MAX / 4;
// Time between two sweeps, and between their scans. It is short because messages within one process
// are never late.
constexpr int64_t kSweepUs = 15'000'000;
// Size of the file RESERVE. On a full disk the file is removed, to make room for a start or for
// deleting a table.
constexpr uint64_t kReserveBytes = 1 << 20;
// If the disk accepts no writes, the overlay keeps at most this many bytes of changes in memory;
// most of them are sorted logs.
constexpr uint64_t kOverlayBytes = 1 << 30;

engine::StoreOptions StoreOptionsOf(const ClientOptions& options) {
  engine::StoreOptions store;
  store.fs = options.fs;
  store.clock = options.clock == nullptr ? engine::Clock::System() : options.clock;
  store.create_if_missing = options.create_if_missing;
  store.sync_writes = options.sync_writes;
  if (options.memory_limit != 0) store.DivideMemory(options.memory_limit);
  return store;
}

// There is no other server that could take over. So the master waits for a server that a slow disk
// keeps from answering, and never removes it.
master::MasterOptions PolicyOfOne() {
  master::MasterOptions policy;
  policy.unanswered_fence_us = kNever;
  policy.silent_fence_us = kNever;
  policy.lone_fence_us = kNever;
  policy.garbage_us = kSweepUs;
  policy.trash_us = 0;
  policy.sorts_logs = false;
  policy.erases_strangers = false;
  policy.sets_aside = false;
  return policy;
}

class EmbeddedClient : public ReadingClient {
 public:
  // If `options.fs` is null, the directory's own file system is used.
  EmbeddedClient(std::string directory, const engine::StoreOptions& options)
      : directory_(std::move(directory)),
        own_fs_(options.fs == nullptr ? FileSystemOf(directory_) : nullptr),
        store_(options) {
    if (own_fs_ != nullptr) store_.fs = own_fs_.get();
  }
  ~EmbeddedClient() override { (void)Close(); }

  // Refuses a directory that belongs to a cluster of many processes.
  Status CheckAlone() { return NotHeld(RefuseClusters(store_.fs, directory_)); }
  // Opens the store for reading and writing. `socket` is that of OpenEmbedded.
  Status Open(bool create_if_missing, std::unique_ptr<DirectorySocket>* socket);
  // Opens the store on a disk that accepts no writes: changes that the start makes stay in memory,
  // and later changes are refused.
  Status OpenForReading(const Status& why, std::unique_ptr<DirectorySocket>* socket);

  DataApi* data() override { return cluster_->data(); }
  AdminApi* admin() override { return admin_.get(); }
  engine::Clock* clock() override { return store_.clock; }
  const std::string& target() const override { return directory_; }
  bool has_refused() const override { return overlay_ != nullptr && overlay_->has_refused(); }
  Status Close() override;

 private:
  StatusOr<bool> Find(bool create_if_missing) {
    return FindStoreOfOne(store_.fs, directory_, create_if_missing);
  }
  Status OpenLocked(bool is_new);
  Status StartRoles();
  Status WaitForMaster();
  Status ProveAndSweep();

  const std::string directory_;
  const std::unique_ptr<engine::FileSystem> own_fs_;
  std::unique_ptr<engine::OverlayFileSystem> overlay_;
  engine::StoreOptions store_;
  std::unique_ptr<EmbeddedLockService> locks_;
  std::unique_ptr<LocalCluster> cluster_;
  std::shared_ptr<AdminApi> admin_;
  bool is_open_ = false;  // open for writing, so Close must end it cleanly
};

Status EmbeddedClient::Open(bool create_if_missing, std::unique_ptr<DirectorySocket>* socket) {
  StatusOr<bool> found = Find(create_if_missing);
  RETURN_IF_ERROR(NotHeld(found.status()));
  if (*found) RETURN_IF_ERROR(NotHeld(CheckDirectories(store_.fs, directory_)));
  ASSIGN_OR_RETURN(locks_, LockServiceOf(directory_, store_.fs, store_.clock));
  if (socket != nullptr) {
    auto listening = DirectorySocket::Listen(directory_);
    // If the socket cannot be made, this process uses the store alone.
    if (listening.ok()) *socket = *std::move(listening);
  }
  // Checked again under the lock, because another process may have made the store meanwhile.
  found = Find(create_if_missing);
  RETURN_IF_ERROR(NotHeld(found.status()));
  return NotHeld(OpenLocked(/*is_new=*/!*found));
}

Status EmbeddedClient::OpenLocked(bool is_new) {
  if (!is_new) {
    Findings findings;
    RETURN_IF_ERROR(ProveFiles(store_.fs, directory_, locks_.get(), &findings));
    RETURN_IF_ERROR(findings.Check(directory_));
  }
  LocalClusterOptions options;
  options.directory = directory_;
  options.locks = locks_.get();
  options.store = store_;
  options.loses_answers = false;  // one server with one life answers every call
  options.policy = PolicyOfOne();
  ASSIGN_OR_RETURN(cluster_, LocalCluster::Open(options));
  if (is_new) RETURN_IF_ERROR(engine::WriteStoreFormat(store_.fs, directory_));
  return StartRoles();
}

Status EmbeddedClient::StartRoles() {
  RETURN_IF_ERROR(cluster_->StartServer("server"));
  RETURN_IF_ERROR(cluster_->StartMaster("master"));
  RETURN_IF_ERROR(WaitForMaster());
  RETURN_IF_ERROR(ProveAndSweep());
  admin_ = cluster_->admin();
  if (overlay_ != nullptr) return OkStatus();
  is_open_ = true;
  engine::KeepReserve(store_.fs, store_paths::Reserve(directory_), kReserveBytes);
  return OkStatus();
}

// Removes files that earlier starts of the server left, but only after every file that METADATA and
// the backups name was found.
Status EmbeddedClient::ProveAndSweep() {
  ASSIGN_OR_RETURN(std::set<ServerId> lives, cluster_->Lives());
  uint64_t epoch_end = 0;
  for (const ServerId& life : lives) epoch_end = std::max(epoch_end, life.epoch + 1);
  Findings findings;
  ASSIGN_OR_RETURN(StorePicture picture, ProvePicture(store_.fs, directory_, cluster_->metadata(),
                                                      locks_.get(), epoch_end, &findings));
  RETURN_IF_ERROR(findings.Check(directory_));
  // An error of the sweep is ignored, because the files do no harm.
  if (overlay_ == nullptr) (void)SweepEndedLives(store_.fs, directory_, lives, picture);
  return OkStatus();
}

// Waits as long as the start makes progress, however much it has to read; returns as soon as
// something fails repeatedly.
Status EmbeddedClient::WaitForMaster() {
  for (;;) {
    Status running = cluster_->WaitForMaster(kLookUs);
    if (running.code() != StatusCode::kDeadlineExceeded) return running;
    Status failure = cluster_->StartFailure();
    if (failure.ok()) continue;
    bool is_log = MessageOf(failure).find(store_paths::Logs(directory_)) != std::string_view::npos;
    if (failure.code() != StatusCode::kDataLoss || !is_log) return failure;
    return DataLoss(SalvageHint(failure, directory_));
  }
}

Status EmbeddedClient::OpenForReading(const Status& why, std::unique_ptr<DirectorySocket>* socket) {
  overlay_ = std::make_unique<engine::OverlayFileSystem>(store_.fs, kOverlayBytes);
  store_.fs = overlay_.get();
  RETURN_IF_ERROR(Open(/*create_if_missing=*/false, socket));
  RETURN_IF_ERROR(cluster_->WaitForTablets());
  overlay_->Refuse(why);
  return OkStatus();
}

// If writes are synced, Close returns OK even if the disk accepts no flush (full, or permission
// denied): all acknowledged writes are in the log.
Status EmbeddedClient::Close() {
  Status status;
  if (std::exchange(is_open_, false)) status = cluster_->CloseAll();
  admin_.reset();
  cluster_.reset();
  locks_.reset();
  bool is_full =
      HasCause(status, Cause::kDiskFull) || status.code() == StatusCode::kPermissionDenied;
  return is_full && store_.sync_writes ? OkStatus() : status;
}

}  // namespace

StatusOr<std::unique_ptr<Client>> OpenEmbedded(const std::string& directory,
                                               const ClientOptions& options,
                                               std::unique_ptr<DirectorySocket>* socket) {
  auto client = std::make_unique<EmbeddedClient>(directory, StoreOptionsOf(options));
  RETURN_IF_ERROR(client->CheckAlone());
  Status opened = client->Open(options.create_if_missing, socket);
  if (!opened.ok() && socket != nullptr) socket->reset();
  RETURN_IF_ERROR(Annotate(opened, "open store " + directory));
  return std::unique_ptr<Client>(std::move(client));
}

StatusOr<std::unique_ptr<Client>> OpenEmbedded(const std::string& directory,
                                               const engine::StoreOptions& options) {
  auto client = std::make_unique<EmbeddedClient>(directory, options);
  RETURN_IF_ERROR(client->CheckAlone());
  Status opened = client->Open(options.create_if_missing, /*socket=*/nullptr);
  RETURN_IF_ERROR(Annotate(opened, "open store " + directory));
  return std::unique_ptr<Client>(std::move(client));
}

StatusOr<std::unique_ptr<ReadingClient>> OpenForReading(const std::string& directory,
                                                        const ClientOptions& options,
                                                        const Status& why,
                                                        std::unique_ptr<DirectorySocket>* socket) {
  auto client = std::make_unique<EmbeddedClient>(directory, StoreOptionsOf(options));
  Status opened = client->OpenForReading(why, socket);
  if (!opened.ok() && socket != nullptr) socket->reset();
  RETURN_IF_ERROR(opened);
  return std::unique_ptr<ReadingClient>(std::move(client));
}

bool GiveUpReserve(const std::string& directory) {
  return engine::GiveUpReserve(FileSystemOf(directory).get(), store_paths::Reserve(directory));
}

}  // namespace sippar::cluster
