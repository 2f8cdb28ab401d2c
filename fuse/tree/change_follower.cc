// SPDX-License-Identifier: Apache-2.0
#include "fuse/tree/change_follower.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace sippar::fuse {
namespace {

constexpr int64_t kLookAtTablesNs = 1'000'000'000;
// Short, because meanwhile no stream is read.
constexpr int64_t kCallTimeoutUs = 1'000'000;
constexpr size_t kBatchesAtOnce = 256;  // of one stream, before the next one is read
// A stream that begins now does not return a write that took its commit time before, but becomes
// visible a moment later. Names read within this time after the beginning are kept only for
// --entry-timeout.
constexpr int64_t kWriteNsMax = 5'000'000'000;
// Each stream is asked at every Poll, so their number is bounded; further tables are not followed.
constexpr size_t kStreamsFollowedMax = 256;

}  // namespace

std::vector<StaleName> ChangeFollower::Poll() {
  std::vector<StaleName> stale;
  const int64_t now_ns = context_->clock->MonotonicNanos();
  if (!has_looked_ || now_ns - looked_at_ns_ >= kLookAtTablesNs) {
    has_looked_ = true;
    looked_at_ns_ = now_ns;
    LookAtTables(&stale);
  }
  for (auto at = followed_.begin(); at != followed_.end();) {
    Status status = ReadTable(at->second, &stale);
    if (status.ok()) {
      ++at;
      continue;
    }
    Drop(at->second, &stale);
    at = followed_.erase(at);
  }
  return stale;
}

bool ChangeFollower::IsCurrent(const Node& directory, const Node& entry, int64_t read_at_ns) {
  if (!IsFollowedName(directory, entry)) return false;
  engine::MutexLock lock(&mutex_);
  auto found = trusted_from_ns_.find(directory.table_id);
  return found != trusted_from_ns_.end() && read_at_ns > found->second;
}

// Begins to follow new tables, and those that can be followed only now. A changed schema may have
// dropped families, so everything below the table is stale, and its streams begin anew.
void ChangeFollower::LookAtTables(std::vector<StaleName>* stale) {
  cluster::CallOptions call;
  call.cancel = cancel_;
  call.timeout_us = kCallTimeoutUs;
  auto tables = context_->tables.List(call);
  if (!tables.ok()) return;
  std::map<uint64_t, TablePtr> present;
  for (const TablePtr& table : *tables) present[table->table_id] = table;
  for (auto at = followed_.begin(); at != followed_.end();) {
    auto found = present.find(at->first);
    if (found != present.end() && found->second->schema_version == at->second.info.schema_version) {
      present.erase(found);
      ++at;
      continue;
    }
    Drop(at->second, stale);
    at = followed_.erase(at);
  }
  for (const auto& [id, info] : present) {
    if (!CanFollow(info->schema)) continue;
    Table table{*info, {}};
    // A table whose streams cannot begin is tried again at the next look.
    if (Begin(&table).ok()) followed_.emplace(id, std::move(table));
  }
  ShowTables(tables->size());
}

Status ChangeFollower::Begin(Table* table) {
  cluster::CallOptions call;
  call.cancel = cancel_;
  call.timeout_us = kCallTimeoutUs;
  const std::string& name = table->info.schema.name;
  ASSIGN_OR_RETURN(std::vector<cluster::RowRange> ranges,
                   context_->data->Do(cluster::calls::TabletRanges{name}, call));
  if (streams_ + ranges.size() > kStreamsFollowedMax) {
    return ResourceExhausted(fmt::format(
        "table {}: its changes are not followed ({} change streams, at most {} in a mount)", name,
        streams_ + ranges.size(), kStreamsFollowedMax));
  }
  for (const cluster::RowRange& range : ranges) {
    cluster::ChangesRequest request;
    request.partition = range;
    ASSIGN_OR_RETURN(std::unique_ptr<cluster::ChangeStream> stream,
                     context_->data->ReadChanges(name, request, call));
    table->streams.push_back(std::move(stream));
  }
  streams_ += table->streams.size();
  TrustFrom(table->info.table_id, context_->clock->MonotonicNanos() + kWriteNsMax);
  return OkStatus();
}

Status ChangeFollower::ReadTable(const Table& table, std::vector<StaleName>* stale) {
  for (const auto& stream : table.streams) {
    // A server sends a batch for each few changes, so one batch a look would fall behind.
    for (size_t i = 0; i < kBatchesAtOnce; ++i) {
      ASSIGN_OR_RETURN(cluster::ChangeBatch batch, stream->Next(/*wait_us=*/0));
      if (!batch.changes.empty()) Take(table, batch.changes, stale);
      // The table's tablets have split or merged, which is seldom. Its streams begin anew: that is
      // simpler than to continue at ChangeBatch::tokens.
      if (batch.is_over) return Aborted("the tablets of the table have changed");
      if (batch.changes.empty()) break;
    }
  }
  return OkStatus();
}

void ChangeFollower::Take(const Table& table, const std::vector<cluster::Change>& changes,
                          std::vector<StaleName>* stale) {
  const uint64_t table_id = table.info.table_id;
  // First: a lookup that read before this change, and is answered after the kernel was told of it,
  // must not keep its name. Later times, which Begin has set, stay.
  TrustFrom(table_id, context_->clock->MonotonicNanos());
  for (const cluster::Change& change : changes) {
    const std::string& row = change.mutation.row;
    context_->rows.Forget(table_id, {table.info.schema.name, std::nullopt}, row);
    Node node;
    node.kind = NodeKind::kRow;
    node.table_id = table_id;
    node.row = row;
    context_->recent_rows.Forget(InodeNumber(node));
    AddStaleNames(table_id, change.mutation, context_->codec, stale);
  }
}

void ChangeFollower::Drop(const Table& table, std::vector<StaleName>* stale) {
  streams_ -= table.streams.size();
  stale->push_back(NameOfTable(table.info.schema.name, context_->codec));
  engine::MutexLock lock(&mutex_);
  trusted_from_ns_.erase(table.info.table_id);
}

void ChangeFollower::TrustFrom(uint64_t table_id, int64_t from_ns) {
  engine::MutexLock lock(&mutex_);
  int64_t& trusted = trusted_from_ns_[table_id];
  trusted = std::max(trusted, from_ns);
}

void ChangeFollower::ShowTables(size_t tables) {
  std::string names;
  for (const auto& [id, table] : followed_)
    names += " " + context_->codec.Encode(table.info.schema.name);
  context_->status.SetFollowed(fmt::format("{} of {} tables:{}", followed_.size(), tables, names));
}

}  // namespace sippar::fuse
