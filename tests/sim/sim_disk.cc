// Injects latency and faults into the calls of each machine.
// SPDX-License-Identifier: Apache-2.0
#include "tests/sim/sim_disk.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace sippar::sim {
namespace {

using engine::FaultRule;

bool IsAny(std::string_view operation, std::initializer_list<std::string_view> of) {
  return std::find(of.begin(), of.end(), operation) != of.end();
}

bool Writes(std::string_view operation) {
  return IsAny(operation,
               {"create", "write", "sync", "rename", "remove", "mkdir", "syncdir", "lock"});
}

// Latencies are spread over orders of magnitude, like those of real disks.
int64_t LatencyNanos(std::string_view operation, engine::Random* random) {
  int64_t least = IsAny(operation, {"sync", "syncdir"}) ? 50'000 : 2'000;
  return least << random->Uniform(6);
}

}  // namespace

SimDisk::View* SimDisk::ViewOf(MachineId machine) {
  auto [found, added] = views_.try_emplace(machine);
  View* view = &found->second;
  if (added) {
    view->files = image_.ForMachine(machine);
    view->faulty = std::make_unique<engine::FaultFileSystem>(view->files.get());
    view->faulty->OnCall(
        [this, view](const char* operation, const std::string& path, FaultRule::Effect* effect) {
          return OnCall(view, operation, path, effect);
        });
  }
  return view;
}

engine::FileSystem* SimDisk::Of(MachineId machine) { return FaultsOf(machine); }

engine::FaultFileSystem* SimDisk::FaultsOf(MachineId machine) {
  return ViewOf(machine)->faulty.get();
}

void SimDisk::SetFaults(MachineId machine, const DiskFaults& faults) {
  View* view = ViewOf(machine);
  view->faults = faults;
  scheduler_->Notify(view, /*all=*/true);  // wakes the calls that hang
}

void SimDisk::OnNextLogWrite(MachineId machine, LogWrite action) {
  ViewOf(machine)->on_log_write = std::move(action);
}

void SimDisk::Crash(MachineId machine, bool power_lost) {
  ViewOf(machine)->files->Crash(power_lost ? scheduler_->random() : nullptr);
}

Status SimDisk::OnCall(View* view, std::string_view operation, const std::string& path,
                       FaultRule::Effect* effect) {
  engine::Random* random = scheduler_->random();
  const DiskFaults& faults = view->faults;
  auto hits = [random](uint64_t one_in) { return one_in != 0 && random->OneIn(one_in); };
  int64_t latency_ns = LatencyNanos(operation, random);
  if (operation == "sync" && hits(faults.slow_sync_one_in)) {
    latency_ns = 60'000'000 + static_cast<int64_t>(random->Uniform(3'000'000'000));
  }
  if (operation == "sync" && path.ends_with(".log") && view->slow_log_sync_ns != 0) {
    latency_ns = std::exchange(view->slow_log_sync_ns, 0);
  }
  scheduler_->Note(fmt::format("disk {} {}", operation, path));
  if (view->on_log_write && operation == "write" && path.ends_with(".log")) {
    std::exchange(view->on_log_write, nullptr)(path);
  }
  scheduler_->Sleep(latency_ns, "disk", path);
  bool writes = Writes(operation);
  while (writes && faults.hangs) scheduler_->WaitAt(view, Scheduler::kNever, "hanging disk", path);
  auto fault = [&](Status status, FaultRule::Effect how) {
    if (effect != nullptr) *effect = how;
    scheduler_->Note(fmt::format("disk {} {}: fault {}{}", operation, path, MessageOf(status),
                                 how == FaultRule::kTorn ? ", but done" : ""));
    return status;
  };
  std::string call = fmt::format("{} {}", operation, path);
  if (writes && faults.is_read_only) {
    return fault(PermissionDenied(call + ": read-only file system"), FaultRule::kFail);
  }
  if (IsAny(operation, {"write", "create", "mkdir"}) && faults.is_full) {
    return fault(DiskFull(call + ": no space left"),
                 operation == "write" ? FaultRule::kTorn : FaultRule::kFail);
  }
  if (operation == "read" && path.ends_with(".sst") && hits(faults.flip_one_in)) {
    return fault(Unavailable("flipped"), FaultRule::kFlip);
  }
  if (operation != "close" && hits(faults.fail_one_in)) {
    bool torn = writes && random->OneIn(2);
    return fault(Unavailable(call + ": I/O error"), torn ? FaultRule::kTorn : FaultRule::kFail);
  }
  return OkStatus();
}

}  // namespace sippar::sim
