// Finding the segments that count. SPDX-License-Identifier: Apache-2.0
#include "engine/log/log_chain.h"

#include <algorithm>
#include <iterator>
#include <map>

#include "engine/log/log_reader.h"
#include "engine/log/log_writer.h"

namespace sippar::engine {
namespace {

using FoundSegments = std::map<SegmentId, SegmentContent>;

// The newest segment, while it is a header and nothing else: as if it had never been made. It would
// cut its predecessor's last group off and, being unused, be removed; at the next start that group
// would be back. Gives the last such header.
StatusOr<SegmentHeader> LeaveOutHeaders(FileSystem* fs, const std::string& directory,
                                        FoundSegments* found, LogChain* chain) {
  SegmentHeader left_out;
  while (!found->empty()) {
    auto newest = std::prev(found->end());
    bool held_records =
        newest->first == left_out.previous && left_out.previous_length > SegmentHeaderSize();
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
  ASSIGN_OR_RETURN(std::vector<std::string> names, fs->List(directory));
  LogChain chain;
  FoundSegments found;
  for (const std::string& name : names) {
    SegmentId id = ParseSegmentFileName(name);
    if (name.ends_with(".log.tmp"))
      chain.unused.push_back(name);  // WriteSegmentAgain was cut short
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
  ASSIGN_OR_RETURN(SegmentHeader left_out, LeaveOutHeaders(fs, directory, &found, &chain));
  if (found.empty()) return chain;
  SegmentId id = found.rbegin()->first;
  uint64_t accepted_length = UINT64_MAX;
  for (auto at = found.find(id); at != found.end(); at = found.find(id)) {
    chain.segments.push_back({id, accepted_length, at->second.file_length});
    accepted_length = at->second.header.previous_length;
    id = at->second.header.previous;
    found.erase(at);
  }
  for (const auto& [off_chain, content] : found) {
    chain.unused.push_back(SegmentFileName(off_chain));
  }
  LogChain::Segment& newest = chain.segments.front();
  if (newest.id == left_out.previous) newest.synced_length = left_out.previous_length;
  std::reverse(chain.segments.begin(), chain.segments.end());
  return chain;
}

}  // namespace sippar::engine
