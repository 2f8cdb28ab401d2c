// SPDX-License-Identifier: Apache-2.0
#include "cluster/master/act/record_actions.h"

#include <fmt/format.h>

#include <algorithm>

#include "cluster/location/meta_row.h"
#include "engine/tablet/reshape.h"

namespace sippar::cluster::master {

using event::Done;

namespace {

// Returns the merged tablet's record. Both tablets are closed and flushed, so no log has data of
// them; a record that still names a log must not be merged.
StatusOr<TabletRecord> JoinRecords(const TabletRecord& left, const TabletRecord& right,
                                   uint64_t tablet_id) {
  if (!left.logs.empty() || !right.logs.empty()) {
    return FailedPrecondition(
        fmt::format("tablets {} and {} cannot be merged before both are flushed", left.tablet_id,
                    right.tablet_id));
  }
  TabletRecord joined = right;
  joined.range.start = left.range.start;
  joined.tablet_id = tablet_id;
  joined.tablet_epoch = std::max(left.tablet_epoch, right.tablet_epoch) + 1;
  joined.phase = TabletPhase::kUnassigned;
  joined.server = ServerId();
  // Run ids are derived from the tablet id, so each attempt assigns the same ids, and a repeated
  // commit recognizes its own record. Servers never assign these ids, because the upper half of
  // each is this master's epoch.
  uint64_t run_id = tablet_id;
  auto next_run_id = [&run_id]() -> StatusOr<uint64_t> { return run_id++; };
  ASSIGN_OR_RETURN(joined.state,
                   engine::JoinStates(left.state, right.state, tablet_id, next_run_id));
  return joined;
}

// Returns the text of a change's event. The text of a planned move names both servers; a tablet
// that was unassigned has no old server.
std::string EventText(const RecordChange& change, const TabletRecord& record, const ServerId& from,
                      uint64_t master_epoch) {
  if (change.kind == RecordChangeKind::kLetBack) return fmt::format("by master {}", master_epoch);
  const bool moves = change.kind == RecordChangeKind::kAssign && !from.IsNone();
  const size_t deaths = record.suspicion ? record.suspicion->deaths.size() : 0;
  const bool is_blamed = change.blame == Blame::kBlamed || change.blame == Blame::kSetAside;
  return fmt::format(
      "{} by master {}{}{}", change.server.ToString(), master_epoch,
      moves ? ", moved from " + from.ToString() : "",
      is_blamed ? fmt::format("; servers that ended because of it: {}", deaths) : "");
}

}  // namespace

StatusOr<TabletRecord> RecordActions::FindSame(const RecordRef& asked, Done* done) {
  auto record = places_->metadata->Find(asked.table_id, asked.range.start);
  if (record.status().code() == StatusCode::kNotFound) {
    done->answer = RecordPage();
    return Aborted(fmt::format("the METADATA record of tablet {} of table {} was removed",
                               asked.tablet_id, asked.table_id));
  }
  if (!record.ok()) return record.status();
  if (record->tablet_id == asked.tablet_id && record->tablet_epoch == asked.epoch &&
      record->range == asked.range) {
    return record;
  }
  done->answer = RecordPage{{FactsOf(*record)}, true};
  return Aborted(fmt::format("tablet {} is no longer at epoch {}", asked.tablet_id, asked.epoch));
}

Done RecordActions::Do(const action::ReadRoot&) {
  auto root = places_->metadata->Find(kMetadataTableId, "");
  if (!root.ok()) return {0, root.status(), {}};
  return {0, OkStatus(), RecordPage{{FactsOf(*root)}, true}};
}

Done RecordActions::Do(const action::ReadRecords& asked) {
  RecordPage page;
  // `after` is exclusive. If it is the end of a table, the scan begins with the next table.
  bool from_start = asked.after.limit.empty();
  uint64_t first = from_start ? asked.after.table_id + 1 : asked.after.table_id;
  Status status;
  if (first == asked.last.table_id && (!from_start || !asked.last.limit.empty())) {
    // The range is part of a single table. Its records are read one by one without regard to
    // `count`, because holes and METADATA itself have few records.
    std::string row = asked.after.limit;
    for (;;) {
      auto record = places_->metadata->Find(first, row);
      if (record.status().code() == StatusCode::kNotFound) break;
      if (!record.ok()) return {0, record.status(), {}};
      page.records.push_back(FactsOf(*record));
      row = record->range.limit;
      if (row.empty() || !(TabletKey{first, row} < asked.last)) break;
    }
    return {0, OkStatus(), std::move(page)};
  }
  status = places_->metadata->Scan(first, asked.last.table_id, [&](const TabletRecord& record) {
    TabletFacts facts = FactsOf(record);
    if (asked.after < facts.key() && !(asked.last < facts.key())) {
      page.complete = page.records.size() < asked.count;
      if (page.complete) page.records.push_back(std::move(facts));
    }
    return page.complete;
  });
  return {0, std::move(status), std::move(page)};
}

Done RecordActions::Do(const action::CreateRecord& asked) {
  TabletRecord record;
  if (asked.state != nullptr) record.state = *asked.state;
  // Run ids only need to be unique within the tablet. They are the same in each attempt, so that a
  // repeated creation recognizes its own record.
  uint64_t run_id = asked.facts.tablet_id;
  for (engine::GroupState& group : record.state.groups) {
    for (engine::RunState& run : group.runs) run.run_id = run_id++;
  }
  record.table_id = asked.facts.table_id;
  record.range = asked.facts.range;
  record.tablet_id = asked.facts.tablet_id;
  record.tablet_epoch = asked.facts.tablet_epoch;
  record.state.table_id = record.table_id;
  record.state.tablet_id = record.tablet_id;
  record.state.range = record.range;
  return {0, places_->metadata->Add(&record, {"created", ""}), {}};
}

Done RecordActions::Do(const action::ChangeRecord& asked) {
  Done done;
  auto record = FindSame(asked.record, &done);
  done.status = record.status();
  if (!record.ok()) return done;
  const ServerId from = record->server;
  done.status = ApplyChange(asked.change, &*record);
  if (!done.status.ok()) return done;
  static constexpr const char* kKinds[] = {"assigned",        "recovering", "published", "merging",
                                           "merge_cancelled", "released",   "let_back"};
  const std::string kind = asked.change.blame == Blame::kSetAside
                               ? "set_aside"
                               : kKinds[static_cast<size_t>(asked.change.kind)];
  done.status =
      places_->metadata->Write(&*record, {kind, EventText(asked.change, *record, from, epoch_)});
  if (done.status.ok()) done.answer = RecordPage{{FactsOf(*record)}, true};
  return done;
}

Done RecordActions::Do(const action::LevelBirths& asked) {
  Done done;
  auto left = FindSame(asked.left, &done);
  done.status = left.status();
  if (!left.ok()) return done;
  auto right = FindSame(asked.right, &done);
  done.status = right.status();
  if (!right.ok() || left->state.family_births == right->state.family_births) return done;
  for (const TabletRecord* record : {&*left, &*right}) {
    done.status =
        CallServer(*places_, record->server, calls::ForgetBirths{epoch_, record->tablet_id});
    if (!done.status.ok()) break;
  }
  return done;
}

Done RecordActions::Do(const action::CommitMerge& asked) {
  Done done;
  auto left = FindSame(asked.left, &done);
  done.status = left.status();
  if (!left.ok()) return done;
  auto right = FindSame(asked.right, &done);
  done.status = right.status();
  if (!right.ok()) return done;
  auto joined = JoinRecords(*left, *right, asked.tablet_id);
  done.status = joined.status();
  if (!joined.ok()) return done;
  TabletRecord merged = *std::move(joined);
  done.status = places_->metadata->Merge(
      *left, *right, &merged,
      {"merged", fmt::format("{} + {}", left->tablet_id, right->tablet_id)});
  if (done.status.ok()) done.answer = RecordPage{{FactsOf(merged)}, true};
  return done;
}

Done RecordActions::Do(const action::EraseRecord& asked) {
  Done done;
  auto record = FindSame(asked.record, &done);
  done.status = record.status();
  if (record.ok())
    done.status = places_->metadata->Erase(*record, {"erased", "its table was dropped"});
  // An empty page: METADATA has no record at these rows, so an earlier attempt has erased the
  // record.
  const auto* page = std::get_if<RecordPage>(&done.answer);
  if (page != nullptr && page->records.empty()) done.status = OkStatus();
  return done;
}

// Reads the record again, so that the server gets the newest list of the tablet's files.
Done RecordActions::Do(const action::LoadTablet& asked) {
  Done done;
  auto record = FindSame(asked.record, &done);
  if (!record.ok()) {
    // The call was not sent, so the error must not look like a refusal by the server.
    done.status = Aborted(std::string(MessageOf(record.status())));
    return done;
  }
  TableRecord metadata;
  metadata.table_id = kMetadataTableId;
  metadata.schema_version = 1;
  metadata.schema = MetadataSchema();
  const TableRecord& table = asked.table == nullptr ? metadata : *asked.table;
  done.status = CallServer(*places_, asked.server, calls::LoadTablet{epoch_, *record, table});
  return done;
}

}  // namespace sippar::cluster::master
