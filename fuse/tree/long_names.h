// Where the keys of long names (name_codec.h) are: an index filled by listings and scans, so that a
// name is found by reading a few keys, however many share its head. Bounded in memory: what does
// not fit is found by long_name_search. Thread safe. SPDX-License-Identifier: Apache-2.0
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

  // A listing or a scan of the directory `scope` (LongNameScope::Key) is at `key`. A run of about
  // `run_keys` neighbours is one place of the index.
  void Note(const std::string& scope, std::string_view name, std::string_view key, size_t run_keys)
      EXCLUDES(mutex_);
  // The runs in which the name's key may be; as a rule none or one. An open limit: the last run.
  std::vector<engine::RowRange> Find(const std::string& scope, std::string_view name)
      EXCLUDES(mutex_);

  // Keys that a search met beside its own: whoever visits a directory asks for them next.
  void Remember(const std::string& scope, std::string_view name, std::string_view key)
      EXCLUDES(mutex_);
  std::optional<std::string> Recall(const std::string& scope, std::string_view name)
      EXCLUDES(mutex_);

  // Where the last search in the names of this head ended well: whoever visits a directory in its
  // order wants the next keys.
  void NoteFound(const std::string& scope, std::string_view name, std::string_view key)
      EXCLUDES(mutex_);
  std::optional<std::string> LastFound(const std::string& scope, std::string_view name)
      EXCLUDES(mutex_);
  // Where a search for this very name ran out of time; "" forgets it.
  void NoteProgress(const std::string& scope, std::string_view name, std::string_view key)
      EXCLUDES(mutex_);
  std::string Progress(const std::string& scope, std::string_view name) EXCLUDES(mutex_);

  size_t size_bytes() EXCLUDES(mutex_);

 private:
  // Half of the hash in the name, in two parts so that an entry has 12 bytes.
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
  // The names of one directory with one head.
  struct Group {
    std::map<std::string, Run, std::less<>> runs;  // by their first keys
    std::vector<const std::string*> first_keys;    // of the runs, by index
    std::vector<Entry> entries;                    // the first `sorted` in order, the rest as noted
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
  std::unordered_map<std::string, std::string> recent_ GUARDED_BY(mutex_);  // by scope and name
  size_t recent_bytes_ GUARDED_BY(mutex_) = 0;
};

}  // namespace sippar::fuse
