// What the lives of the kill walk write, and what must be there: each call is a pure function of
// seed, life, thread and number, so a journal of numbers is enough to know it again.
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

// What a kill leaves whole or not at all.
struct WalkAtom {
  enum Kind : uint8_t { kWrite, kCreateTable, kDropTable, kAddFamily, kDropFamily };
  Kind kind = kWrite;
  std::string table;     // of kWrite
  RowMutation mutation;  // of kWrite
};

// One call of one thread; a batch has several atoms, of different rows. The kind is
//   w  a writer's mutations of its own rows of "t"
//   x  the script's of family "x", whose rows nobody else writes
//   u  the script's of table "u"
//   + - create and drop "u";  < > drop family "x" from "t" and add it again
struct WalkCall {
  uint64_t life = 0;
  uint64_t thread = 0;
  uint64_t number = 0;
  char kind = 'w';
};
std::vector<WalkAtom> AtomsOf(uint64_t seed, const WalkCall& call);

inline constexpr uint64_t kScriptThread = 0;  // writers count from 1
TableSchema WalkSchema(uint64_t seed);        // of "t", with "x"
TableSchema ExtraSchema();                    // of "u"
std::string WalkRow(Random* random, uint64_t thread);

// A line for each row, family and table that may change: key -> what it holds.
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
  std::set<std::string> family_rows_;  // that may hold cells of "x"
  bool has_family_ = true;
  bool has_table_ = false;
};

}  // namespace sippar::engine
