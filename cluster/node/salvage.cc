// Repairs the logs of ended lives, oldest first, because a tablet's records in one log continue in
// the log of the tablet's next server.
// SPDX-License-Identifier: Apache-2.0
#include "cluster/node/salvage.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

#include "cluster/api/store_paths.h"
#include "cluster/location/meta_row.h"
#include "cluster/lock/embedded_lock_service.h"
#include "cluster/lock/lock_paths.h"
#include "cluster/node/mend_records.h"
#include "cluster/node/target.h"
#include "cluster/node/target_file.h"
#include "engine/fs/overlay_file_system.h"
#include "engine/log/log_replay.h"
#include "engine/log/log_salvage.h"
#include "engine/log/log_seal.h"
#include "engine/log/log_writer.h"

namespace sippar::cluster {
namespace {

// Largest number of bytes of changes that the overlay keeps in memory. Most of the bytes are a
// second copy of the logs.
constexpr uint64_t kChangesMax = uint64_t{4} << 30;

struct LifeLog {
  ServerId life;
  std::string path;
  bool sealed = false;
};

struct Losses {
  uint64_t damages = 0;
  uint64_t kept = 0;
  uint64_t dropped = 0;
  LastSequences last;  // last sequence numbers of the kept records
  bool any() const { return damages > 0 || dropped > 0; }
};

// Returns all logs, oldest first.
StatusOr<std::vector<LifeLog>> ListLogs(engine::FileSystem* fs, const std::string& directory) {
  ASSIGN_OR_RETURN(std::vector<std::string> names, fs->List(store_paths::Logs(directory)));
  std::vector<LifeLog> logs;
  for (const std::string& name : names) {
    auto log = store_paths::ParseLog(name);
    if (!log) continue;
    logs.push_back({log->server, store_paths::Logs(directory) + "/" + name, log->sealed});
  }
  std::sort(logs.begin(), logs.end(),
            [](const LifeLog& a, const LifeLog& b) { return a.life.epoch < b.life.epoch; });
  return logs;
}

// Gives the file a second name in another directory. An earlier salvage may have left that name
// there. FileSystem allows a rename only within one directory, so it cannot be used here.
Status AddName(engine::FileSystem* fs, const std::string& path, const std::string& name) {
  Status linked = fs->Link(path, name);
  if (linked.code() != StatusCode::kAlreadyExists) return linked;
  RETURN_IF_ERROR(fs->Remove(name));
  return fs->Link(path, name);
}

// Replaces all segments by one new segment. The old files are moved to a directory that no sweep
// touches, so that nothing is lost for good.
Status Rewrite(engine::FileSystem* fs, const LifeLog& log, const engine::SalvagedLog& found) {
  const std::string aside =
      log.path.substr(0, log.path.rfind('/') + 1) + log.life.ToString() + ".salvaged";
  RETURN_IF_ERROR(fs->CreateDir(aside));
  engine::LogSegments::TabletSequences sequences;
  engine::SegmentHeader header{{log.life.epoch, found.newest.number + 1}, {}, 0};
  RETURN_IF_ERROR(
      engine::WriteSegmentAgain(fs, log.path, header, found.bodies, &sequences).status());
  ASSIGN_OR_RETURN(std::vector<std::string> names, fs->List(log.path));
  const std::string kept = engine::SegmentFileName(header.id);
  // The other names are segments, sorted forms, SEAL, REACH and CRASH. REACH says that the old
  // segments are needed, so it is removed before them.
  std::erase_if(names, [&](const auto& name) { return name == kept || name == "OWNER"; });
  std::stable_partition(names.begin(), names.end(),
                        [](const auto& name) { return name == "REACH"; });
  for (const std::string& name : names) {
    RETURN_IF_ERROR(AddName(fs, log.path + "/" + name, aside + "/" + name));
  }
  RETURN_IF_ERROR(fs->SyncDir(aside));
  RETURN_IF_ERROR(fs->SyncDir(aside.substr(0, aside.rfind('/'))));
  // The old files now have durable names in `aside`, so their names here can be removed. After that
  // only the new segment counts.
  for (const std::string& name : names) RETURN_IF_ERROR(fs->Remove(log.path + "/" + name));
  RETURN_IF_ERROR(fs->SyncDir(log.path));
  // The recovery of an unsealed log seals it. A sealed log was already recovered, and is read
  // according to its SEAL, so SEAL is written again.
  return log.sealed ? engine::SealLog(fs, log.path, 0).status() : OkStatus();
}

// Reports each segment that readers of the sealed log would not find as SEAL says. Only SEAL tells
// that the newest segment is missing or cut short: ReadDamagedLog takes the segment before it for
// the newest one, or the cut for a torn tail.
Status CompareWithSeal(engine::FileSystem* fs, const std::string& path, const engine::LogSeal& seal,
                       const Print& print, uint64_t* damages) {
  for (const engine::SealedSegment& segment : seal.segments) {
    Status found = engine::ReadSealedSegment(fs, path, segment).status();
    if (found.code() != StatusCode::kDataLoss) {
      RETURN_IF_ERROR(found);
      continue;
    }
    ++*damages;
    print(MessageOf(found));
  }
  return OkStatus();
}

// Returns whether a sealed log without segments stands for a lost one. It does not if a server left
// it that wrote nothing: one whose start failed, or whose recovery ended before the SEAL.
StatusOr<bool> IsLost(engine::FileSystem* fs, const LifeLog& log, const KnownRecords& known) {
  // A record says so, or an operator made the directory: a server makes OWNER first.
  if (known.logs.contains(log.life)) return true;
  if (!known.servers.contains(log.life)) return false;
  ASSIGN_OR_RETURN(bool has_owner, fs->Exists(store_paths::LogOwner(log.path)));
  return !has_owner;
}

// Adds to *found the damage of a sealed log that ReadDamagedLog cannot see. With `drop`, a log that
// lacks only its SEAL is sealed.
Status CheckSeal(engine::FileSystem* fs, const LifeLog& log, const KnownRecords& known, bool drop,
                 const Print& print, engine::SalvagedLog* found) {
  const auto seal = engine::ReadSeal(fs, log.path);
  // Damage that is already found would be counted twice.
  if (seal.ok() && found->damages == 0) {
    return CompareWithSeal(fs, log.path, *seal, print, &found->damages);
  }
  if (seal.status().code() == StatusCode::kDataLoss) {
    ++found->damages;
    print(MessageOf(seal.status()));
  }
  if (seal.status().code() != StatusCode::kNotFound) return OkStatus();
  if (found->files.empty()) {
    ASSIGN_OR_RETURN(bool is_lost, IsLost(fs, log, known));
    if (!is_lost) return OkStatus();
    // It counts as damage, so that Rewrite writes a SEAL into it: without one the tablets that need
    // this log cannot load.
    ++found->damages;
    print(fmt::format("{}: all its segments are missing", log.path));
  } else if (drop) {
    // A recovery or a salvage ended before it wrote the SEAL. To seal the log once more loses
    // nothing; without a SEAL a start refuses a log that a record names.
    RETURN_IF_ERROR(engine::SealLog(fs, log.path, 0).status());
    print(fmt::format("{}: sealed", log.path));
  } else if (known.logs.contains(log.life)) {
    ++found->damages;
    print(fmt::format("{}: its SEAL is missing; --drop writes it again", log.path));
  }
  return OkStatus();
}

StatusOr<Losses> Salvage(engine::FileSystem* fs, const std::string& directory, KnownRecords* known,
                         bool drop, const Print& print) {
  ASSIGN_OR_RETURN(std::vector<LifeLog> logs, ListLogs(fs, directory));
  Losses losses;
  for (const LifeLog& log : logs) {
    auto redo_of = [&](uint64_t tablet_id) {
      auto found = known->redo.find(tablet_id);
      return found == known->redo.end() ? std::nullopt : std::optional<uint64_t>(found->second);
    };
    ASSIGN_OR_RETURN(engine::SalvagedLog found,
                     engine::ReadDamagedLog(fs, log.path, redo_of, print));
    if (log.sealed) RETURN_IF_ERROR(CheckSeal(fs, log, *known, drop, print, &found));
    for (const std::string& body : found.bodies) {
      ASSIGN_OR_RETURN(engine::LogRecordHead head, engine::DecodeLogHead(body));
      const uint64_t last = head.first_sequence + head.entry_count - 1;
      losses.last[log.life][head.tablet_id] = known->redo[head.tablet_id] = last;
    }
    losses.damages += found.damages;
    losses.kept += found.bodies.size();
    losses.dropped += found.records_dropped;
    bool is_damaged = found.damages > 0 || found.records_dropped > 0;
    if (drop && is_damaged) RETURN_IF_ERROR(Rewrite(fs, log, found));
  }
  return losses;
}

StatusOr<KnownRecords> ReadRootRecord(EmbeddedLockService* locks) {
  StatusOr<KnownRecords> known = KnownRecords();
  locks->VisitFiles([&](const std::string& path, const LockState::Entry& entry) {
    if (path != lock_paths::RootLocation()) return;
    auto root = DecodeRootFile(entry.file.content, entry.file.version);
    if (!root.ok()) {
      known = Annotate(root.status(), "the root tablet's record in the lock service");
    } else {
      known->Add(*root);
    }
  });
  return known;
}

// What a salvage has to know before it reads the logs, and what it will have to repair afterwards.
struct Outlook {
  KnownRecords known;
  std::vector<std::string> unnamed;  // lines about records that no longer name a log
};

// METADATA has the redo points, but its own last changes are in the logs, too. So the redo points
// are read over an in-memory overlay in which the logs were salvaged. The first round reads the
// redo points of METADATA's tablets from the root tablet. The second round salvages the original
// logs again, with these redo points, and reads the redo points of all tablets.
StatusOr<Outlook> LookAhead(engine::FileSystem* fs, const std::string& directory) {
  Outlook outlook;
  for (MetadataLevel level : {MetadataLevel::kRoot, MetadataLevel::kAll}) {
    engine::OverlayFileSystem overlay(fs, kChangesMax);
    ASSIGN_OR_RETURN(std::unique_ptr<EmbeddedLockService> locks,
                     LockServiceOf(directory, &overlay, engine::Clock::System()));
    ASSIGN_OR_RETURN(KnownRecords known, ReadRootRecord(locks.get()));
    known.Add(outlook.known);
    outlook.known = known;
    ASSIGN_OR_RETURN(Losses losses,
                     Salvage(&overlay, directory, &known, /*drop=*/true, [](std::string_view) {}));
    outlook.unnamed.clear();
    auto note = [&](std::string_view line) { outlook.unnamed.emplace_back(line); };
    RETURN_IF_ERROR(MendRecords(&overlay, directory, locks.get(), MetadataLevel::kRoot, losses.last,
                                &outlook.known, note));
    if (level == MetadataLevel::kRoot) continue;
    RETURN_IF_ERROR(MendRecords(&overlay, directory, locks.get(), MetadataLevel::kAll, losses.last,
                                &outlook.known, note));
  }
  return outlook;
}

}  // namespace

Status SalvageLog(const std::string& directory, bool drop, const Print& print) {
  return SalvageLog(FileSystemOf(directory).get(), directory, drop, print);
}

Status SalvageLog(engine::FileSystem* fs, const std::string& directory, bool drop,
                  const Print& print) {
  RETURN_IF_ERROR(FindStoreOfOne(fs, directory, /*create_if_missing=*/false).status());
  ASSIGN_OR_RETURN(Outlook outlook, LookAhead(fs, directory));
  ASSIGN_OR_RETURN(std::unique_ptr<EmbeddedLockService> alone,
                   LockServiceOf(directory, fs, engine::Clock::System()));
  // Checked again under the lock, because the process that had the store open before may have
  // carried it to a cluster.
  RETURN_IF_ERROR(FindStoreOfOne(fs, directory, /*create_if_missing=*/false).status());
  KnownRecords known = outlook.known;
  ASSIGN_OR_RETURN(Losses losses, Salvage(fs, directory, &known, drop, print));
  if (!losses.any() && outlook.unnamed.empty()) {
    print("the log is whole");
    return OkStatus();
  }
  for (const std::string& line : outlook.unnamed) print(line);
  PrintUnknown(outlook.known.redo, losses.last, print);
  if (drop && !outlook.unnamed.empty()) {
    for (MetadataLevel level : {MetadataLevel::kRoot, MetadataLevel::kAll}) {
      RETURN_IF_ERROR(MendRecords(fs, directory, alone.get(), level, losses.last, &outlook.known,
                                  [](std::string_view) {}));
    }
  }
  print(
      fmt::format("{} damaged places; {} records can be kept, {} whole ones after a lost one are "
                  "dropped; what the damaged ones contained is unknown",
                  losses.damages, losses.kept, losses.dropped));
  print(drop ? fmt::format("the store opens again; the old segments are in {}/*.salvaged",
                           store_paths::Logs(directory))
             : "nothing was changed; --drop makes the store open again without them");
  return OkStatus();
}

}  // namespace sippar::cluster
