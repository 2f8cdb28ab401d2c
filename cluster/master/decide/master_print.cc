// Prints actions as text, for tests.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "cluster/master/decide/master_action.h"
#include "engine/base/printable.h"

namespace sippar::cluster::master {
namespace {

using engine::PrintableBytes;

std::string LimitText(const std::string& limit) {
  return limit.empty() ? "end" : PrintableBytes(limit);
}

const char* PhaseText(TabletPhase phase) {
  switch (phase) {
    case TabletPhase::kUnassigned:
      return "unassigned";
    case TabletPhase::kAssigned:
      return "assigned";
    case TabletPhase::kRecovering:
      return "recovering";
    case TabletPhase::kMerging:
      return "merging";
  }
  return "?";
}

const char* LifeText(TableLife life) {
  switch (life) {
    case TableLife::kCreating:
      return "creating";
    case TableLife::kLive:
      return "live";
    case TableLife::kDropping:
      return "dropping";
    case TableLife::kKept:
      return "kept";
  }
  return "?";
}

const char* BlameText(Blame blame) {
  switch (blame) {
    case Blame::kNone:
      return "";
    case Blame::kBlamed:
      return ", blamed";
    case Blame::kSetAside:
      return ", set aside";
  }
  return "?";
}

std::string Text(const RecordChange& change) {
  switch (change.kind) {
    case RecordChangeKind::kAssign:
      return "assign to " + change.server.ToString();
    case RecordChangeKind::kRecover:
      return fmt::format("recover from {}{}", change.server.ToString(), BlameText(change.blame));
    case RecordChangeKind::kPublish:
      return fmt::format("publish, {} of {}'s log",
                         change.log_sequence == 0 ? "nothing" : "its part",
                         change.server.ToString());
    case RecordChangeKind::kStartMerge:
      return "start merge";
    case RecordChangeKind::kCancelMerge:
      return "cancel merge";
    case RecordChangeKind::kRelease:
      return "release from " + change.server.ToString();
    case RecordChangeKind::kLetBack:
      return "let back";
  }
  return "?";
}

std::string Text(const action::ListServers&) { return "list servers"; }
std::string Text(const action::ReadTables&) { return "read tables"; }
std::string Text(const action::AskServer& body) { return "ask " + body.server.ToString(); }
std::string Text(const action::ReadRoot&) { return "read root"; }
std::string Text(const action::ReadRecords& body) {
  return fmt::format("read records {} .. {}", Print(body.after), Print(body.last));
}
std::string Text(const action::CreateRecord& body) { return "create record " + Print(body.facts); }
std::string Text(const action::ChangeRecord& body) {
  return fmt::format("change record {}: {}", Print(body.record), Text(body.change));
}
std::string Text(const action::LevelBirths& body) {
  return fmt::format("level births of {} and {}", Print(body.left), Print(body.right));
}
std::string Text(const action::CommitMerge& body) {
  return fmt::format("commit merge {} + {}", Print(body.left), Print(body.right));
}
std::string Text(const action::EraseRecord& body) { return "erase record " + Print(body.record); }
std::string Text(const action::LoadTablet& body) {
  return fmt::format("load {} on {}", Print(body.record), body.server.ToString());
}
std::string Text(const action::UnloadTablet& body) {
  return fmt::format("unload {} from {}", Print(body.record), body.server.ToString());
}
std::string Text(const action::SplitByLoad& body) {
  return fmt::format("split {} by load on {}", Print(body.record), body.server.ToString());
}
std::string Text(const action::SetSchema& body) {
  return fmt::format("set schema of {} to version {} on {}", body.table->schema.name,
                     body.table->schema_version, body.server.ToString());
}
std::string Text(const action::FenceServer& body) {
  return fmt::format("fence {}{}", body.server.ToString(), body.by_force ? " by force" : "");
}
std::string Text(const action::StopWriter& body) { return "stop writer " + body.server.ToString(); }
std::string Text(const action::RenameLog& body) {
  return "rename log of " + body.server.ToString();
}
std::string Text(const action::SealLog& body) { return "seal log of " + body.server.ToString(); }
std::string Text(const action::SortLogPart& body) {
  return fmt::format("sort part {} of {}'s log on {}", body.segment, body.dead.ToString(),
                     body.server.ToString());
}
std::string Text(const action::WriteTable& body) {
  return fmt::format("write table {} version {} {}", body.table->schema.name,
                     body.table->schema_version, LifeText(body.life));
}
std::string Text(const action::RemoveTable& body) {
  return fmt::format("remove table {}.{}", body.table_id >> 32, body.table_id & 0xffffffff);
}
std::string Text(const action::ListFiles&) { return "list files"; }
std::string Text(const action::FindReferences&) { return "find references"; }
std::string Text(const action::TrashFiles& body) {
  std::string text = fmt::format("trash {} files", body.files.size());
  for (uint64_t file : body.files) text += fmt::format(" {}.{}", file >> 32, file & 0xffffffff);
  for (const ServerId& log : body.logs) text += " log of " + log.ToString();
  return text;
}
std::string Text(const action::PurgeTrash&) { return "purge trash"; }
std::string Text(const action::Reply& body) {
  return fmt::format("reply {}: {}", body.request,
                     body.status.ok() ? "OK" : std::string(MessageOf(body.status)));
}

}  // namespace

std::string Print(const TabletKey& key) {
  if (key.table_id == UINT64_MAX) return "end of METADATA";
  std::string table = key.table_id < 2
                          ? (key.table_id == 0 ? "start of " : "") + std::string("METADATA")
                          : fmt::format("{}.{}", key.table_id >> 32, key.table_id & 0xffffffff);
  return fmt::format("{}/{}", table, LimitText(key.limit));
}

std::string Print(const RecordRef& record) {
  return fmt::format("{} @{}", Print(record.key()), record.epoch);
}

std::string Print(const TabletFacts& facts) {
  std::string server = facts.server.IsNone() ? "" : " " + facts.server.ToString();
  return fmt::format("{} ['{}', {}) tablet {}.{} @{} {}{}{}{}", Print(facts.key()),
                     PrintableBytes(facts.range.start), LimitText(facts.range.limit),
                     facts.tablet_id >> 32, facts.tablet_id & 0xffffffff, facts.tablet_epoch,
                     PhaseText(facts.phase), server, facts.has_logs ? " logs" : "",
                     facts.set_aside ? " set aside" : "");
}

std::string Print(const ActionBody& body) {
  return std::visit([](const auto& what) { return Text(what); }, body);
}

std::string Print(const Action& action) {
  return action.op == 0 ? Print(action.body) : fmt::format("#{} {}", action.op, Print(action.body));
}

}  // namespace sippar::cluster::master
