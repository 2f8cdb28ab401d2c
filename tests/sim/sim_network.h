// SimNetwork: calls between machines as closures in one process. Calls are delayed, lost in either
// direction, repeated, reordered, or cut off by the five shapes of partitions. The closure owns
// what the call carries; a transport adds its own form on top.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <any>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/status.h"
#include "tests/sim/scheduler.h"

namespace sippar::sim {

// Each rate means one in so many calls; 0: never.
struct NetworkFaults {
  uint64_t lose_request_one_in = 0;
  uint64_t lose_answer_one_in = 0;
  uint64_t repeat_one_in = 0;  // only for calls with may_repeat
  uint64_t delay_one_in = 0;   // delays of up to 2 s
};

class CallCancel;

struct CallOptions {
  int64_t timeout_us = 1'000'000;
  bool may_repeat = false;  // the request may arrive twice, as after an unnecessary retry
  CallCancel* cancel = nullptr;
};

class SimNetwork {
 public:
  explicit SimNetwork(Scheduler* scheduler) : scheduler_(scheduler) {}

  // From now on, calls to `machine` reach `service`; if it has no value, they are refused.
  void Serve(MachineId machine, std::any service) { services_[machine] = std::move(service); }

  // Runs `work` on machine `to` in its own thread and passes it the Service* that the machine
  // serves. `work` may run after the call has ended, so it must own what it needs. If the network
  // returns kDeadlineExceeded, kUnavailable or kCancelled, the outcome is unknown.
  template <typename Service, typename Response>
  StatusOr<Response> Call(MachineId to, std::function<StatusOr<Response>(Service*)> work,
                          const CallOptions& options = {}) {
    auto run = [work = std::move(work)](const std::any& service) -> std::any {
      return work(std::any_cast<Service*>(service));
    };
    ASSIGN_OR_RETURN(std::any answer, Carry(to, std::move(run), options));
    return std::any_cast<StatusOr<Response>>(std::move(answer));
  }

  void SetFaults(const NetworkFaults& faults) { faults_ = faults; }
  // The five shapes of partitions. `Cut` is the partial one: both machines still reach all others.
  void Isolate(MachineId machine) { isolated_.insert(machine); }
  void Halve(std::set<MachineId> half) { half_ = std::move(half); }
  void Cut(MachineId a, MachineId b);
  void CutOneWay(MachineId from, MachineId to) { cut_.insert({from, to}); }
  void Flap(MachineId machine, int64_t period_us) { flapping_us_[machine] = period_us; }
  void Heal();

  // Breaks the connections of the machine.
  void Crash(MachineId machine);

 private:
  friend class CallCancel;
  // A call in progress. The answer may come after the caller has stopped waiting.
  struct Waiting {
    MachineId to = 0;
    bool answered = false;
    bool reset = false;
    bool cancelled = false;
    std::any answer;
    int64_t arrives_ns = 0;
  };
  using Work = std::function<std::any(const std::any& service)>;

  StatusOr<std::any> Carry(MachineId to, Work work, const CallOptions& options);
  void Deliver(MachineId from, MachineId to, const Work& work,
               const std::shared_ptr<Waiting>& waiting);
  StatusOr<std::any> Await(Waiting* waiting, int64_t until_ns);
  bool Passes(MachineId from, MachineId to, uint64_t lose_one_in);
  int64_t TravelNanos();

  Scheduler* scheduler_;
  NetworkFaults faults_;
  std::map<MachineId, std::any> services_;
  std::vector<std::weak_ptr<Waiting>> calls_;
  std::set<MachineId> isolated_;
  std::set<MachineId> half_;
  std::set<std::pair<MachineId, MachineId>> cut_;
  std::map<MachineId, int64_t> flapping_us_;
};

// Ends one call early; its work goes on.
class CallCancel {
 public:
  explicit CallCancel(Scheduler* scheduler) : scheduler_(scheduler) {}
  void Cancel();

 private:
  friend class SimNetwork;
  Scheduler* scheduler_;
  bool cancelled_ = false;
  std::weak_ptr<SimNetwork::Waiting> call_;
};

}  // namespace sippar::sim
