// Deliberate mistakes that the simulator switches on by name, to measure whether and how soon it
// finds them. They can be switched on only in code that is compiled with SIPPAR_SEEDED_BUGS;
// elsewhere SEEDED_BUG is the constant false. tests/sim/CMakeLists.txt compiles the sources that
// use SEEDED_BUG a second time, with SIPPAR_SEEDED_BUGS, only for sippar_sim. At most one bug is on
// at a time.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace sippar::engine {

// A mistake: its name for the command line and SEEDED_BUG, and what goes wrong.
struct SeededBug {
  std::string_view name;
  std::string_view what;
};

inline constexpr std::array kSeededBugs = {
    SeededBug{"no-directory-sync", "a new log segment's directory entry is not synced"},
    SeededBug{"tombstone-dropped-early", "a merging compaction drops deletes as a major one may"},
    SeededBug{"redo-point-too-high", "a flush counts what was written meanwhile as flushed"},
    SeededBug{"memtable-visible-before-sync", "readers see a write before its log is synced"},
    SeededBug{"filter-false-negative", "the Bloom filter lacks one key in 16"},
    SeededBug{"split-key-off-by-one", "the right half of a split lacks its first row"},
    SeededBug{"lost-unload-believed", "the master takes a lost answer to an unload for an OK"},
    SeededBug{
        "gc-without-second-scan",
        "the sweep removes files that one scan, which reads no hole again, did not find, without "
        "asking the servers"},
    SeededBug{"timestamp-not-monotonic", "a server's time follows its clock backwards"},
    SeededBug{"check-before-sync", "a log's fence is asked before the sync instead of after it"},
    SeededBug{"no-check",
              "a synced group is acknowledged even if another server owns the log by then"},
    SeededBug{"seal-ignored",
              "the replay of a dead server's log reads past the length in its SEAL"},
    SeededBug{"no-seal",
              "no SEAL is written: each reader of a log decides by itself which records count"},
    SeededBug{"epoch-reuse",
              "the lock service gives out numbers that are not yet reserved on disk"},
};

class SeededBugs {
 public:
  // The index of the bug in kSeededBugs; -1 for an unknown name.
  static constexpr int Find(std::string_view name) {
    for (size_t i = 0; i < kSeededBugs.size(); ++i) {
      if (kSeededBugs[i].name == name) return static_cast<int>(i);
    }
    return -1;
  }
  // Like Find, but a name that is not in the list does not compile.
  static consteval int Known(std::string_view name) {
    if (Find(name) < 0) throw "not in kSeededBugs";
    return Find(name);
  }
#ifdef SIPPAR_SEEDED_BUGS
  // Takes an index from Find; -1 switches all bugs off. Must be called before any thread starts.
  static void SwitchOn(int bug) { on_ = bug; }
  static bool IsOn(int bug) { return on_ == bug; }

 private:
  static inline int on_ = -1;
#else
  static constexpr bool IsOn(int) { return false; }
#endif
};

}  // namespace sippar::engine

#define SEEDED_BUG(name) \
  ::sippar::engine::SeededBugs::IsOn(::sippar::engine::SeededBugs::Known(name))
