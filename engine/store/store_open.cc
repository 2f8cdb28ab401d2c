// Opening a store: identity, catalog, tablets, log replay, orphan sweep. SPDX-License-Identifier:
// Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "engine/log/log_reader.h"
#include "engine/store/store.h"
#include "engine/tablet/state_file.h"

namespace sippar::engine {
namespace {

// What earlier lives of the store left of the log, oldest first.
struct OldLog {
  struct Segment {
    SegmentId id;
    uint64_t accepted_length = UINT64_MAX;  // told by the next segment
  };
  std::vector<Segment> segments;
  std::vector<SegmentId> unused;  // nothing in them was ever acknowledged, or all is in SSTables
};

// Follows the `previous` links from the newest segment back. Segments off that chain were given up
// before anything in them was acknowledged.
StatusOr<OldLog> FindOldLog(FileSystem* fs, const std::string& directory) {
  ASSIGN_OR_RETURN(std::vector<std::string> names, fs->List(directory));
  OldLog log;
  std::map<SegmentId, SegmentHeader> found;
  for (const std::string& name : names) {
    SegmentId id = ParseSegmentFileName(name);
    if (id == SegmentId{}) continue;
    std::string path = directory + "/" + name;
    ASSIGN_OR_RETURN(SegmentContent content, ReadSegmentHeader(fs, path, id));
    if (content.empty) {
      log.unused.push_back(id);
    } else {
      found[id] = content.header;
    }
  }
  if (found.empty()) return log;
  SegmentId id = found.rbegin()->first;
  uint64_t accepted_length = UINT64_MAX;
  for (auto at = found.find(id); at != found.end(); at = found.find(id)) {
    log.segments.push_back({id, accepted_length});
    accepted_length = at->second.previous_length;
    id = at->second.previous;
    found.erase(at);
  }
  for (const auto& [off_chain, header] : found) log.unused.push_back(off_chain);
  std::reverse(log.segments.begin(), log.segments.end());
  return log;
}

}  // namespace

Store::Store(StoreOptions options, StoreFiles files)
    : options_(options),
      files_(std::move(files)),
      cache_(options.block_cache_size),
      states_(NewFileTabletStateStore(options.fs, files_.tablets())) {
  context_.fs = options_.fs;
  context_.clock = options_.clock;
  context_.states = states_.get();
  context_.cache = &cache_;
  context_.row_locks = &row_locks_;
  context_.metrics = &metrics_;
  context_.sstable_directory = files_.sst();
  context_.memtable_bytes = &memtable_bytes_;
  context_.stopping = &stopping_;
  // Unique for ever without a durable counter: the epoch is never repeated.
  context_.next_file_id = [this] { return (files_.epoch << 32) | next_file_number_.fetch_add(1); };
}

StatusOr<std::unique_ptr<Store>> Store::Open(const std::string& directory,
                                             const StoreOptions& options) {
  ASSIGN_OR_RETURN(StoreFiles files,
                   OpenStoreFiles(options.fs, directory, options.create_if_missing));
  std::unique_ptr<Store> store(new Store(options, std::move(files)));
  auto catalog = ReadStateFile(options.fs, store->files_.catalog(), kCatalogMagic);
  Status status = catalog.status();
  if (status.ok()) status = store->OpenTablets(*catalog);
  if (status.ok()) status = store->Recover();
  if (status.ok()) status = store->SweepOrphans();
  RETURN_IF_ERROR(Annotate(MissingIsLoss(status), "open store " + directory));
  store->StartBackground();
  return store;
}

Status Store::OpenTablets(const std::string& catalog_body) {
  MutexLock admin_lock(&admin_mutex_);
  auto catalog = Catalog::Decode(catalog_body);
  if (!catalog.ok()) return Annotate(catalog.status(), files_.catalog());
  catalog_ = std::move(*catalog);
  for (const auto& [name, entry] : catalog_.tables) {
    auto table = std::make_shared<OpenTable>();
    table->entry = entry;
    auto schema = std::make_shared<const TableSchema>(entry.schema);
    for (const CatalogTablet& tablet : entry.tablets) {
      ASSIGN_OR_RETURN(TabletState state, states_->Load(tablet.tablet_id));
      ASSIGN_OR_RETURN(std::shared_ptr<Tablet> opened,
                       Tablet::Open(&context_, std::move(state), schema));
      table->tablets.push_back(std::move(opened));
    }
    MutexLock lock(&tables_mutex_);
    tables_[name] = std::move(table);
  }
  return OkStatus();
}

Status Store::Recover() {
  std::map<uint64_t, std::shared_ptr<Tablet>> by_id;
  for (const auto& tablet : AllTablets()) by_id[tablet->id()] = tablet;
  ASSIGN_OR_RETURN(OldLog old_log, FindOldLog(options_.fs, files_.wal()));
  LogSegments segments;
  SegmentId last;
  uint64_t last_length = 0;
  for (const OldLog::Segment& segment : old_log.segments) {
    LogSegments::TabletSequences sequences;
    auto visit = [&](uint64_t, std::string_view body) -> Status {
      ASSIGN_OR_RETURN(LogRecord record, DecodeLogBody(body));
      auto tablet = by_id.find(record.tablet_id);
      if (tablet == by_id.end()) return OkStatus();  // of a dropped table
      sequences[record.tablet_id] = record.first_sequence + record.mutation.entries.size() - 1;
      return tablet->second->Replay(record);
    };
    std::string path = files_.wal() + "/" + SegmentFileName(segment.id);
    ASSIGN_OR_RETURN(SegmentContent content,
                     ReadSegment(options_.fs, path, segment.id, segment.accepted_length, visit));
    last = segment.id;
    last_length = content.valid_length;
    segments.Add(segment.id, std::move(sequences));
    metrics_.Get("log_bytes_replayed")->Add(content.valid_length);
  }
  for (SegmentId id : old_log.unused) {
    RemoveOrphan(files_.wal() + "/" + SegmentFileName(id));
  }
  CommitLogOptions log_options;
  log_options.fs = options_.fs;
  log_options.directory = files_.wal();
  log_options.epoch = files_.epoch;
  log_options.sync = options_.sync_writes;
  log_options.segment_size = options_.log_segment_size;
  log_options.metrics = &metrics_;
  log_options.clock = options_.clock;
  log_ =
      std::make_unique<CommitLog>(std::move(log_options), last, last_length, std::move(segments));
  context_.log = log_.get();
  return OkStatus();
}

// What stays is in nobody's way and is met again at the next start.
void Store::RemoveOrphan(const std::string& path) { CountOrphan(options_.fs->Remove(path)); }

void Store::CountOrphan(const Status& removed) {
  metrics_.Get(removed.ok() ? "orphans_swept" : "orphans_not_removed")->Add();
}

// Mark and sweep: files that no tablet names were left by a crash or a failed job.
Status Store::SweepOrphans() {
  std::set<std::string> named;
  std::set<uint64_t> tablets;
  for (const auto& tablet : AllTablets()) {
    tablets.insert(tablet->id());
    ASSIGN_OR_RETURN(TabletState state, states_->Load(tablet->id()));
    for (const GroupState& group : state.groups) {
      for (const RunState& run : group.runs) {
        for (const FileSummary& file : run.files) {
          named.insert(context_.SstablePath(file.file_id));
        }
      }
    }
  }
  ASSIGN_OR_RETURN(std::vector<std::string> names, options_.fs->List(files_.sst()));
  for (const std::string& name : names) {
    std::string path = files_.sst() + "/" + name;
    bool ours = name.size() == 20 && name.ends_with(".sst");
    if (ours && !named.contains(path)) RemoveOrphan(path);
  }
  ASSIGN_OR_RETURN(std::vector<uint64_t> states, states_->List());
  for (uint64_t id : states) {
    if (!tablets.contains(id)) CountOrphan(states_->Remove(id));
  }
  return OkStatus();
}

}  // namespace sippar::engine
