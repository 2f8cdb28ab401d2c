// SPDX-License-Identifier: Apache-2.0
#include "engine/log/log_replay.h"

#include <algorithm>
#include <map>
#include <span>

#include "engine/base/parallel.h"
#include "engine/log/log_chain.h"
#include "engine/log/log_reader.h"
#include "engine/log/log_writer.h"

namespace sippar::engine {
namespace {

constexpr uint64_t kPartSize = 128 << 20;        // bytes read at once: two segments of 64 MiB
constexpr uint64_t kThreadWorthwhile = 1 << 20;  // one thread reads a smaller part faster
constexpr size_t kThreadsMax = 4;

using Segments = std::span<const LogChain::Segment>;

struct SegmentRecords {
  Status status;
  SegmentContent content;
  std::map<uint64_t, std::vector<LogRecord>> records;  // records by tablet id
  LogSegments::TabletSequences sequences;
};

class Replayer {
 public:
  Replayer(FileSystem* fs, const std::string& directory,
           const std::function<uint64_t(uint64_t)>& redo_of,
           const std::function<Status(const LogRecord&)>& replay)
      : fs_(fs), directory_(directory), redo_of_(redo_of), replay_(replay) {}

  Status ReplayPart(Segments part, size_t threads, ReplayedLog* log) {
    std::vector<SegmentRecords> read(part.size());
    RunParallel(threads, part.size(), [&](size_t i) { read[i].status = Read(part[i], &read[i]); });
    std::map<uint64_t, std::vector<const std::vector<LogRecord>*>> tablets;
    for (size_t i = 0; i < part.size(); ++i) {
      RETURN_IF_ERROR(read[i].status);
      for (const auto& [tablet, records] : read[i].records) tablets[tablet].push_back(&records);
      Continue(part[i], &read[i].content, log);
      log->bytes += read[i].content.valid_length;
      log->torn_bytes += read[i].content.torn_bytes;
      log->segments.Add(part[i].id, std::move(read[i].sequences));
    }
    std::vector<std::vector<const std::vector<LogRecord>*>> slices;
    for (auto& [tablet, slice] : tablets) slices.push_back(std::move(slice));
    std::vector<Status> replayed(slices.size());
    RunParallel(threads, slices.size(), [&](size_t i) { replayed[i] = ReplaySlice(slices[i]); });
    for (const Status& status : replayed) RETURN_IF_ERROR(status);
    return OkStatus();
  }

 private:
  // Records what the header of the next segment will say about its predecessor.
  void Continue(const LogChain::Segment& segment, SegmentContent* content, ReplayedLog* log) const {
    log->last = segment.id;
    log->last_length = content->valid_length;
    if (segment.accepted_length != UINT64_MAX) return;
    log->last_length = content->durable_length;
    // Includes records that no tablet wants: last_length ends before every record in doubt, and the
    // next segment begins with copies of all of them.
    log->in_doubt = std::move(content->in_doubt);
  }

  Status Read(const LogChain::Segment& segment, SegmentRecords* out) const {
    auto visit = [&](uint64_t, std::string_view body) -> Status {
      ASSIGN_OR_RETURN(LogRecordHead head, DecodeLogHead(body));
      uint64_t redo = redo_of_(head.tablet_id);
      if (redo == UINT64_MAX) return OkStatus();  // the tablet is gone
      uint64_t last = head.first_sequence + head.entry_count - 1;
      out->sequences[head.tablet_id] = last;
      if (last <= redo) return OkStatus();
      ASSIGN_OR_RETURN(LogRecord record, DecodeLogBody(body));
      out->records[head.tablet_id].push_back(std::move(record));
      return OkStatus();
    };
    std::string path = directory_ + "/" + SegmentFileName(segment.id);
    ASSIGN_OR_RETURN(out->content,
                     ReadSegment(fs_, path, segment.id, segment.accepted_length, visit));
    return CheckReaches(path, out->content.valid_length,
                        std::max(segment.synced_length, segment.reached_length));
  }

  Status ReplaySlice(std::span<const std::vector<LogRecord>* const> slice) const {
    for (const std::vector<LogRecord>* records : slice) {
      for (const LogRecord& record : *records) RETURN_IF_ERROR(replay_(record));
    }
    return OkStatus();
  }

  FileSystem* fs_;
  const std::string& directory_;
  const std::function<uint64_t(uint64_t)>& redo_of_;
  const std::function<Status(const LogRecord&)>& replay_;
};

}  // namespace

StatusOr<ReplayedLog> ReplayLog(FileSystem* fs, const std::string& directory,
                                const std::function<uint64_t(uint64_t)>& redo_of,
                                const std::function<Status(const LogRecord&)>& replay) {
  // Syncs first: the directory entries of the segments, too, may exist only in this machine's
  // memory.
  RETURN_IF_ERROR(fs->SyncDir(directory));
  ASSIGN_OR_RETURN(LogChain chain, FindLogChain(fs, directory));
  ReplayedLog log;
  log.torn_bytes = chain.torn_bytes;
  Replayer replayer(fs, directory, redo_of, replay);
  for (size_t first = 0; first < chain.segments.size();) {
    size_t limit = first;
    uint64_t size = 0;
    do {
      size += chain.segments[limit].file_length;
      ++limit;
    } while (limit < chain.segments.size() &&
             size + chain.segments[limit].file_length <= kPartSize + kPartSize / 8);
    size_t threads = size < kThreadWorthwhile ? 1 : kThreadsMax;
    Segments part(chain.segments.data() + first, limit - first);
    RETURN_IF_ERROR(replayer.ReplayPart(part, threads, &log));
    first = limit;
  }
  log.unused.insert(log.unused.end(), chain.unused.begin(), chain.unused.end());
  return log;
}

StatusOr<uint64_t> WriteSegmentAgain(FileSystem* fs, const std::string& directory,
                                     const SegmentHeader& header,
                                     const std::vector<std::string>& bodies,
                                     LogSegments::TabletSequences* sequences) {
  for (const std::string& body : bodies) {
    ASSIGN_OR_RETURN(LogRecordHead head, DecodeLogHead(body));
    (*sequences)[head.tablet_id] = head.first_sequence + head.entry_count - 1;
  }
  const std::string file = WholeSegment(header, bodies);
  RETURN_IF_ERROR(ReplaceFile(fs, directory + "/" + SegmentFileName(header.id), file));
  return file.size();
}

}  // namespace sippar::engine
