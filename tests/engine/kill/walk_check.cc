// Compares the store after a recovery with the journal.
// SPDX-License-Identifier: Apache-2.0
#include "tests/engine/kill/walk_check.h"

#include <fmt/format.h>

namespace sippar::engine {
namespace {

// Prints the first rows that differ.
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

// Reads everything in one pass and then family by family, which opens other locality groups; both
// results must agree.
StatusOr<WalkContent> ReadContent(WalkStore* store) {
  WalkContent content;
  WalkContent by_family;
  WalkContent schemas;
  ASSIGN_OR_RETURN(std::vector<TableSchema> tables, store->ListTables());
  for (const TableSchema& table : tables) {
    const std::string& name = table.name;
    if (name == "v") continue;  // a table restored from a backup; its own life checks it
    if (name == "u") schemas["table u"] = "there";
    if (table.FindFamily("x") != nullptr) schemas["family x"] = "there";
    auto add_to = [&name](WalkContent* to) {
      return [&name, to](const Cell& cell) { AddToContent(name, cell, to); };
    };
    RETURN_IF_ERROR(store->Read(name, {}, add_to(&content)));
    for (const FamilySchema& family : table.families) {
      ReadSpec read;
      read.columns = {{NamePattern::Exact(family.name), NamePattern::Any()}};
      RETURN_IF_ERROR(store->Read(name, read, add_to(&by_family)));
    }
  }
  std::string difference = Difference(content, by_family);
  if (!difference.empty()) return DataLoss("LOST when read by family: " + difference);
  content.insert(schemas.begin(), schemas.end());
  return content;
}

// True if the store contains the effect of `atom`.
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

}  // namespace

Status CheckContent(WalkStore* store, WalkJournal* journal) {
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

Status CheckChanges(WalkStore* store, uint64_t seed) {
  ReferenceTable replayed(WalkSchema(seed));
  RETURN_IF_ERROR(store->ReplayChanges("t", &replayed));
  WalkContent by_changes;
  for (const Cell& cell : replayed.Read({}, 0)) {
    if (cell.family != "x") AddToContent("t", cell, &by_changes);
  }
  WalkContent held;
  RETURN_IF_ERROR(store->Read("t", {}, [&](const Cell& cell) {
    if (cell.family != "x") AddToContent("t", cell, &held);
  }));
  std::string difference = Difference(held, by_changes);
  return difference.empty() ? OkStatus() : DataLoss("LOST in the change stream: " + difference);
}

}  // namespace sippar::engine
