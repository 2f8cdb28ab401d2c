// SPDX-License-Identifier: Apache-2.0
#include "engine/store/salvage.h"

#include <fmt/format.h>

#include "engine/log/log_replay.h"
#include "engine/log/log_salvage.h"
#include "engine/store/catalog.h"
#include "engine/store/store_files.h"
#include "engine/tablet/state_file.h"
#include "engine/tablet/tablet_state.h"

namespace sippar::engine {
namespace {

using RedoPoints = std::map<uint64_t, uint64_t>;

StatusOr<RedoPoints> ReadRedoPoints(FileSystem* fs, const StoreFiles& files) {
  ASSIGN_OR_RETURN(std::string body, ReadStateFile(fs, files.catalog(), kCatalogMagic));
  ASSIGN_OR_RETURN(Catalog catalog, Catalog::Decode(body));
  std::unique_ptr<TabletStateStore> states = NewFileTabletStateStore(fs, files.tablets());
  RedoPoints redo;
  for (const auto& [name, table] : catalog.tables) {
    for (const CatalogTablet& tablet : table.tablets) {
      ASSIGN_OR_RETURN(TabletState state, states->Load(tablet.tablet_id));
      redo[tablet.tablet_id] = state.redo_sequence;
    }
  }
  return redo;
}

}  // namespace

Status SalvageLog(FileSystem* fs, const std::string& directory, bool drop,
                  const std::function<void(std::string_view)>& print) {
  ASSIGN_OR_RETURN(StoreFiles files, OpenStoreFiles(fs, directory, /*create_if_missing=*/false));
  ASSIGN_OR_RETURN(RedoPoints redo, ReadRedoPoints(fs, files));
  auto redo_of = [&](uint64_t tablet_id) {
    auto found = redo.find(tablet_id);
    // The catalog does not name the tablet, so none of its records are needed.
    return found == redo.end() ? UINT64_MAX : found->second;
  };
  ASSIGN_OR_RETURN(SalvagedLog log, ReadDamagedLog(fs, files.wal(), redo_of, print));
  if (log.damages == 0 && log.records_dropped == 0) {
    print("the log is whole");
    return OkStatus();
  }
  print(
      fmt::format("{} damaged places; {} records can be kept, {} whole ones after a lost one are "
                  "dropped; what the damaged ones contained is unknown",
                  log.damages, log.bodies.size(), log.records_dropped));
  if (!drop) {
    print("nothing was changed; --drop makes the store open again without them");
    return OkStatus();
  }
  // The new segment has this epoch in its name, so no later life may use it.
  RETURN_IF_ERROR(files.epoch->Claim());
  LogSegments::TabletSequences sequences;
  SegmentHeader header{{files.epoch->number(), 1}, {}, 0};
  // The new segment is durable before an old file is renamed, so that a crash at any point leaves
  // the kept records in the directory.
  RETURN_IF_ERROR(WriteSegmentAgain(fs, files.wal(), header, log.bodies, &sequences).status());
  // The new segment names no predecessor, so the old segments do not count from here on. REACH goes
  // first, because it says that they are needed: a start that finds it without them would report
  // data loss.
  const std::string reach = files.wal() + "/REACH";
  Status moved = fs->Rename(reach, reach + ".salvaged");
  if (!moved.ok() && moved.code() != StatusCode::kNotFound) return moved;
  for (const std::string& name : log.files) {
    std::string path = files.wal() + "/" + name;
    RETURN_IF_ERROR(fs->Rename(path, path + ".salvaged"));
  }
  // Without this, a power loss could bring back an old segment under its old name.
  RETURN_IF_ERROR(fs->SyncDir(files.wal()));
  print(fmt::format("the store opens again; the old segments are {}/*.salvaged", files.wal()));
  return OkStatus();
}

}  // namespace sippar::engine
