// The writes of the kill walk, and the content that must result. Each call is a pure function of
// seed, life, thread and number, so a journal of numbers is enough to repeat it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "engine/base/random.h"
#include "tests/support/reference_table.h"

namespace sippar::engine {

// A change that a kill leaves done completely or not at all.
struct WalkAtom {
  enum Kind : uint8_t { kWrite, kCreateTable, kDropTable, kAddFamily, kDropFamily };
  Kind kind = kWrite;
  std::string table;     // set for kWrite
  RowMutation mutation;  // set for kWrite
};

// One call of one thread; a batch has several atoms, of different rows. The kind is
//   w  a writer's mutations of its own rows of "t"
//   x  the script's mutations of family "x", whose rows no other thread writes
//   u  the script's mutations of table "u"
//   + - create and drop "u";  < > drop family "x" from "t" and add it again
struct WalkCall {
  uint64_t life = 0;
  uint64_t thread = 0;
  uint64_t number = 0;
  char kind = 'w';
};
std::vector<WalkAtom> AtomsOf(uint64_t seed, const WalkCall& call);

inline constexpr uint64_t kScriptThread = 0;  // thread number of the script; writers count from 1
TableSchema WalkSchema(uint64_t seed);        // schema of "t", with "x"
TableSchema ExtraSchema();                    // schema of "u"
std::string WalkRow(Random* random, uint64_t thread);

// For each row, family and table that may change: its key and its content.
using WalkContent = std::map<std::string, std::string>;
void AddToContent(const std::string& table, Cell cell, WalkContent* content);

class WalkModel {
 public:
  explicit WalkModel(uint64_t seed) : main_(WalkSchema(seed)), extra_(ExtraSchema()) {}

  void Apply(const WalkAtom& atom);
  WalkContent Content() const;
  bool has_family() const { return has_family_; }
  bool has_table() const { return has_table_; }

 private:
  ReferenceTable main_;
  ReferenceTable extra_;
  std::set<std::string> family_rows_;  // rows that may have cells of "x"
  bool has_family_ = true;
  bool has_table_ = false;
};

}  // namespace sippar::engine
