// What needs several events around each other. SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "cluster/location/meta_row.h"
#include "tests/sim/workloads/cluster.h"

namespace sippar::sim {

namespace {

// `act` at one of the next writes of a log that are not the first of their segment, its header.
void AtLogGroup(SimDisk* disk, MachineId id, const std::string& seen,
                const std::function<bool(const std::string& path)>& act) {
  disk->OnNextLogWrite(id, [=](const std::string& path) {
    if (path != seen || !act(path)) AtLogGroup(disk, id, path, act);
  });
}

}  // namespace

// A write of a log takes so long that its server is taken for dead: the bytes come when the log has
// lost its name. Those that take over die later, perhaps, so that the log is read again.
void Cluster::WriteLate(MachineId id) {
  if (late_write_) return;
  AtLogGroup(world_->disk(), id, "", [this, id](const std::string& path) {
    if (!trouble_ || late_write_ || machines_[id].frozen) return true;
    // As a rule one that a client waits for.
    if (!world_->OneIn(2) || (writes_under_way_ == 0 && !world_->OneIn(8))) return false;
    late_write_ = true;
    if (world_->OneIn(3)) {
      FallAsleep(id, path);
    } else {
      // After a long sleep the server's second writer takes the group, and finds no directory. So
      // let the second writer be the one that sleeps. The client whose thread is inside the slow
      // sync is answered when that is over: mostly before its call is given up.
      bool outlasts = world_->OneIn(4);
      int64_t slow_ns = outlasts ? 3'000'000'000 : 60'000'000ll << world_->random()->Uniform(3);
      world_->disk()->SlowNextLogSync(id, slow_ns);
      SleepAtSecondWriter(id, path, 0);
    }
    return true;
  });
}

// At the write of the group, which is the second one of its segment, after the header.
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
  FreezeUntil(id, INT64_MAX);  // returns thawed
}

void Cluster::Overtake(MachineId id, const std::string& log) {
  auto pause = [this](uint64_t longest_us) {
    world_->SleepMicros(static_cast<int64_t>(world_->random()->Uniform(longest_us)));
  };
  auto wait_while = [&](int64_t limit_us, auto holds) {
    limit_us += world_->NowMicros();
    while (trouble_ && world_->NowMicros() < limit_us && holds()) pause(2'000);
  };
  // A client that is cut off is not the first to write there again.
  bool cuts_off = world_->OneIn(4);
  for (uint64_t i = 0; i < kClients && cuts_off; ++i) {
    if (world_->OneIn(2)) world_->network()->Isolate(static_cast<MachineId>(kFirstClient + i));
  }
  wait_while(4 * knobs_.lease_us + 1'000'000, [&] {
    std::vector<std::string> files = world_->disk()->image().AllFiles();
    return std::any_of(files.begin(), files.end(),
                       [&](const std::string& file) { return file.starts_with(log + "/"); });
  });
  // Sealed by then, or recovered.
  pause(world_->OneIn(2) ? 50'000 : 300'000);
  world_->scheduler()->Note(fmt::format("the late write of machine {}", id));
  // In doubt about its lease, it is not stopped before it has written.
  if (!world_->OneIn(4)) world_->network()->Cut(id, kLocks);
  machines_[id].wakes_us = world_->NowMicros();
  WakeMachines(/*all=*/false);
  // What clients do at the heirs meanwhile is in the heirs' logs.
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

// A sweep that reads METADATA from one end to the other may meet neither what was nor what is: of a
// tablet that is split when one half's record is in a tablet of METADATA that has been read, and
// the other's in the next one.
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
    (void)Reshape(sweeper, Reshaping::kMerge, rows[1]);  // so that there is again what can be split
    is_over = Reshape(sweeper, Reshaping::kFlush, "");
  } else {
    is_over = Reshape(sweeper, Reshaping::kSplit,
                      rows[before - 1 - random->Uniform(std::min<uint64_t>(before, 4))]);
  }
  int64_t limit_us = world_->NowMicros() + static_cast<int64_t>(random->Uniform(400'000));
  while (!*is_over && world_->NowMicros() < limit_us) world_->SleepMicros(2'000);
}

// Between two records of the table's tablets, as METADATA's server does when it is large.
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
  std::string at = cluster::MetaSplitRow(cluster::MetaRowKey(table.table_id, row));
  ASSIGN_OR_RETURN(cluster::TabletRecord record,
                   supervisor_->metadata->Find(cluster::kMetadataTableId, at));
  if (record.server.IsNone()) return Unavailable("it is nowhere at the moment");
  auto control = supervisor_->transport.Control(record.server);
  RETURN_IF_ERROR(control->Do(cluster::calls::SplitTablet{*epoch, record.tablet_id, at}));
  metadata_cut_ = row;
  return true;
}

}  // namespace sippar::sim
