// Checks after recovery. SPDX-License-Identifier: Apache-2.0
#include "tests/engine/kill/walk_check.h"

#include <fmt/format.h>

#include <set>

#include "engine/changes/change_reader.h"
#include "engine/log/log_chain.h"
#include "engine/log/log_writer.h"
#include "engine/model/change_config.h"

namespace sippar::engine {
namespace {

// The first rows that differ.
std::string Difference(const WalkContent& expected, const WalkContent& found) {
  constexpr size_t kEnough = 4000;
  std::string text;
  WalkContent all = expected;
  all.insert(found.begin(), found.end());
  for (const auto& [key, unused] : all) {
    if (text.size() > kEnough) break;
    auto want = expected.find(key);
    auto have = found.find(key);
    std::string wanted = want == expected.end() ? "nothing\n" : want->second;
    std::string held = have == found.end() ? "nothing\n" : have->second;
    if (wanted != held) text += fmt::format("{}: expected\n{}found\n{}", key, wanted, held);
  }
  return text;
}

Status AddCells(const std::string& table, Tablet* tablet, const ReadSpec& read,
                WalkContent* content) {
  ASSIGN_OR_RETURN(std::unique_ptr<CellStream> cells, tablet->Read(read));
  for (; cells->Valid(); cells->Next()) AddToContent(table, Cell(cells->cell()), content);
  return cells->status();
}

// All at once, and family by family: that opens other locality groups, and must say the same.
StatusOr<WalkContent> ReadContent(Store* store) {
  WalkContent content;
  WalkContent by_family;
  WalkContent schemas;
  for (const CatalogTable& table : store->ListTables()) {
    const std::string& name = table.schema.name;
    if (name == "v") continue;  // restored from a backup, and looked at by its life
    if (name == "u") schemas["table u"] = "there";
    if (table.schema.FindFamily("x") != nullptr) schemas["family x"] = "there";
    ASSIGN_OR_RETURN(std::vector<std::shared_ptr<Tablet>> tablets, store->Tablets(name));
    for (const auto& tablet : tablets) {
      RETURN_IF_ERROR(AddCells(name, tablet.get(), {}, &content));
      for (const FamilySchema& family : table.schema.families) {
        ReadSpec read;
        read.columns = {{NamePattern::Exact(family.name), NamePattern::Any()}};
        RETURN_IF_ERROR(AddCells(name, tablet.get(), read, &by_family));
      }
    }
  }
  std::string difference = Difference(content, by_family);
  if (!difference.empty()) return DataLoss("LOST when read by family: " + difference);
  content.insert(schemas.begin(), schemas.end());
  return content;
}

// Is what `atom` changes as it leaves it?
bool IsThere(const WalkModel& before, const WalkAtom& atom, const WalkContent& found) {
  WalkModel after = before;
  after.Apply(atom);
  WalkContent old_content = before.Content();
  WalkContent new_content = after.Content();
  WalkContent touched = old_content;
  touched.insert(new_content.begin(), new_content.end());
  bool changes = false;
  for (const auto& [key, unused] : touched) {
    auto value = [&key = key](const WalkContent& content) {
      auto at = content.find(key);
      return at == content.end() ? std::string() : at->second;
    };
    if (value(old_content) == value(new_content)) continue;
    if (value(found) != value(new_content)) return false;
    changes = true;
  }
  return changes;
}

StatusOr<std::set<std::string>> FindOrphans(Store* store, FileSystem* fs,
                                            const std::string& directory) {
  ASSIGN_OR_RETURN(LogChain chain, FindLogChain(fs, directory + "/wal"));
  std::set<std::string> named = {"STORE", "LOCK",    "EPOCH", "CATALOG", "RESERVE",
                                 "wal",   "tablets", "sst",   "changes", "backups"};
  for (const LogChain::Segment& segment : chain.segments) {
    named.insert("wal/" + SegmentFileName(segment.id));
  }
  auto states = NewFileTabletStateStore(fs, directory + "/tablets");
  for (const CatalogTable& table : store->ListTables()) {
    if (ChangeStreamOf(table.schema)) named.insert(fmt::format("changes/{}", table.table_id));
    for (const CatalogTablet& tablet : table.tablets) {
      named.insert(fmt::format("tablets/{}.tablet", tablet.tablet_id));
      ASSIGN_OR_RETURN(TabletState state, states->Load(tablet.tablet_id));
      for (uint64_t id : state.FileIds()) named.insert(fmt::format("sst/{:016x}.sst", id));
    }
  }
  std::set<std::string> orphans;
  StatusOr<std::vector<std::string>> backups = fs->List(directory + "/backups");
  for (const std::string& name : backups.ok() ? *backups : std::vector<std::string>()) {
    ASSIGN_OR_RETURN(bool whole, fs->Exists(directory + "/backups/" + name + "/MANIFEST"));
    if (!whole) orphans.insert("backups/" + name);
  }
  for (const std::string folder : {"", "wal/", "tablets/", "sst/", "changes/"}) {
    ASSIGN_OR_RETURN(std::vector<std::string> names, fs->List(directory + "/" + folder));
    for (const std::string& name : names) {
      if (!named.contains(folder + name)) orphans.insert(folder + name);
    }
  }
  return orphans;
}

}  // namespace

Status CheckContent(Store* store, WalkJournal* journal) {
  ASSIGN_OR_RETURN(WalkContent found, ReadContent(store));
  std::map<uint64_t, WalkCall> pending = journal->pending();
  for (const auto& [thread, call] : pending) {
    std::string bits;
    for (const WalkAtom& atom : AtomsOf(journal->seed(), call)) {
      bits += IsThere(*journal->model(), atom, found) ? '1' : '0';
    }
    journal->Settle(thread, bits);
  }
  std::string difference = Difference(journal->model()->Content(), found);
  return difference.empty() ? OkStatus() : DataLoss("LOST: " + difference);
}

Status CheckBlocks(Store* store) {
  for (const CatalogTable& table : store->ListTables()) {
    ASSIGN_OR_RETURN(std::vector<std::shared_ptr<Tablet>> tablets,
                     store->Tablets(table.schema.name));
    for (const auto& tablet : tablets) RETURN_IF_ERROR(tablet->VerifyFiles());
  }
  return OkStatus();
}

Status CheckChanges(Store* store) {
  ASSIGN_OR_RETURN(CatalogTable table, store->GetTable("t"));
  ASSIGN_OR_RETURN(std::vector<std::shared_ptr<Tablet>> tablets, store->Tablets("t"));
  for (const auto& tablet : tablets) {
    ChangeReader reader(tablet->Changes(),
                        ChangePosition::From(table.table_id, tablet->range(), 0));
    uint64_t last = 0;  // of the tablet's own numbers
    for (bool is_whole = false; !is_whole;) {
      std::vector<ReadChange> changes;
      RETURN_IF_ERROR(reader.Read(&changes, &is_whole));
      for (const ReadChange& change : changes) {
        if (change.record.tablet_id != tablet->id()) continue;
        if (last != 0 && change.record.first_sequence != last + 1) {
          return DataLoss(fmt::format("LOST: changes of tablet {} behind {}", tablet->id(), last));
        }
        last = change.record.first_sequence + change.record.mutation.entries.size() - 1;
      }
    }
    if (last != 0 && last != tablet->last_sequence()) {
      return DataLoss(fmt::format("LOST: the last changes of tablet {}", tablet->id()));
    }
  }
  return OkStatus();
}

Status CheckNoOrphans(Store* store, const std::string& directory) {
  auto fs = NewPosixFileSystem();
  constexpr int kTries = 1000;
  StatusOr<std::set<std::string>> orphans;
  for (int i = 0; i < kTries; ++i) {
    orphans = FindOrphans(store, fs.get(), directory);
    if (orphans.ok() && orphans->empty()) return OkStatus();
    Clock::System()->SleepMicros(5000);
  }
  RETURN_IF_ERROR(orphans.status());
  return DataLoss("an orphan after the sweep: " + *orphans->begin());
}

}  // namespace sippar::engine
