// What happens to a cluster. SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "cluster/location/meta_row.h"
#include "tests/sim/workloads/cluster.h"
#include "tests/sim/workloads/drawn_faults.h"

namespace sippar::sim {

void Cluster::Trouble() {
  int64_t limit_us = world_->NowMicros() + 20'000'000;
  while (clients_left_ > 0 && world_->NowMicros() < limit_us) {
    world_->SleepMicros(1'000 + static_cast<int64_t>(world_->random()->Uniform(150'000)));
    WakeMachines(/*all=*/false);
    MakeTrouble();
  }
}

// Starts the dead, and lets the frozen go on, when their time has come.
void Cluster::WakeMachines(bool all) {
  for (auto& [id, machine] : machines_) {
    if (!all && machine.wakes_us > world_->NowMicros()) continue;
    if (machine.frozen) world_->scheduler()->Thaw(id);
    machine.frozen = false;
    if (!machine.up) Start(id);
  }
}

MachineId Cluster::DrawServer() {
  return static_cast<MachineId>(kFirstServer + world_->random()->Uniform(knobs_.servers));
}

void Cluster::MakeTrouble() {
  engine::Random* random = world_->random();
  MachineId server = DrawServer();
  MachineId master = addresses_.masters[random->Uniform(kMasters)];
  switch (random->Uniform(14)) {
    case 0:
      if (knobs_.server_kills && machines_[server].up) Stop(server, !random->OneIn(4));
      break;
    case 1:
      if (knobs_.master_kills && machines_[master].up) Stop(master, random->OneIn(2));
      break;
    case 2:
      if (knobs_.lock_kills && machines_[kLocks].up) Stop(kLocks, random->OneIn(2));
      break;
    case 3:
      if (knobs_.drains) Drain(server);
      break;
    case 4:
    case 5:
      if (knobs_.freezes) Freeze(random->OneIn(4) ? master : server);
      break;
    case 6:
      if (knobs_.clock_jumps) DisturbClock(world_, server);
      break;
    case 7:
      if (knobs_.partitions) Partition();
      break;
    case 8:
      if (knobs_.disk_stops) StopDisk();
      break;
    case 9:
    case 10:
    case 11:
      if (knobs_.late_writes) WriteLate(server);
      break;
    default:
      if (knobs_.reshapes) {
        std::string row = knobs_.rows[random->Uniform(knobs_.rows.size())];
        constexpr Reshaping kKinds[] = {
            Reshaping::kCompact,       Reshaping::kSplit, Reshaping::kSplit, Reshaping::kSplit,
            Reshaping::kSplitMetadata, Reshaping::kMerge, Reshaping::kFlush, Reshaping::kFlush};
        Reshape(kKinds[random->Uniform(std::size(kKinds))], row);
      }
  }
}

void Cluster::Freeze(MachineId id) {
  Machine& machine = machines_[id];
  if (!machine.up || machine.frozen) return;
  machine.frozen = true;
  uint64_t longest_us = static_cast<uint64_t>(knobs_.lease_us) * (world_->OneIn(2) ? 8 : 1);
  machine.wakes_us =
      world_->NowMicros() + static_cast<int64_t>(world_->random()->Uniform(longest_us));
  world_->scheduler()->Note(fmt::format("machine {} is frozen", id));
  world_->scheduler()->Freeze(id);
}

// A write of a log takes so long that its server is taken for dead: the bytes come when the log has
// lost its name. Those who take over die soon afterwards, perhaps, so that it is read again. Who
// asked for the write may be cut off meanwhile, and so not the first to write there again.
void Cluster::WriteLate(MachineId id) {
  world_->disk()->OnNextLogWrite(id, [this, id](const std::string& path) {
    if (!trouble_ || machines_[id].frozen) return;
    if (!world_->random()->OneIn(4)) return WriteLate(id);  // one of the next
    Freeze(id);
    machines_[id].wakes_us = INT64_MAX;
    std::string log = path.substr(0, path.rfind('/'));
    world_->scheduler()->StartOn(0, "late write", [this, id, log] { WakeWhenRenamed(id, log); });
  });
}

