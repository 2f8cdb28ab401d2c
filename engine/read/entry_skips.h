// Moves the input of a VisibilityIterator past entries that its caller does not want, by a few
// steps and, if these do not get there, by a seek. Not thread safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "engine/model/cell_iterator.h"
#include "engine/read/entry_place.h"

namespace sippar::engine {

class EntrySkips {
 public:
  explicit EntrySkips(EntryIterator* input) : input_(input) {}

  // Moves past the keys that begin with `part`, a row part or column part.
  void PastPart(std::string_view part);
  void PastFamily(const EntryPlace& place);
  // Moves to the family's first column with a qualifier >= `qualifier`, or after the family.
  void ToQualifier(const EntryPlace& place, std::string_view qualifier);

 private:
  EntryIterator* const input_;
  // The key of the last seek. A member, so that the next seek reuses its memory.
  std::string seek_key_;
};

}  // namespace sippar::engine
