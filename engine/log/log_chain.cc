// Finding the segments that count. SPDX-License-Identifier: Apache-2.0
#include "engine/log/log_chain.h"

#include <algorithm>
#include <map>

#include "engine/log/log_reader.h"
#include "engine/log/log_writer.h"

namespace sippar::engine {

StatusOr<LogChain> FindLogChain(FileSystem* fs, const std::string& directory) {
  ASSIGN_OR_RETURN(std::vector<std::string> names, fs->List(directory));
  LogChain chain;
  std::map<SegmentId, SegmentContent> found;
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
  std::reverse(chain.segments.begin(), chain.segments.end());
  return chain;
}

}  // namespace sippar::engine
