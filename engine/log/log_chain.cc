// SPDX-License-Identifier: Apache-2.0
#include "engine/log/log_chain.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>

#include "engine/log/log_reach.h"
#include "engine/log/log_reader.h"
#include "engine/log/log_writer.h"

namespace sippar::engine {
namespace {

using FoundSegments = std::map<SegmentId, SegmentContent>;

Status Lost(const std::string& directory, SegmentId id, std::string_view problem,
            std::string_view why) {
  return DataLoss(fmt::format("log segment {}/{}: {} ({}); put it back from a copy", directory,
                              SegmentFileName(id), problem, why));
}

// No header names the newest segment, so only REACH shows that it is missing.
Status CheckNewest(const std::string& directory, const LogReach& reach, const FoundSegments& found,
                   const std::vector<std::string>& names) {
  if (!reach.NeedsLast() || found.contains(reach.last)) return OkStatus();
  bool is_there = std::find(names.begin(), names.end(), SegmentFileName(reach.last)) != names.end();
  return Lost(directory, reach.last, is_there ? "has no header" : "is missing",
              fmt::format("{} bytes of it were synced", reach.length));
}

// Called when the segment `id`, which the header of `next` names as its predecessor, is missing: it
// is lost unless it was trimmed.
Status CheckTrimmed(const std::string& directory, SegmentId id, SegmentId next,
                    const std::optional<LogReach>& reach, const FoundSegments& rest) {
  if (id == SegmentId{}) return OkStatus();  // `next` is the first segment of the log
  // Without REACH, only an older segment that still exists shows that this one was not trimmed,
  // because segments are removed oldest first.
  bool has_older = !rest.empty() && rest.begin()->first < id;
  bool is_needed = reach ? id >= reach->first : has_older;
  if (!is_needed) return OkStatus();
  return Lost(
      directory, id, "is missing",
      fmt::format("{} continues it, and its records are still needed", SegmentFileName(next)));
}

// Leaves out the newest segment while it has a header but no record, as if it had never been
// created. Its header cuts off the last group of its predecessor. If this start obeyed the header
// and then removed the segment as unused, the next start would replay that group. Returns the
// header of the segment left out last.
StatusOr<SegmentHeader> LeaveOutHeaders(FileSystem* fs, const std::string& directory,
                                        const std::optional<LogReach>& reach, FoundSegments* found,
                                        LogChain* chain) {
  SegmentHeader left_out;
  while (!found->empty()) {
    auto newest = std::prev(found->end());
    bool held_records =
        (newest->first == left_out.previous && left_out.previous_length > SegmentHeaderSize()) ||
        (reach && newest->first == reach->last && reach->NeedsLast());
    if (held_records) break;
    std::string name = SegmentFileName(newest->first);
    ASSIGN_OR_RETURN(bool holds, ReadStubbornly([&] {
                       return HoldsRecords(fs, directory + "/" + name, newest->first,
                                           &chain->torn_bytes);
                     }));
    if (holds) break;
    left_out = newest->second.header;
    chain->unused.push_back(name);
    found->erase(newest);
  }
  return left_out;
}

}  // namespace

StatusOr<LogChain> FindLogChain(FileSystem* fs, const std::string& directory) {
  // Reads REACH before it lists the directory: every segment that REACH names exists by then.
  ASSIGN_OR_RETURN(std::optional<LogReach> reach,
                   ReadStubbornly([&] { return ReadLogReach(fs, directory); }));
  ASSIGN_OR_RETURN(std::vector<std::string> names, fs->List(directory));
  LogChain chain;
  FoundSegments found;
  for (const std::string& name : names) {
    SegmentId id = ParseSegmentFileName(name);
    if (name.ends_with(".log.tmp"))
      chain.unused.push_back(name);  // a crash cut WriteSegmentAgain short
    if (id == SegmentId{}) continue;
    ASSIGN_OR_RETURN(SegmentContent content, ReadStubbornly([&] {
                       return ReadSegmentHeader(fs, directory + "/" + name, id);
                     }));
    if (content.empty) {
      chain.unused.push_back(name);
    } else {
      found[id] = content;
    }
  }
  if (reach) RETURN_IF_ERROR(CheckNewest(directory, *reach, found, names));
  ASSIGN_OR_RETURN(SegmentHeader left_out, LeaveOutHeaders(fs, directory, reach, &found, &chain));
  if (found.empty()) return chain;
  SegmentId id = found.rbegin()->first;
  uint64_t accepted_length = UINT64_MAX;
  for (auto at = found.find(id); at != found.end(); at = found.find(id)) {
    LogChain::Segment segment{id, accepted_length, at->second.file_length};
    // A later start may have begun the next segment while REACH still named this one. The next
    // segment's header then says how much of this segment counts; the next segment repeats the
    // rest.
    if (reach && id == reach->last) {
      segment.reached_length = std::min(reach->length, accepted_length);
    }
    chain.segments.push_back(segment);
    accepted_length = at->second.header.previous_length;
    id = at->second.header.previous;
    found.erase(at);
  }
  RETURN_IF_ERROR(CheckTrimmed(directory, id, chain.segments.back().id, reach, found));
  for (const auto& [off_chain, content] : found) {
    chain.unused.push_back(SegmentFileName(off_chain));
  }
  LogChain::Segment& newest = chain.segments.front();
  if (newest.id == left_out.previous) newest.synced_length = left_out.previous_length;
  std::reverse(chain.segments.begin(), chain.segments.end());
  return chain;
}

}  // namespace sippar::engine
