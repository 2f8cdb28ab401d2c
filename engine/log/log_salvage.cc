// SPDX-License-Identifier: Apache-2.0
#include "engine/log/log_salvage.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <optional>
#include <set>

#include "engine/base/printable.h"
#include "engine/log/log_reach.h"
#include "engine/log/log_reader.h"
#include "engine/log/log_writer.h"

namespace sippar::engine {
namespace {

struct ChainLink {
  SegmentId id;
  uint64_t accepted_length = UINT64_MAX;
  uint64_t reached_length = 0;
};

class Salvager {
 public:
  Salvager(FileSystem* fs, const std::string& directory,
           const std::function<std::optional<uint64_t>(uint64_t)>& redo_of,
           const std::function<void(std::string_view)>& print)
      : fs_(fs), directory_(directory), redo_of_(redo_of), print_(print) {}

  StatusOr<SalvagedLog> Run() {
    ASSIGN_OR_RETURN(std::vector<ChainLink> chain, FindChain());
    for (const ChainLink& link : chain) RETURN_IF_ERROR(ReadSegmentOf(link));
    return std::move(log_);
  }

 private:
  std::string PathOf(SegmentId id) const { return directory_ + "/" + SegmentFileName(id); }

  void Damage(SegmentId id, std::string_view what) {
    ++log_.damages;
    print_(fmt::format("{}: {}", PathOf(id), what));
  }

  // Like FindLogChain, but if a segment is missing or its header is damaged, the next older segment
  // counts as its predecessor. A newest segment with a header but no record is not left out.
  StatusOr<std::vector<ChainLink>> FindChain() {
    ASSIGN_OR_RETURN(std::vector<std::string> names, fs_->List(directory_));
    ASSIGN_OR_RETURN(reach_, ReadLogReach(fs_, directory_));
    if (reach_ && reach_->NeedsLast()) {
      log_.newest = reach_->last;
      // Reports that REACH's last segment is missing even if newer segments exist, which happens
      // after a salvage that was killed before its end.
      const std::string last = SegmentFileName(reach_->last);
      if (std::find(names.begin(), names.end(), last) == names.end()) Missing(reach_->last);
    }
    std::vector<ChainLink> chain;
    std::optional<ChainLink> wanted;
    for (auto name = names.rbegin(); name != names.rend(); ++name) {
      SegmentId id = ParseSegmentFileName(*name);
      if (id == SegmentId{}) continue;
      log_.files.push_back(*name);
      log_.newest = std::max(log_.newest, id);
      RETURN_IF_ERROR(AddLink(id, &wanted, &chain));
    }
    // Without REACH it is unknown whether the segment before the oldest was trimmed. Then only a
    // gap in the sequence numbers shows a loss.
    const bool has_older = wanted.has_value() && wanted->id != SegmentId{};
    if (has_older && reach_ && wanted->id >= reach_->first) Missing(wanted->id);
    std::reverse(chain.begin(), chain.end());
    return chain;
  }

  // Adds the segment `id` to `chain`, which holds newer ones. Before the call, *wanted is
  // the predecessor that the segment added last names; after it, the one that `id` names.
  Status AddLink(SegmentId id, std::optional<ChainLink>* wanted, std::vector<ChainLink>* chain) {
    if (wanted->has_value() && id < (*wanted)->id) {
      Missing((*wanted)->id);
      wanted->reset();
    }
    // The newer segment names another predecessor: this segment was given up and is not part of the
    // chain.
    if (wanted->has_value() && (*wanted)->id != id) return OkStatus();
    auto head = ReadSegmentHeader(fs_, PathOf(id), id);
    if (!head.ok() && head.status().code() != StatusCode::kDataLoss) return head.status();
    const bool has_reached = reach_ && reach_->NeedsLast() && id == reach_->last;
    if (head.ok() && head->empty) {
      if (has_reached) Damage(id, "@0 is not a segment header");
      return OkStatus();
    }
    chain->push_back({id, wanted->has_value() ? (*wanted)->accepted_length : UINT64_MAX,
                      has_reached ? reach_->length : 0});
    wanted->reset();
    if (head.ok()) *wanted = {head->header.previous, head->header.previous_length};
    return OkStatus();
  }

