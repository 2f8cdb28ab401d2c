// LongNames: an index from long names (name_codec.h) to the places of their keys. Listings and
// scans fill it, so that a lookup reads only a few keys even if many keys share a head. Its memory
// is bounded; long_name_search finds names that do not fit. Thread safe. The head of a long name is
// the part before its hash; a run is a range of adjacent keys, the unit in which places are stored.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <list>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/base/thread.h"
#include "engine/model/row_set.h"
#include "fuse/tree/name_codec.h"

namespace sippar::fuse {

class LongNames {
 public:
  explicit LongNames(size_t memory_bytes) : memory_bytes_(memory_bytes) {}

  // Records that a listing or a scan of the directory `scope` (LongNameScope::Key) has read `key`.
  // A run holds about `run_keys` adjacent keys.
  void Note(const std::string& scope, std::string_view name, std::string_view key, size_t run_keys)
      EXCLUDES(mutex_);
  // The runs that may contain the name's key: usually none or one, more if hashes collide. An empty
  // limit means that the run is the last.
  std::vector<engine::RowRange> Find(const std::string& scope, std::string_view name)
      EXCLUDES(mutex_);

  // Stores `name` and its key, which a search has read near the key that it looked for: a program
  // that visits the directory asks for such names next.
  void Remember(const std::string& scope, std::string_view name, std::string_view key)
      EXCLUDES(mutex_);
  std::optional<std::string> Recall(const std::string& scope, std::string_view name)
      EXCLUDES(mutex_);

  // Stores `key`, which a search for `name` has found, as the last key found for all names with the
  // same head: a program that visits the directory in order asks for the keys after it next.
  void NoteFound(const std::string& scope, std::string_view name, std::string_view key)
      EXCLUDES(mutex_);
  std::optional<std::string> LastFound(const std::string& scope, std::string_view name)
      EXCLUDES(mutex_);
  // Stores where a search for exactly this name ran out of time; an empty key erases the record.
  void NoteProgress(const std::string& scope, std::string_view name, std::string_view key)
      EXCLUDES(mutex_);
  std::string Progress(const std::string& scope, std::string_view name) EXCLUDES(mutex_);

  size_t size_bytes() EXCLUDES(mutex_);

 private:
  // The first 64 bits of the hash in the name, as two halves: the alignment of a uint64_t member
  // would make an entry 16 bytes long instead of 12.
  struct Entry {
    uint32_t hash_high;
    uint32_t hash_low;
    uint32_t run;
    auto operator<=>(const Entry&) const = default;
  };
  struct Run {
    uint32_t index = 0;
    uint32_t keys = 0;
    size_t key_bytes = 0;
  };
  // The names of one directory that share one head.
  struct Group {
    std::map<std::string, Run, std::less<>> runs;  // key: first key of the run
    // First keys of the runs, by Run::index; point into `runs`.
    std::vector<const std::string*> first_keys;
    std::vector<Entry> entries;  // the first `sorted` entries are sorted, the others in the order
                                 // of their addition
    size_t sorted = 0;
    size_t size_bytes = 0;
    std::string last_found;
    std::list<std::string>::iterator used;
  };

  Group* FindGroup(const std::string& scope, std::string_view name, bool make) REQUIRES(mutex_);
  uint32_t RunOf(Group* group, std::string_view key, size_t run_keys) REQUIRES(mutex_);
  bool MakeRoom(const Group* group) REQUIRES(mutex_);
  static engine::RowRange RangeOf(const Group& group, uint32_t run);
  static std::vector<uint32_t> RunsOf(Group* group, const Entry& wanted);

  const size_t memory_bytes_;
  engine::Mutex mutex_;
  std::unordered_map<std::string, Group> groups_ GUARDED_BY(mutex_);
  std::list<std::string> used_ GUARDED_BY(mutex_);  // keys of groups_, most recently used first
  size_t size_bytes_ GUARDED_BY(mutex_) = 0;
  std::map<std::string, std::string> progress_ GUARDED_BY(mutex_);
  std::unordered_map<std::string, std::string> recent_ GUARDED_BY(mutex_);  // key: scope and name
  size_t recent_bytes_ GUARDED_BY(mutex_) = 0;
};

}  // namespace sippar::fuse
