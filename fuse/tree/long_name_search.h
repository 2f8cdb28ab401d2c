// The key of a long name that no other way says: a few keys read where the index has it, the next
// keys in order, or all keys with its head. Used by tree_view; fills the index for it and for
// listings. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "fuse/tree/long_names.h"
#include "fuse/tree/reads.h"

namespace sippar::fuse {

// A directory of keys: the rows of a table, or the qualifiers of one family of one row.
struct LongNameScope {
  ReadView view;
  uint64_t table_id = 0;
  bool is_qualifier = false;
  std::string row;     // is_qualifier
  std::string family;  // is_qualifier

  std::string Key() const;  // the same for every view
  // Keys in one place of the index: rows are entered at any key, the qualifiers of a row are not.
  size_t run_keys() const;
};

// kNotFound; kDeadlineExceeded when there are too many keys, and the next search for the name goes
// on there; kDataLoss when two keys have this head and hash.
[[nodiscard]] StatusOr<std::string> FindLongName(cluster::DataApi* data, const NameCodec& codec,
                                                 LongNames* names, const LongNameScope& scope,
                                                 std::string_view name, const DecodedName& decoded,
                                                 const cluster::CallOptions& call);

}  // namespace sippar::fuse