  void Missing(SegmentId id) {
    if (missing_.insert(id).second) Damage(id, "is missing");
  }

  Status ReadSegmentOf(const ChainLink& link) {
    ASSIGN_OR_RETURN(std::string file, ReadFile(fs_, PathOf(link.id)));
    uint64_t seed = SegmentSeed(link.id);
    const uint64_t damages = log_.damages;
    uint64_t end = 0;  // end of the last whole record
    for (uint64_t at = 0; at < std::min<uint64_t>(file.size(), link.accepted_length);) {
      LogFrame frame = LogFrameAt(file, 0, at, seed);
      if (frame.valid) {
        if (at > 0 && !frame.body.empty()) RETURN_IF_ERROR(Keep(link.id, at, frame.body));
        at += frame.size();
        end = at;
        continue;
      }
      uint64_t next = NextRecord(file, at + 1, seed);
      bool is_torn_tail = next == file.size() && link.accepted_length == UINT64_MAX;
      if (!is_torn_tail) Damage(link.id, fmt::format("@{} to @{} is damaged", at, next));
      at = next;
    }
    const uint64_t synced =
        link.accepted_length == UINT64_MAX ? link.reached_length : link.accepted_length;
    if (end < synced && damages == log_.damages) {
      Damage(link.id, fmt::format("@{} is the end of the whole records, but {} bytes were synced",
                                  end, synced));
    }
    return OkStatus();
  }

  // The offset of the next whole record from `at` on, or the end of the file.
  static uint64_t NextRecord(std::string_view file, uint64_t at, uint64_t seed) {
    char magic[4];
    std::memcpy(magic, &kLogMagic, 4);
    while ((at = file.find(std::string_view(magic, 4), at)) != std::string_view::npos) {
      if (LogFrameAt(file, 0, at, seed).valid) return at;
      ++at;
    }
    return file.size();
  }

  Status Keep(SegmentId id, uint64_t offset, std::string_view body) {
    auto decoded = DecodeLogHead(body);
    if (!decoded.ok()) {
      return Annotate(decoded.status(), fmt::format("log segment {} @{}", PathOf(id), offset));
    }
    const LogRecordHead head = *decoded;
    std::optional<uint64_t> redo = redo_of_(head.tablet_id);
    if (redo == UINT64_MAX) return OkStatus();  // the tablet is gone
    uint64_t first = redo.has_value() ? *redo + 1 : head.first_sequence;
    uint64_t& next = next_.try_emplace(head.tablet_id, first).first->second;
    uint64_t limit = head.first_sequence + head.entry_count;
    if (limit <= next) return OkStatus();
    if (head.first_sequence <= next) {
      next = limit;
      log_.bodies.emplace_back(body);
      return OkStatus();
    }
    ++log_.records_dropped;
    auto record = DecodeLogBody(body);
    if (!record.ok()) {
      return Annotate(record.status(), fmt::format("log segment {} @{}", PathOf(id), offset));
    }
    print_(
        fmt::format("{} @{}: dropped: tablet {} sequence {}, row {}: the sequences from {} on "
                    "are lost",
                    PathOf(id), offset, head.tablet_id, head.first_sequence,
                    PrintableBytes(record->mutation.row), next));
    return OkStatus();
  }

  FileSystem* fs_;
  const std::string& directory_;
  const std::function<std::optional<uint64_t>(uint64_t)>& redo_of_;
  const std::function<void(std::string_view)>& print_;
  std::map<uint64_t, uint64_t> next_;  // the next expected sequence number of each tablet
  std::set<SegmentId> missing_;        // missing segments that were reported
  std::optional<LogReach> reach_;      // the content of REACH as it was found
  SalvagedLog log_;
};

}  // namespace

StatusOr<SalvagedLog> ReadDamagedLog(
    FileSystem* fs, const std::string& directory,
    const std::function<std::optional<uint64_t>(uint64_t)>& redo_of,
    const std::function<void(std::string_view)>& print) {
  return Salvager(fs, directory, redo_of, print).Run();
}

}  // namespace sippar::engine
