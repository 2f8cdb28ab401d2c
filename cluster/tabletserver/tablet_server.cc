// SPDX-License-Identifier: Apache-2.0
#include "cluster/tabletserver/tablet_server.h"

#include <fmt/format.h>

#include "cluster/api/store_paths.h"
#include "cluster/location/meta_row.h"
#include "cluster/lock/lock_paths.h"
#include "cluster/lock/member_record.h"
#include "cluster/lock/membership.h"
#include "cluster/lock/store_mark.h"
#include "engine/base/crash_point.h"
#include "engine/base/parallel.h"

namespace sippar::cluster {
namespace {
// Longest time that a clean shutdown waits for a tablet that is being loaded, unloaded, altered or
// split.
constexpr int64_t kBusyUs = 10'000'000;
constexpr size_t kUnloadsMax = 8;  // largest number of unloads in flight
constexpr int64_t kTryAgainUs = 10'000;
// Longest time that a clean shutdown waits for other servers that shut down at the same time and
// need METADATA.
constexpr int64_t kOthersUs = 30'000'000;

// Returns the member record with the lease that the lock service has granted: a master that removes
// this server waits until that lease has ended.
StatusOr<std::string> WithLease(const std::string& reached_at, LockSession* session,
                                engine::Clock* clock) {
  auto record = MemberRecord::Decode(reached_at);
  // If `reached_at` is not a member record, no other process calls this server.
  if (!record.ok()) return reached_at;
  const int64_t before_nanos = clock->MonotonicNanos();
  ASSIGN_OR_RETURN(int64_t over_at_nanos, session->Heartbeat());
  if (over_at_nanos == INT64_MAX) return reached_at;  // the session has no timeout
  record->lease_us = (over_at_nanos - before_nanos) / 1000;
  return record->Encode();
}
}  // namespace

TabletServer::TabletServer(TabletServerOptions options)
    : options_(std::move(options)),
      states_(options_.metadata),
      moves_(&parts_),
      splitter_(&parts_) {}

// Closes the host first, because its threads use everything else.
void TabletServer::Abandon() {
  ended_ = true;
  if (host_ != nullptr) (void)host_->Close();
  if (lease_ != nullptr) lease_->Abandon();
}

StatusOr<std::shared_ptr<TabletServer>> TabletServer::Start(TabletServerOptions options) {
  std::shared_ptr<TabletServer> server(new TabletServer(std::move(options)));
  RETURN_IF_ERROR(Annotate(server->Join(), "start tablet server " + server->options_.name));
  server->Begin();
  return server;
}

// Makes the log directory before the file by which the master learns of this server. So every
// server that the master knows has had a log, and a missing log is a lost one.
Status TabletServer::Join() {
  SessionOptions session_options{options_.name, options_.lease_us, options_.store.clock};
  ASSIGN_OR_RETURN(std::unique_ptr<LockSession> opened,
                   options_.locks->OpenSession(session_options));
  std::shared_ptr<LockSession> session = std::move(opened);
  ASSIGN_OR_RETURN(reached_at_,
                   WithLease(options_.reached_at, session.get(), options_.store.clock));
  auto registered =
      RegisterServer(session.get(), options_.name, reached_at_, [this](const ServerId& id) {
        parts_.id = id;
        return MakeLogDirectory();
      });
  if (!registered.ok()) {
    // Renames the log as the master does in a recovery. The log is empty, and the master's garbage
    // collection removes it under this new name.
    std::string sealed = store_paths::SealedLog(options_.directory, parts_.id);
    if (log_owner_ != nullptr) (void)options_.store.fs->Rename(log_directory_, sealed);
    return registered.status();
  }
  CRASH_POINT("server.after_register");
  if (Status marked = CheckStoreMark(session.get(), options_.store_mark); !marked.ok()) {
    (void)session->Remove(registered->path, 1);
    std::string sealed = store_paths::SealedLog(options_.directory, parts_.id);
    (void)options_.store.fs->Rename(log_directory_, sealed);
    return marked;
  }
  // If the start took very long, the master may have removed the log, because the master knew no
  // server that owned the log.
  ASSIGN_OR_RETURN(bool has_log, options_.store.fs->Exists(log_directory_));
  if (!has_log) {
    (void)session->Remove(registered->path, 1);
    return Unavailable(log_directory_ +
                       " was removed before this server was registered; start it again");
  }
  LeaseOptions lease;
  lease.service = options_.locks;
  lease.session = session_options;
  lease.path = registered->path;
  lease.store_mark = options_.store_mark;
  lease.end_process = [this](const char* why) { End(why); };
  lease.overdue_call = options_.overdue_call;
  ASSIGN_OR_RETURN(lease_, LeaseDriver::Start(std::move(lease), std::move(session)));
  return OkStatus();
}

Status TabletServer::MakeLogDirectory() {
  engine::FileSystem* fs = options_.store.fs;
  log_directory_ = store_paths::Log(options_.directory, parts_.id);
  for (const std::string& path :
       {log_directory_, store_paths::SealedLog(options_.directory, parts_.id)}) {
    ASSIGN_OR_RETURN(bool exists, fs->Exists(path));
    if (!exists) continue;
    return FailedPrecondition(
        fmt::format("{} already exists, though epochs never repeat, so the lock service's data may "
                    "be an older copy; put its newest data back",
                    path));
  }
  RETURN_IF_ERROR(fs->CreateDir(log_directory_));
  RETURN_IF_ERROR(fs->SyncDir(store_paths::Logs(options_.directory)));
  ASSIGN_OR_RETURN(log_owner_,
                   fs->Lock(store_paths::LogOwner(log_directory_), options_.reached_at));
  if (options_.note_crashes_in) options_.note_crashes_in(store_paths::CrashNote(log_directory_));
  return fs->SyncDir(log_directory_);
}

void TabletServer::Begin() {
  engine::TabletHost::Options host_options;
  host_options.store = options_.store;
  host_options.sst_directory = store_paths::Sstables(options_.directory);
  host_options.epoch = parts_.id.epoch;
  host_options.states = &states_;
  host_options.change_directory = store_paths::Changes(options_.directory);
  // The host must not remove files, because records of other tablets or servers may name them.
  host_options.removes_files = false;
  host_ = std::make_unique<engine::TabletHost>(std::move(host_options));
  host_->StartLog(log_directory_, {}, [this] { return CheckFence(); });

  parts_.directory = options_.directory;
  parts_.store = options_.store;
  parts_.host = host_.get();
  parts_.metadata = options_.metadata;
  parts_.states = &states_;
  parts_.served = &served_;
  parts_.check_serving = [this] { return CheckServing(); };
  parts_.lease_left_us = [this] { return lease_->LeftMicros(); };
  parts_.has_ended = [this] { return ended_.load(); };
  parts_.tell_split = [this](uint64_t parent_tablet_id) {
    if (options_.transport == nullptr) return;
    (void)options_.transport->Notices()->Do(calls::SplitDone{parts_.id, parent_tablet_id});
  };
  parts_.life = weak_from_this();
  data_ = std::make_unique<TabletHandler>(&parts_);
  control_ = std::make_unique<ControlHandler>(&parts_, &moves_, &splitter_);
  host_->StartBackground([this] { return Reshape(); });
}

Status TabletServer::CheckServing() const {
  if (ended_) return Unavailable(fmt::format("server {} has ended", parts_.id.ToString()));
  return lease_->CheckLease();
}

// Step W3 of PROTOCOL.md, after the sync of a group of writes: checks that the log directory still
// has its name and that the lease is still held. If not, no writer of the group gets an OK, because
// the recovery of the log decides whether the group counts, and this server ends.
Status TabletServer::CheckFence() {
  Status status = CheckServing();
  // A transport that loses no answers means that this is the only server, so no other server could
  // take over the log.
  bool is_alone = options_.transport != nullptr && !options_.transport->LosesAnswers();
  if (status.ok() && !is_alone) {
    auto ours = options_.store.fs->Exists(log_directory_);
    if (!ours.ok()) status = Unavailable(std::string(MessageOf(ours.status())));
    if (ours.ok() && !*ours)
      status = Unavailable(log_directory_ + " no longer belongs to this server");
  }
  if (!status.ok()) GiveUp("a synced write may not be acknowledged");
  return Annotate(status, "the outcome is unknown");
}

// Also stops the heartbeats: the master cannot assign the tablets to other servers as long as the
// lease is renewed.
void TabletServer::GiveUp(const char* why) {
  lease_->End();
  End(why);
}

void TabletServer::End(const char* why) {
  ended_ = true;
  options_.end_process(why);
}

bool TabletServer::Reshape() {
  if (!CheckServing().ok()) return false;
  if (moves_.DropLost()) return true;
  // If the log directory is gone, the log cannot begin a new segment, so writes would fail before
  // they reach CheckFence, which would end the server.
  auto ours = options_.store.fs->Exists(log_directory_);
  if (ours.ok() && !*ours) {
    GiveUp("its log directory was removed or renamed");
    return false;
  }
  return !moves_.leaves() && splitter_.SplitLarge();
}

// Repeats until no chosen tablet is left: meanwhile a split may replace a tablet by its children,
// and a load that had begun may add a tablet.
Status TabletServer::UnloadAll(bool (*chosen)(const Served&)) {
  engine::Clock* clock = options_.store.clock;
  int64_t idle_since_us = clock->MonotonicNanos() / 1000;
  while (true) {
    std::vector<std::shared_ptr<Served>> rest = served_.All();
    std::erase_if(rest, [&](const auto& served) { return !chosen(*served); });
    std::vector<StatusOr<bool>> gone(rest.size(), false);
    // Unloads tablets concurrently, so that their changes of METADATA share syncs.
    engine::RunParallel(kUnloadsMax, rest.size(), [&](size_t i) {
      gone[i] = moves_.TryUnload({rest[i]->tablet->id(), rest[i]->tablet_epoch});
    });
    bool any = false;
    for (const StatusOr<bool>& one : gone) {
      RETURN_IF_ERROR(one.status());
      any = any || *one;
    }
    int64_t now_us = clock->MonotonicNanos() / 1000;
    if (any) {
      idle_since_us = now_us;
      continue;
    }
    if (!served_.AnyBusy()) return OkStatus();
    RETURN_IF_ERROR(CheckServing());
    if (now_us - idle_since_us > kBusyUs)
      return Unavailable(
          fmt::format("server {}: for {} s one of its tablets has been loaded, unloaded, "
                      "altered or split, so the server cannot end cleanly",
                      parts_.id.ToString(), kBusyUs / 1'000'000));
    clock->SleepMicros(kTryAgainUs);
  }
}

// Writes into this server's member record how far its shutdown has got. Ignores errors: a server
// that shuts down at the same time then only waits longer for this one.
void TabletServer::TellLeaving(Leaving done) {
  auto record = MemberRecord::Decode(reached_at_);
  // If reached_at_ is not a member record, no other process calls this server.
  if (!record.ok()) return;
  record->leaving = NameOf(done);
  const std::string path = lock_paths::Server(parts_.id);
  std::shared_ptr<LockSession> session = lease_->session();
  auto file = session->Read(path);
  if (file.ok()) static_cast<void>(session->Write(path, record->Encode(), file->version));
}

void TabletServer::AwaitOthers(Ending ending, Leaving done) {
  if (!MemberRecord::Decode(reached_at_).ok() || served_.All().empty()) return;
  engine::Clock* clock = options_.store.clock;
  const int64_t until_nanos = clock->MonotonicNanos() + kOthersUs * 1000;
  while (clock->MonotonicNanos() < until_nanos && CheckServing().ok()) {
    auto others = OtherServers(lease_->session().get(), parts_.id);
    if (others.ok() && MayGoOn(ending, done, *others)) return;
    clock->SleepMicros(kTryAgainUs);
  }
}

Status TabletServer::Drain(Ending ending) {
  moves_.Leave();
  TellLeaving(Leaving::kBegun);
  host_->CompactSmall();
  // The last state of a user tablet is written to METADATA, and that of a METADATA tablet to the
  // root tablet. So user tablets are unloaded first, and the root tablet last.
  RETURN_IF_ERROR(
      UnloadAll([](const Served& served) { return served.table_id != kMetadataTableId; }));
  TellLeaving(Leaving::kUserTablets);
  AwaitOthers(ending, Leaving::kUserTablets);
  RETURN_IF_ERROR(UnloadAll([](const Served& served) {
    return served.table_id == kMetadataTableId && !IsRoot(served.table_id, served.tablet->range());
  }));
  TellLeaving(Leaving::kMetadata);
  AwaitOthers(ending, Leaving::kMetadata);
  RETURN_IF_ERROR(UnloadAll([](const Served&) { return true; }));
  CRASH_POINT("server.after_unload");
  ended_ = true;
  RETURN_IF_ERROR(host_->Close());
  return lease_->Leave();
}

}  // namespace sippar::cluster
