// What a member serves over cluster/net: calls and streams on the interfaces of cluster/api. It
// only translates. Thread safe. SPDX-License-Identifier: Apache-2.0
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

// A process listens first, then takes its roles, and then serves. Calls that come before that are
// refused, and nothing of them is begun. The net::Server ends the calls when it stops.
class MemberService final : public net::Service {
 public:
  // `name` is this member's, for errors. `slow_calls`: not reported if null.
  explicit MemberService(std::string name, std::shared_ptr<SlowCalls> slow_calls = nullptr)
      : name_(std::move(name)), slow_calls_(std::move(slow_calls)) {}

  // Calls that come from now on reach `ports`. Once.
  void Begin(MemberPorts ports);
  // Before the server of a member stops that leaves a store to others.
  void Leave() { departure_.Leave(); }
  // Number of calls so far, without streams of changes.
  uint64_t calls_begun() const { return departure_.calls_begun(); }

  // Every call may wait for a disk, a lock or a tablet, but for the probe: it is answered however
  // busy the threads are.
  bool IsShort(uint16_t method) const override {
    return static_cast<Method>(method) == Method::kProbe;
  }
  void Serve(const std::shared_ptr<net::ServerCall>& call) override;

 private:
  std::shared_ptr<const MemberPorts> ports();
  void Do(const MemberPorts& ports, const std::shared_ptr<net::ServerCall>& call);

  const std::string name_;
  const std::shared_ptr<SlowCalls> slow_calls_;
  Departure departure_;
  engine::Mutex mutex_;
  std::shared_ptr<const MemberPorts> ports_ GUARDED_BY(mutex_);  // null: it does not serve yet
};

}  // namespace sippar::cluster
