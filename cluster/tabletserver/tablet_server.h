// One life of a tablet server (paper section 5.2): an epoch and a locked file of the lock service,
// a log directory of its own, and tablets that it serves while its lease certainly holds. When its
// file is gone, or a write was synced that it may not acknowledge, the life ends: the process does.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>

#include "cluster/api/transport.h"
#include "cluster/lock/lock_service.h"
#include "cluster/tabletserver/control_handler.h"
#include "cluster/tabletserver/lease_driver.h"
#include "cluster/tabletserver/server_parts.h"
#include "cluster/tabletserver/tablet_handler.h"

namespace sippar::cluster {

struct TabletServerOptions {
  std::string name;            // the operator's; epochs tell its lives apart
  std::string reached_at;      // content of its lock file
  std::string directory;       // shared by all servers (store_paths.h); wal/ and sst/ are there
  engine::StoreOptions store;  // what one server is given: file system, clock, sizes
  LockService* locks = nullptr;
  int64_t lease_us = 0;  // SessionOptions::timeout_us
  MetadataTable* metadata = nullptr;
  Transport* transport = nullptr;  // for notices to the master; null: it finds out by itself
  // As LeaseOptions'. Called at most a few times; may return in tests and simulations.
  std::function<void(const char* why)> end_process;
};

// Thread safe. Everything in the options outlives it. Streams that it gave out keep it.
class TabletServer : public std::enable_shared_from_this<TabletServer> {
 public:
  // kAlreadyExists: another process lives under that name. kFailedPrecondition: the lock service
  // was restored from an older copy (FAULTS.md X6).
  [[nodiscard]] static StatusOr<std::shared_ptr<TabletServer>> Start(TabletServerOptions options);
  ~TabletServer() { Abandon(); }
  // As a crash, but that its threads end and its log is closed: without Drain others recover it. No
  // call may be running. Later ones are refused.
  void Abandon();

  const ServerId& id() const { return parts_.id; }
  std::shared_ptr<TabletService> Tablets() { return {shared_from_this(), &*data_}; }
  std::shared_ptr<TabletControl> Control() { return {shared_from_this(), &*control_}; }

  // Clean end: every tablet is flushed and given up, METADATA's own last, then the lock is
  // released. Nobody needs its log. On error the lock is kept: what is left is recovered.
  [[nodiscard]] Status Drain();
  // One round of what the background does now and then: true if it did something.
  bool Reshape();
  // OK while the lease holds and this life has not ended.
  [[nodiscard]] Status CheckServing() const;
  engine::TabletHost* host() { return &*host_; }

 private:
  explicit TabletServer(TabletServerOptions options);
  Status Join();
  Status MakeLogDirectory();
  void Begin();
  Status CheckFence();
  Status UnloadAll(bool (*chosen)(const Served&));
  void GiveUp(const char* why);
  void End(const char* why);

  const TabletServerOptions options_;
  ServerParts parts_;
  MetadataStateStore states_;
  std::unique_ptr<engine::TabletHost> host_;  // outlives what refers to its tablets
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
