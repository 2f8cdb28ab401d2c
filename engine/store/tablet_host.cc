// Construction, start and end of a TabletHost. Background work is in host_background.cc.
// SPDX-License-Identifier: Apache-2.0
#include "engine/store/tablet_host.h"

#include <algorithm>

#include "engine/base/crash_point.h"

namespace sippar::engine {

TabletHost::TabletHost(Options options)
    : options_(std::move(options)),
      fs_(options_.store.fs),
      clock_(options_.store.clock),
      compactions_(clock_),
      limiter_(clock_),
      cache_(std::max(options_.store.block_cache_size, options_.store.memory_limit),
             options_.store.pinned_blocks_size),
      writer_delay_us_(metrics_.Get("writer_delay_us")),
      writer_stops_(metrics_.Get("writer_stops")) {
  context_.fs = fs_;
  context_.clock = clock_;
  context_.states = options_.states;
  context_.cache = &cache_;
  context_.row_locks = &row_locks_;
  context_.metrics = &metrics_;
  context_.files =
      std::make_shared<FileRegistry>(fs_, &cache_, options_.sst_directory, options_.removes_files);
  context_.read_totals = [this](uint64_t table_id) { return ReadTotalsOf(table_id); };
  context_.compactions = &compactions_;
  context_.memtable_bytes = &memtable_bytes_;
  context_.stopping = &stopping_;
  context_.next_file_id = [this] { return NextId(); };
  context_.unpublished = &unpublished_;
  context_.paranoid_flush = options_.store.paranoid_flush;
  context_.change_directory = options_.change_directory;
}

TabletHost::~TabletHost() { (void)Close(); }

StatusOr<uint64_t> TabletHost::NextId() {
  // Makes the epoch durable before an id uses it: otherwise a process that starts after a crash
  // could get the same epoch, and so reuse the name of a file.
  if (options_.claim_epoch) RETURN_IF_ERROR(options_.claim_epoch());
  return (options_.epoch << 32) | next_number_.fetch_add(1);
}

void TabletHost::Serve(const std::shared_ptr<Tablet>& tablet) {
  MutexLock lock(&served_mutex_);
  served_[tablet->id()] = tablet;
}

void TabletHost::Forget(uint64_t tablet_id) {
  MutexLock lock(&served_mutex_);
  served_.erase(tablet_id);
}

std::shared_ptr<Tablet> TabletHost::Find(uint64_t tablet_id) const {
  MutexLock lock(&served_mutex_);
  auto found = served_.find(tablet_id);
  return found == served_.end() ? nullptr : found->second;
}

std::vector<std::shared_ptr<Tablet>> TabletHost::All() const {
  MutexLock lock(&served_mutex_);
  std::vector<std::shared_ptr<Tablet>> all;
  for (const auto& [id, tablet] : served_) all.push_back(tablet);
  return all;
}

StatusOr<ReplayedLog> TabletHost::Replay(const std::string& directory) {
  std::map<uint64_t, std::shared_ptr<Tablet>> by_id;
  for (const auto& tablet : All()) by_id[tablet->id()] = tablet;
  auto redo_of = [&](uint64_t tablet_id) {
    auto tablet = by_id.find(tablet_id);
    // Records of tablets that are not served here are skipped.
    return tablet == by_id.end() ? UINT64_MAX : tablet->second->flusher().redo_sequence();
  };
  auto replay = [&](const LogRecord& record) {
    return by_id.find(record.tablet_id)->second->writer().Replay(record);
  };
  ASSIGN_OR_RETURN(ReplayedLog old, ReplayLog(fs_, directory, redo_of, replay));
  metrics_.Get("log_bytes_replayed")->Add(old.bytes);
  metrics_.Get("log_bytes_torn")->Add(old.torn_bytes);
  return old;
}

void TabletHost::StartLog(const std::string& directory, ReplayedLog old,
                          std::function<Status()> fence) {
  CommitLogOptions log_options;
  log_options.fs = fs_;
  log_options.directory = directory;
  log_options.epoch = options_.epoch;
  // The name of a segment contains the epoch, which must therefore be durable first.
  log_options.before_segment = options_.claim_epoch;
  log_options.sync = options_.store.sync_writes;
  // A second writer helps only against slow syncs, and needs background work.
  log_options.two_writers = options_.store.sync_writes && options_.store.background;
  log_options.segment_size = options_.store.log_segment_size;
  log_options.metrics = &metrics_;
  log_options.clock = clock_;
  log_options.fence = std::move(fence);
  log_ = std::make_unique<CommitLog>(std::move(log_options), old.last, old.last_length,
                                     std::move(old.segments), std::move(old.in_doubt));
  context_.log = log_.get();
}

Status TabletHost::Close() {
  if (closed_) return OkStatus();
  closed_ = true;
  {
    MutexLock lock(&background_mutex_);
    // Under the lock, so that no thread misses the wake-up between its check and its wait.
    stopping_ = true;
    background_wake_.NotifyAll();
    writers_wake_.NotifyAll();
  }
  flush_thread_.Join();
  for (Thread& thread : compact_threads_) thread.Join();
  if (log_ == nullptr) return OkStatus();
  CRASH_POINT("close.before_log");
  Status closed = log_->Close();
  CRASH_POINT("close.after_log");
  RemoveObsoleteSegments();  // if all data is flushed, the next start reads no log
  return Annotate(closed, "close commit log");
}

std::shared_ptr<ReadTotals> TabletHost::ReadTotalsOf(uint64_t table_id) {
  MutexLock lock(&totals_mutex_);
  // Counted by table, not by tablet, so that splits and merges do not reset the totals.
  std::shared_ptr<ReadTotals>& totals = read_totals_[table_id];
  if (totals == nullptr) totals = std::make_shared<ReadTotals>();
  return totals;
}

std::map<std::string, ReadCounters> TabletHost::TableReads() {
  std::map<uint64_t, std::string> tables;
  for (const auto& tablet : All()) tables.try_emplace(tablet->table_id(), tablet->schema()->name);
  std::map<std::string, ReadCounters> reads;
  for (const auto& [id, name] : tables) reads[name] = ReadTotalsOf(id)->Sum();
  return reads;
}

}  // namespace sippar::engine
