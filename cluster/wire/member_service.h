// Serves a member's calls and streams over cluster/net: translates them into calls of the
// interfaces of cluster/api, and records them (recorded_call.h). Thread safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "cluster/api/slow_calls.h"
#include "cluster/net/server.h"
#include "cluster/wire/departure.h"
#include "cluster/wire/member_ports.h"
#include "cluster/wire/methods.h"
#include "engine/base/thread.h"

namespace sippar::cluster {

// A process first listens, then takes its roles in the cluster, and then calls Begin. Calls that
// come before Begin are refused and not begun. The net::Server ends the calls when it stops.
class MemberService final : public net::Service {
 public:
  // `name` is this member's name, for error messages. `slow_calls` gets the reports of slow calls;
  // null: slow calls are not reported.
  explicit MemberService(std::string name, std::shared_ptr<SlowCalls> slow_calls = nullptr)
      : name_(std::move(name)), slow_calls_(std::move(slow_calls)) {}

  // Serves `ports` from now on. To be called once.
  void Begin(MemberPorts ports);
  // To be called before the net::Server stops, if another process may serve the store next
  // (wire/departure.h).
  void Leave() { departure_.Leave(); }
  // Number of calls so far, without streams of changes.
  uint64_t calls_begun() const { return departure_.calls_begun(); }

  // Answers the probe, also while all threads are busy, and reads of one row whose blocks are in
  // memory. It leaves every other call to Serve, because such a call may wait for a disk, a lock or
  // a tablet.
  bool ServeAtOnce(const std::shared_ptr<net::ServerCall>& call) override;
  void Serve(const std::shared_ptr<net::ServerCall>& call) override;

 private:
  std::shared_ptr<const MemberPorts> ports();
  [[nodiscard]] bool ReadAtOnce(const MemberPorts& ports,
                                const std::shared_ptr<net::ServerCall>& call);
  void Do(const MemberPorts& ports, const std::shared_ptr<net::ServerCall>& call);

  const std::string name_;
  const std::shared_ptr<SlowCalls> slow_calls_;
  Departure departure_;
  engine::Mutex mutex_;
  std::shared_ptr<const MemberPorts> ports_ GUARDED_BY(mutex_);  // null: Begin was not called yet
};

}  // namespace sippar::cluster
