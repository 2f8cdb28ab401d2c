// Scenes that need several events at the right time.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "cluster/location/meta_row.h"
#include "tests/sim/workloads/cluster.h"

namespace sippar::sim {

namespace {

// Calls `act` at each of the next log writes until it returns true. Skips the first write of each
// segment, which is its header.
void AtLogGroup(SimDisk* disk, MachineId id, const std::string& seen,
                const std::function<bool(const std::string& path)>& act) {
  disk->OnNextLogWrite(id, [=](const std::string& path) {
    if (path != seen || !act(path)) AtLogGroup(disk, id, path, act);
  });
}

}  // namespace

// Makes a log write so slow that its server is considered dead: the bytes arrive when the log has
// been renamed. The servers that take over may die later, so that the log is read again.
void Cluster::WriteLate(MachineId id) {
  if (late_write_) return;
  AtLogGroup(world_->disk(), id, "", [this, id](const std::string& path) {
    if (!trouble_ || late_write_ || machines_[id].frozen) return true;
    // Usually a write for which a client waits.
    if (!world_->OneIn(2) || (writes_under_way_ == 0 && !world_->OneIn(8))) return false;
    late_write_ = true;
    if (world_->OneIn(3)) {
      FallAsleep(id, path);
    } else {
      // A slow sync makes the server's second writer take over the group; after a long sleep of the
      // first writer it would find no directory. So the second writer is the one that falls asleep.
      // A client whose thread is inside the slow sync gets its answer when the sync ends, mostly
      // before its call times out.
      bool outlasts = world_->OneIn(4);
      int64_t slow_ns = outlasts ? 3'000'000'000 : 60'000'000ll << world_->random()->Uniform(3);
      world_->disk()->SlowNextLogSync(id, slow_ns);
      SleepAtSecondWriter(id, path, 0);
    }
    return true;
  });
}

// Waits for the second writer's second write: the first is the header of its segment, the second is
// the group.
void Cluster::SleepAtSecondWriter(MachineId id, const std::string& slow, uint64_t seen) {
  world_->disk()->OnNextLogWrite(id, [this, id, slow, seen](const std::string& path) {
    uint64_t writes = path == slow ? 0 : seen + 1;
    if (writes < 2) return SleepAtSecondWriter(id, slow, writes);
    if (trouble_) FallAsleep(id, path);
  });
}

void Cluster::FallAsleep(MachineId id, const std::string& path) {
  std::string log = path.substr(0, path.rfind('/'));
  world_->scheduler()->StartOn(0, "late write", [this, id, log] {
    Overtake(id, log);
    late_write_ = false;
  });
  FreezeUntil(id, INT64_MAX);  // returns after the thaw
}

void Cluster::Overtake(MachineId id, const std::string& log) {
  auto pause = [this](uint64_t longest_us) {
    world_->SleepMicros(static_cast<int64_t>(world_->random()->Uniform(longest_us)));
  };
  auto wait_while = [&](int64_t limit_us, auto holds) {
    limit_us += world_->NowMicros();
    while (trouble_ && world_->NowMicros() < limit_us && holds()) pause(2'000);
  };
  // The first client to write there again is one that is not cut off.
  bool cuts_off = world_->OneIn(4);
  for (uint64_t i = 0; i < kClients && cuts_off; ++i) {
    if (world_->OneIn(2)) world_->network()->Isolate(static_cast<MachineId>(kFirstClient + i));
  }
  wait_while(4 * knobs_.lease_us + 1'000'000, [&] {
    std::vector<std::string> files = world_->disk()->image().AllFiles();
    return std::any_of(files.begin(), files.end(),
                       [&](const std::string& file) { return file.starts_with(log + "/"); });
  });
  // The log is sealed or recovered by then.
  pause(world_->OneIn(2) ? 50'000 : 300'000);
  world_->scheduler()->Note(fmt::format("the late write of machine {}", id));
  // If the server cannot renew its lease, it does not stop before it has written.
  if (!world_->OneIn(4)) world_->network()->Cut(id, kLocks);
  machines_[id].wakes_us = world_->NowMicros();
  WakeMachines(/*all=*/false);
  // Meanwhile the logs of the servers that took over receive writes of clients.
  pause(10'000);
  uint64_t enough = writes_done_ + 1 + world_->random()->Uniform(16);
  wait_while(2'000'000, [&] { return writes_done_ < enough; });
  bool all = world_->OneIn(2);
  for (uint64_t i = 0; i < knobs_.servers && trouble_; ++i) {
    auto heir = static_cast<MachineId>(kFirstServer + i);
    if (machines_[heir].up && (all || world_->OneIn(2))) Stop(heir, world_->random()->OneIn(2));
  }
  world_->network()->Heal();
}

// What an administrator may ask for; it may fail. True at the end of it.
std::shared_ptr<bool> Cluster::Reshape(MachineId master, Reshaping kind, const std::string& row) {
  auto work = [row, kind](cluster::AdminApi* admin) -> StatusOr<bool> {
    Status status;
    switch (kind) {
      case Reshaping::kCompact:
        status = admin->Do(cluster::calls::Compact{"t", ""});
        break;
      case Reshaping::kMerge:
        status = admin->Do(cluster::calls::Merge{"t", {row, ""}});
        break;
      case Reshaping::kFlush:
        status = admin->Do(cluster::calls::Flush{"t"});
        break;
      default:
        status = admin->Do(cluster::calls::Split{"t", row});
    }
    RETURN_IF_ERROR(status);
    return true;
  };
  auto is_over = std::make_shared<bool>(false);
  world_->scheduler()->StartOn(0, "administrator", [this, master, kind, row, work, is_over] {
    auto asked = kind == Reshaping::kSplitMetadata ? SplitMetadata(master, row)
                                                   : OnMaster<bool>(master, work);
    world_->scheduler()->Note(
        fmt::format("asked for {}: {}", static_cast<int>(kind), MessageOf(asked.status())));
    *is_over = true;
  });
  return is_over;
}

// A sweep reads METADATA from one end to the other. If a tablet is split meanwhile, one half's
// record may be in a tablet of METADATA that was already read, and the other half's in the next
// one: the sweep then sees neither the old state nor the new one.
void Cluster::ReshapeBehind() {
  bool is_aimed = knobs_.scene == Scene::kSweeps;
  if (!world_->OneIn(is_aimed ? 2 : 4)) return;
  engine::Random* random = world_->random();
  const MachineId sweeper = world_->scheduler()->machine();
  std::vector<std::string> rows = knobs_.rows;
  std::sort(rows.begin(), rows.end());
  auto cut = std::lower_bound(rows.begin(), rows.end(), metadata_cut_);
  auto before = static_cast<uint64_t>(cut - rows.begin());
  std::shared_ptr<bool> is_over;
  if (is_aimed && metadata_cut_.empty()) {
    is_over =
        Reshape(sweeper, Reshaping::kSplitMetadata, rows[rows.size() - 1 - random->Uniform(3)]);
  } else if (before == 0 || (!is_aimed && random->OneIn(4))) {
    is_over = Reshape(sweeper, Reshaping::kSplitMetadata, rows[random->Uniform(rows.size())]);
  } else if (is_aimed && random->OneIn(4)) {
    (void)Reshape(sweeper, Reshaping::kMerge, rows[1]);  // so that another split is possible
    is_over = Reshape(sweeper, Reshaping::kFlush, "");
  } else {
    is_over = Reshape(sweeper, Reshaping::kSplit,
                      rows[before - 1 - random->Uniform(std::min<uint64_t>(before, 4))]);
  }
  int64_t limit_us = world_->NowMicros() + static_cast<int64_t>(random->Uniform(400'000));
  while (!*is_over && world_->NowMicros() < limit_us) world_->SleepMicros(2'000);
}

// Splits METADATA between two records of the table's tablets, as its server does when it is large.
StatusOr<bool> Cluster::SplitMetadata(MachineId master, const std::string& row) {
  ASSIGN_OR_RETURN(cluster::TableInfo table,
                   OnMaster<cluster::TableInfo>(master, [](cluster::AdminApi* admin) {
                     return admin->Do(cluster::calls::GetTable{"t"});
                   }));
  auto look = [](MasterEndpoint* to) -> StatusOr<uint64_t> {
    uint64_t epoch = 0;
    RETURN_IF_ERROR(to->driver->Look([&](const auto& state) { epoch = state.epoch; }));
    return epoch;
  };
  StatusOr<uint64_t> epoch = world_->network()->Call<MasterEndpoint, uint64_t>(master, look);
  RETURN_IF_ERROR(epoch.status());
  std::string at = engine::RowSuccessor(cluster::MetaRowKey(table.table_id, row));
  ASSIGN_OR_RETURN(cluster::TabletRecord record,
                   supervisor_->metadata->Find(cluster::kMetadataTableId, at));
  if (record.server.IsNone()) return Unavailable("it is nowhere at the moment");
  auto control = supervisor_->transport.Control(record.server);
  RETURN_IF_ERROR(control->Do(cluster::calls::SplitTablet{*epoch, record.tablet_id, at}));
  metadata_cut_ = row;
  return true;
}

}  // namespace sippar::sim
