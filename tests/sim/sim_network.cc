// Delivers, delays, loses and repeats calls.
// SPDX-License-Identifier: Apache-2.0
#include "tests/sim/sim_network.h"

#include <fmt/format.h>

#include <algorithm>

namespace sippar::sim {
namespace {
constexpr int64_t kDelayMaxNanos = 2'000'000'000;
}  // namespace

void SimNetwork::Cut(MachineId a, MachineId b) {
  CutOneWay(a, b);
  CutOneWay(b, a);
}

void SimNetwork::Heal() {
  isolated_.clear();
  half_.clear();
  cut_.clear();
  flapping_us_.clear();
}

// Checked when a message arrives: messages in flight when a cut begins are lost as well.
bool SimNetwork::Passes(MachineId from, MachineId to, uint64_t lose_one_in) {
  if (from == to) return true;
  if (lose_one_in != 0 && scheduler_->random()->OneIn(lose_one_in)) return false;
  if (isolated_.contains(from) || isolated_.contains(to)) return false;
  if (half_.contains(from) != half_.contains(to)) return false;
  if (cut_.contains({from, to})) return false;
  return std::none_of(flapping_us_.begin(), flapping_us_.end(), [&](const auto& flapping) {
    bool concerned = flapping.first == from || flapping.first == to;
    return concerned && scheduler_->now_ns() / 1000 / flapping.second % 2 == 1;
  });
}

int64_t SimNetwork::TravelNanos() {
  engine::Random* random = scheduler_->random();
  if (faults_.delay_one_in != 0 && random->OneIn(faults_.delay_one_in)) {
    return static_cast<int64_t>(random->Uniform(kDelayMaxNanos));
  }
  return int64_t{10'000} << random->Uniform(6);
}

StatusOr<std::any> SimNetwork::Carry(MachineId to, Work work, const CallOptions& options) {
  MachineId from = scheduler_->machine();
  auto waiting = std::make_shared<Waiting>();
  waiting->to = to;
  std::erase_if(calls_, [](const auto& call) { return call.expired(); });
  calls_.push_back(waiting);
  if (options.cancel != nullptr) {
    if (options.cancel->cancelled_) return Cancelled("the call was cancelled");
    options.cancel->call_ = waiting;
  }
  bool repeats = options.may_repeat && faults_.repeat_one_in != 0 &&
                 scheduler_->random()->OneIn(faults_.repeat_one_in);
  for (int i = 0; i < (repeats ? 2 : 1); ++i) {
    scheduler_->StartOn(to, fmt::format("call from {}", from),
                        [this, from, to, work, waiting] { Deliver(from, to, work, waiting); });
  }
  int64_t timeout_ns = scheduler_->ClockOf(from)->ToVirtual(options.timeout_us * 1000);
  return Await(waiting.get(), scheduler_->now_ns() + timeout_ns);
}

// Runs on the called machine, so that the work ends if that machine is dropped.
void SimNetwork::Deliver(MachineId from, MachineId to, const Work& work,
                         const std::shared_ptr<Waiting>& waiting) {
  scheduler_->Sleep(TravelNanos(), "request on its way");
  if (!Passes(from, to, faults_.lose_request_one_in)) return;
  std::any service = services_[to];
  std::any answer;
  if (service.has_value()) answer = work(service);
  if (!Passes(to, from, faults_.lose_answer_one_in) || waiting->answered) return;
  waiting->answered = service.has_value();
  waiting->reset = !service.has_value();  // the caller sees "connection refused"
  waiting->answer = std::move(answer);
  waiting->arrives_ns = scheduler_->now_ns() + TravelNanos();
  scheduler_->Notify(waiting.get(), /*all=*/true);
}

StatusOr<std::any> SimNetwork::Await(Waiting* waiting, int64_t until_ns) {
  while (!waiting->answered && !waiting->reset && !waiting->cancelled &&
         scheduler_->now_ns() < until_ns) {
    scheduler_->WaitAt(waiting, until_ns, "calls a machine");
  }
  if (waiting->cancelled) return Cancelled("the call was cancelled");
  if (waiting->answered && waiting->arrives_ns < until_ns) {
    scheduler_->Sleep(waiting->arrives_ns - scheduler_->now_ns(), "answer on its way");
    return std::move(waiting->answer);
  }
  if (waiting->reset) {
    return Unavailable(fmt::format("call to machine {}: connection lost", waiting->to));
  }
  return DeadlineExceeded(fmt::format("call to machine {}: no answer in time", waiting->to));
}

// Half of the callers learn of the crash, the others wait for their deadline.
void SimNetwork::Crash(MachineId machine) {
  services_.erase(machine);
  for (const auto& call : calls_) {
    std::shared_ptr<Waiting> waiting = call.lock();
    if (waiting == nullptr || waiting->to != machine || scheduler_->random()->OneIn(2)) continue;
    waiting->reset = true;
    scheduler_->Notify(waiting.get(), /*all=*/true);
  }
}

void CallCancel::Cancel() {
  cancelled_ = true;
  std::shared_ptr<SimNetwork::Waiting> waiting = call_.lock();
  if (waiting == nullptr) return;
  waiting->cancelled = true;
  scheduler_->Notify(waiting.get(), /*all=*/true);
}

}  // namespace sippar::sim
