// Finds the key of a long name (a head and a hash, name_codec.h). Reads a few keys or none if the
// index knows the name, else (only in a table) the keys after the key found last, else all keys
// that begin with the head. Adds the keys that it reads to the index. Used by fuse/directories;
// fuse/tree uses LongNameScope.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "fuse/tree/long_names.h"
#include "fuse/tree/reads.h"
#include "fuse/tree/tree_context.h"

namespace sippar::fuse {

// A directory whose names encode keys: the rows of a table, or the qualifiers of one family of one
// row.
struct LongNameScope {
  ReadView view;
  uint64_t table_id = 0;
  bool is_qualifier = false;
  std::string row;     // set if is_qualifier
  std::string family;  // set if is_qualifier

  std::string Key() const;  // identifies the directory in the index, whatever the as_of time
  // Number of keys per run of the index (long_names.h). A read can start at any row, but the
  // qualifiers of a row are always read from the first one, so each qualifier needs its own run.
  size_t run_keys() const;
};

// Errors: kNotFound; kDeadlineExceeded if there are too many keys for one call (the next search for
// the name of a row continues after them, that for the name of a qualifier begins anew); kDataLoss
// if two keys have this head and hash; and those of DataApi::Read.
[[nodiscard]] StatusOr<std::string> FindLongName(cluster::DataApi* data, const NameCodec& codec,
                                                 LongNames* names, const LongNameScope& scope,
                                                 std::string_view name, const DecodedName& decoded,
                                                 const cluster::CallOptions& call);

// A key and its canonical name.
struct NamedKey {
  std::string key;
  std::string canonical;
};
// The key that any name in the directory stands for; a long one is searched. kNotFound: the name
// encodes no key. A short name is decoded and not looked for.
[[nodiscard]] StatusOr<NamedKey> KeyOfName(TreeContext* context, const LongNameScope& scope,
                                           std::string_view name, const cluster::CallOptions& call);

}  // namespace sippar::fuse
