// One life, that is one run, of a tablet server (paper section 5.2): an epoch, a locked file of the
// lock service, a log directory, and the tablets that it serves while its lease is certainly held.
// The life, and with it the process, ends when the file or the log directory is gone, when the
// thread that renews the lease hangs, or when a synced write must not be acknowledged.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>

#include "cluster/api/transport.h"
#include "cluster/lock/lock_service.h"
#include "cluster/tabletserver/control_handler.h"
#include "cluster/tabletserver/drain_order.h"
#include "cluster/tabletserver/lease_driver.h"
#include "cluster/tabletserver/server_parts.h"
#include "cluster/tabletserver/tablet_handler.h"

namespace sippar::cluster {

struct TabletServerOptions {
  std::string name;            // operator's choice; each run under this name has a new epoch
  std::string reached_at;      // content of the lock file; Start adds the lease to a member record
  std::string directory;       // shared by all servers (store_paths.h); has wal/, sst/
  std::string store_mark;      // see LeaseOptions::store_mark
  engine::StoreOptions store;  // file system, clock and sizes of this server
  LockService* locks = nullptr;
  int64_t lease_us = 0;  // see SessionOptions::timeout_us
  MetadataTable* metadata = nullptr;
  // Sends notices to the master, and tells CheckFence whether there can be other servers. Null: the
  // master finds out by itself.
  Transport* transport = nullptr;
  // See LeaseOptions::end_process. Called a few times at most; may return in tests and simulations.
  std::function<void(const char* why)> end_process;
  // Gets the path of the file in which this process is to note its crash (crash_note.h), when the
  // directory of the file exists and no other process knows of the server. Empty: no crash is
  // noted.
  std::function<void(const std::string& path)> note_crashes_in;
  // See LeaseOptions::overdue_call.
  std::function<const char*(int64_t passed_us)> overdue_call;
};

// Thread safe. Everything that the options point to outlives the server. Its open streams keep it
// alive.
class TabletServer : public std::enable_shared_from_this<TabletServer> {
 public:
  // Starts a server with a new epoch. kAlreadyExists: another live process has this name.
  // kFailedPrecondition: the lock service was restored from an older copy (tests/FAULTS.md X6).
  // kAborted: the cluster has another store now.
  [[nodiscard]] static StatusOr<std::shared_ptr<TabletServer>> Start(TabletServerOptions options);
  ~TabletServer() { Abandon(); }
  // Ends as after a crash, except that threads are joined and the log is closed: unless Drain
  // succeeded before, other servers recover the log. No call may be running; later calls are
  // refused.
  void Abandon();

  const ServerId& id() const { return parts_.id; }
  std::shared_ptr<TabletService> Tablets() { return {shared_from_this(), &*data_}; }
  std::shared_ptr<TabletControl> Control() { return {shared_from_this(), &*control_}; }

  // Ends cleanly: flushes and unloads every tablet, METADATA's own tablets last, then releases the
  // lock. After that no process needs its log. On error the lock is kept, and the master recovers
  // the tablets that are left.
  [[nodiscard]] Status Drain(Ending ending = Ending::kOneServer);
  // Does one round of the background work: unloads tablets that METADATA has assigned to other
  // servers, or makes one split that is due; true if it did either. Ends the server if its log
  // directory is gone.
  bool Reshape();
  // OK while the lease is held and the server has not ended.
  [[nodiscard]] Status CheckServing() const;
  engine::TabletHost* host() { return &*host_; }

 private:
  explicit TabletServer(TabletServerOptions options);
  Status Join();
  Status MakeLogDirectory();
  void Begin();
  Status CheckFence();
  Status UnloadAll(bool (*chosen)(const Served&));
  // TellLeaving reports to the other servers how far this server's shutdown has got. AwaitOthers
  // waits until the other servers have got far enough for the next step.
  void TellLeaving(Leaving done);
  void AwaitOthers(Ending ending, Leaving done);
  void GiveUp(const char* why);
  void End(const char* why);

  const TabletServerOptions options_;
  std::string reached_at_;  // options_.reached_at with the lease added
  ServerParts parts_;
  MetadataStateStore states_;
  std::unique_ptr<engine::TabletHost> host_;  // outlives all objects that refer to its tablets
  ServedSet served_;
  TabletMoves moves_;
  TabletSplitter splitter_;
  std::string log_directory_;
  std::unique_ptr<engine::FileLock> log_owner_;
  std::atomic<bool> ended_{false};
  std::unique_ptr<LeaseDriver> lease_;
  std::unique_ptr<TabletHandler> data_;
  std::unique_ptr<ControlHandler> control_;
};

}  // namespace sippar::cluster