void Cluster::WakeWhenRenamed(MachineId id, const std::string& log) {
  auto pause = [this](uint64_t longest_us) {
    world_->SleepMicros(static_cast<int64_t>(world_->random()->Uniform(longest_us)));
  };
  auto is_there = [&] {
    std::vector<std::string> files = world_->disk()->image().AllFiles();
    return std::any_of(files.begin(), files.end(),
                       [&](const std::string& file) { return file.starts_with(log + "/"); });
  };
  for (uint64_t i = 0; i < kClients; ++i) {
    if (world_->OneIn(2)) world_->network()->Isolate(static_cast<MachineId>(kFirstClient + i));
  }
  int64_t limit_us = world_->NowMicros() + 4 * knobs_.lease_us + 1'000'000;
  while (trouble_ && world_->NowMicros() < limit_us && is_there()) pause(2'000);
  pause(50'000);
  machines_[id].wakes_us = world_->NowMicros();
  WakeMachines(/*all=*/false);
  pause(100'000);
  for (uint64_t i = 0; i < knobs_.servers && trouble_; ++i) {
    auto heir = static_cast<MachineId>(kFirstServer + i);
    if (machines_[heir].up && world_->OneIn(2)) Stop(heir, world_->random()->OneIn(2));
  }
  world_->network()->Heal();
}

void Cluster::Partition() {
  engine::Random* random = world_->random();
  SimNetwork* network = world_->network();
  MachineId server = DrawServer();
  world_->scheduler()->Note("the network changes");
  switch (random->Uniform(8)) {
    case 0:
      return network->Isolate(server);
    case 1:
      return network->Halve({server, kFirstMaster, kFirstClient, kFirstClient + 1});
    case 2:
      return network->Cut(server, random->OneIn(2) ? kLocks : kFirstMaster);
    case 3:
      return network->CutOneWay(server, random->OneIn(2) ? kFirstMaster : DrawServer());
    case 4:
      return network->Flap(server, 5'000ll << random->Uniform(6));
    default:
      network->Heal();
  }
}

void Cluster::StopDisk() {
  DiskFaults faults = DrawDiskStop(world_->random(), knobs_.disk);
  MachineId server = DrawServer();
  world_->scheduler()->Note(fmt::format("the disk of machine {} stops", server));
  world_->disk()->SetFaults(server, faults);
  world_->SleepMicros(static_cast<int64_t>(world_->random()->Uniform(1'000'000)));
  world_->disk()->SetFaults(server, knobs_.disk);
}

// What an administrator may ask for; it may fail.
void Cluster::Reshape(Reshaping kind, const std::string& row) {
  auto work = [row, kind](cluster::AdminApi* admin) -> StatusOr<bool> {
    Status status;
    switch (kind) {
      case Reshaping::kCompact:
        status = admin->Compact("t", "");
        break;
      case Reshaping::kMerge:
        status = admin->Merge("t", {row, ""});
        break;
      case Reshaping::kFlush:
        status = admin->Flush("t");
        break;
      default:
        status = admin->Split("t", row);
    }
    RETURN_IF_ERROR(status);
    return true;
  };
  MachineId master = addresses_.masters[world_->random()->Uniform(kMasters)];
  // Nobody waits for it.
  world_->scheduler()->StartOn(0, "administrator", [this, master, kind, row, work] {
    auto asked = kind == Reshaping::kSplitMetadata ? SplitMetadata(master, row)
                                                   : OnMaster<bool>(master, work);
    world_->scheduler()->Note(
        fmt::format("asked for {}: {}", static_cast<int>(kind), MessageOf(asked.status())));
  });
}

// Who reads METADATA from one end to the other may meet neither what was nor what is: of a tablet
// that is split when one half's record is in a tablet of METADATA that has been read, and the
// other's in the next one.
void Cluster::ReshapeBehind() {
  if (!world_->OneIn(4)) return;
  engine::Random* random = world_->random();
  std::vector<std::string> before;
  for (const std::string& row : knobs_.rows) {
    if (row < metadata_cut_) before.push_back(row);
  }
  if (before.empty() || random->OneIn(4)) {
    Reshape(Reshaping::kSplitMetadata, knobs_.rows[random->Uniform(knobs_.rows.size())]);
  } else {
    std::sort(before.begin(), before.end());
    uint64_t near = std::min<uint64_t>(before.size(), 4);
    Reshape(Reshaping::kSplit, before[before.size() - 1 - random->Uniform(near)]);
  }
  world_->SleepMicros(static_cast<int64_t>(random->Uniform(100'000)));
}

// Between two records of the table's tablets, as METADATA's server does when it is large.
StatusOr<bool> Cluster::SplitMetadata(MachineId master, const std::string& row) {
  ASSIGN_OR_RETURN(cluster::TableInfo table,
                   OnMaster<cluster::TableInfo>(
                       master, [](cluster::AdminApi* admin) { return admin->GetTable("t"); }));
  auto look = [](MasterEndpoint* to) -> StatusOr<uint64_t> {
    uint64_t epoch = 0;
    RETURN_IF_ERROR(to->driver->Look([&](const auto& state) { epoch = state.epoch; }));
    return epoch;
  };
  StatusOr<uint64_t> epoch = world_->network()->Call<MasterEndpoint, uint64_t>(master, look);
  RETURN_IF_ERROR(epoch.status());
  std::string at = cluster::MetaSplitRow(cluster::MetaRowKey(table.table_id, row));
  ASSIGN_OR_RETURN(cluster::TabletRecord record,
                   supervisor_->metadata->Find(cluster::kMetadataTableId, at));
  if (record.server.IsNone()) return Unavailable("it is nowhere at the moment");
  auto control = supervisor_->transport.Control(record.server);
  RETURN_IF_ERROR(control->SplitTablet(*epoch, record.tablet_id, at));
  metadata_cut_ = row;
  return true;
}

void Cluster::StopTrouble() {
  trouble_ = false;
  world_->scheduler()->Note("trouble ends");
  for (const auto& [id, machine] : machines_) world_->disk()->SetFaults(id, {});
  world_->network()->SetFaults({});
  world_->network()->Heal();
  WakeMachines(/*all=*/true);
}

}  // namespace sippar::sim
