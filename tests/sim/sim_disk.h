// One shared directory as each machine sees it: with latency, with the faults of FAULTS.md D1 to
// D19 at a rate, for a while or at the n-th call, and with the state that a crash leaves.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "engine/fs/fault_file_system.h"
#include "engine/fs/memory_file_system.h"
#include "tests/sim/scheduler.h"

namespace sippar::sim {

// Each rate means one in so many calls; 0: never. Some apply only to reads of SSTables.
struct DiskFaults {
  uint64_t fail_one_in = 0;  // EIO of any call (D9, D12); half of the failed writes are torn: done
                             // in part or wholly, yet reported as failed (D1, D10, D14)
  uint64_t flip_one_in = 0;  // reads of SSTables that return one wrong byte (D3, D4, D15)
  uint64_t slow_sync_one_in = 0;  // syncs that take 60 ms to 3 s (D16, D17)
  bool is_full = false;           // the disk accepts no more bytes (D6, D7, D8)
  bool is_read_only = false;      // nothing can be changed (D19)
  bool hangs = false;             // writes and syncs return only when this ends (D18)
};

class SimDisk {
 public:
  explicit SimDisk(Scheduler* scheduler) : scheduler_(scheduler) {}

  // The directory as `machine` sees it; valid as long as the disk.
  engine::FileSystem* Of(MachineId machine);
  // Rules for the n-th call of one machine.
  engine::FaultFileSystem* FaultsOf(MachineId machine);
  void SetFaults(MachineId machine, const DiskFaults& faults);
  // `action` is called once, during the next log write of `machine`, before the bytes are written.
  using LogWrite = std::function<void(const std::string& path)>;
  void OnNextLogWrite(MachineId machine, LogWrite action);
  // Makes the next log sync of `machine` take `nanos`.
  void SlowNextLogSync(MachineId machine, int64_t nanos) {
    ViewOf(machine)->slow_log_sync_ns = nanos;
  }
  // See MemoryFileSystem::OnFence.
  void OnFence(engine::MemoryFileSystem::EndProcess end_process) {
    image_.OnFence(std::move(end_process));
  }
  // If `power_lost`, data that the machine wrote and did not sync is lost or torn. Otherwise only
  // its process ended, and all written data stays.
  void Crash(MachineId machine, bool power_lost);
  const engine::MemoryFileSystem& image() const { return image_; }

 private:
  struct View {
    std::unique_ptr<engine::MemoryFileSystem> files;
    std::unique_ptr<engine::FaultFileSystem> faulty;
    DiskFaults faults;
    LogWrite on_log_write;
    int64_t slow_log_sync_ns = 0;
  };
  View* ViewOf(MachineId machine);
  Status OnCall(View* view, std::string_view operation, const std::string& path,
                engine::FaultRule::Effect* effect);

  Scheduler* scheduler_;
  engine::MemoryFileSystem image_;
  std::map<MachineId, View> views_;
};

}  // namespace sippar::sim
