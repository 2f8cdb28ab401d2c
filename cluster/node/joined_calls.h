// The calls of a joined client (joined_client.h). Thread safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cluster/client/call_course.h"
#include "cluster/client/request_numbers.h"
#include "cluster/node/joined_client.h"
#include "engine/base/thread.h"

namespace sippar::cluster {

// A store whose server may change. Holds the present client of the store: one that opened the store
// in this process, or one that calls the process that serves the store.
class JoinedStore {
 public:
  struct Reached {
    std::shared_ptr<Client> client;
    // Points to the same client if another process serves the store; null: this process opened it.
    std::shared_ptr<RemoteClient> remote;
    std::function<bool()> has_refused;  // see ReachedStore
    bool is_lost() const { return remote != nullptr && remote->is_lost(); }
  };

  // `wait_us`: how long a call looks for a server of the store before it fails.
  JoinedStore(engine::Clock* clock, int64_t wait_us, ReachedStore store, ReachStore reach);

  const CallSettings& settings() const { return settings_; }

  // Returns the store. If it was lost, reaches it again, while other calls wait. `options` are
  // those of the call that needs the store, and limit how long this call looks for a server.
  [[nodiscard]] StatusOr<Reached> Get(const CallOptions& options);
  // Like Get, for calls that must not be made twice: when OK, a remote server has just answered a
  // probe, perhaps that it begins no calls now. A store that is open for reading only is first
  // opened for writing, if that is possible.
  [[nodiscard]] StatusOr<Reached> GetForChange(const CallOptions& options);
  [[nodiscard]] Status Close();
  // The client of a store that this process has open now; otherwise null. Never waits.
  std::shared_ptr<Client> Own();

 private:
  void Take(ReachedStore store) REQUIRES(mutex_);
  // True if the store is open for reading only and no call uses it: this process must close the
  // store before it can open it again.
  bool MayReopen() const REQUIRES(mutex_);
  StatusOr<Reached> Reach(ReachFor reach_for, const CallOptions& options) REQUIRES(mutex_);

  const CallSettings settings_;
  const ReachStore reach_;
  engine::Mutex mutex_;
  bool closed_ GUARDED_BY(mutex_) = false;
  Reached store_ GUARDED_BY(mutex_);  // if client is null, the next call opens or joins the store
  int64_t reached_ns_ GUARDED_BY(mutex_) = 0;
  engine::Mutex own_mutex_;  // separate, because mutex_ is held while a store is opened
  std::weak_ptr<Client> own_ GUARDED_BY(own_mutex_);
};

// True if a call or stream failed because its server has ended or leaves the store, so that another
// server may be reached, or because its server begins no calls now.
bool IsBroken(const Status& status, const JoinedStore::Reached& store);

class JoinedData final : public DataApi {
 public:
  explicit JoinedData(JoinedStore* store);

  void Carry(const AnyCall& any, const CallOptions& options) override;
  // When their server ends, streams continue with the next server after what they have returned
  // (joined_streams.cc). They must be destroyed before the store is closed.
  StatusOr<std::unique_ptr<CellStream>> Read(const std::string& table, const ReadSpec& read,
                                             const CallOptions& options) override;
  Status Run(const std::string& table, const RowRange& tablet_range, const engine::Program& program,
             const CallOptions& options, engine::ProgramSink* sink) override;
  StatusOr<std::unique_ptr<ChangeStream>> ReadChanges(const std::string& table,
                                                      const ChangesRequest& wanted,
                                                      const CallOptions& options) override;
  std::optional<uint64_t> BundleOf(const std::string& table, std::string_view row) override;

 private:
  JoinedStore* const store_;
  RequestNumbers numbers_;
};

class JoinedAdmin final : public AdminApi {
 public:
  explicit JoinedAdmin(JoinedStore* store) : store_(store) {}

  void Carry(const AnyCall& call, const CallOptions& options) override;

 private:
  JoinedStore* const store_;
};

}  // namespace sippar::cluster
