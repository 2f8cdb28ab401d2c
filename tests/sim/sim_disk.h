// One shared directory as each machine sees it: with latency, with the faults of FAULTS.md
// D1 to D19 by rate, for a while or at the n-th call, and with what a crash leaves of it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "engine/fs/fault_file_system.h"
#include "engine/fs/memory_file_system.h"
#include "tests/sim/scheduler.h"

namespace sippar::sim {

// One in so many calls; 0: never. Only writes of the log, only reads of SSTables where it says so.
struct DiskFaults {
  uint64_t fail_one_in = 0;       // EIO of any call (D9, D12); half of those of writes are torn:
                                  // done, in part or wholly, and reported as failed (D1, D10, D14)
  uint64_t flip_one_in = 0;       // reads of SSTables: a byte is another one (D3, D4, D15)
  uint64_t slow_sync_one_in = 0;  // 60 ms to 3 s (D16, D17)
  bool is_full = false;           // no byte more is written (D6, D7, D8)
  bool is_read_only = false;      // nothing changes (D19)
  bool hangs = false;             // writes and syncs come back when this ends (D18)
};

class SimDisk {
 public:
  explicit SimDisk(Scheduler* scheduler) : scheduler_(scheduler) {}

  // What `machine` sees; lives as long as the disk.
  engine::FileSystem* Of(MachineId machine);
  // Rules for the n-th call of one machine.
  engine::FaultFileSystem* FaultsOf(MachineId machine);
  void SetFaults(MachineId machine, const DiskFaults& faults);
  // Called once, within the next write of a log by `machine`, before its bytes are there.
  using LogWrite = std::function<void(const std::string& path)>;
  void OnNextLogWrite(MachineId machine, LogWrite action);
  // The next sync of a log by `machine` takes so long.
  void SlowNextLogSync(MachineId machine, int64_t nanos) {
    ViewOf(machine)->slow_log_sync_ns = nanos;
  }
  // Power lost: what it wrote and did not sync is lost or torn. Otherwise only the process ended.
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
