// Which key a long name (name_codec.h) stands for: first what was handed out lately, then a bounded
// scan of the keys that begin with the name's head. Used by tree_view. Thread safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <list>
#include <optional>
#include <string>
#include <unordered_map>

#include "engine/base/thread.h"
#include "fuse/tree/name_codec.h"
#include "fuse/tree/reads.h"

namespace sippar::fuse {

// Keys by long name, least recently used first out; bounded in number and bytes.
class LongNames {
 public:
  void Remember(std::string_view name, std::string_view key) EXCLUDES(mutex_);
  std::optional<std::string> Find(std::string_view name) EXCLUDES(mutex_);

 private:
  using Item = std::pair<std::string, std::string>;

  engine::Mutex mutex_;
  std::list<Item> items_ GUARDED_BY(mutex_);
  std::unordered_map<std::string_view, std::list<Item>::iterator> by_name_ GUARDED_BY(mutex_);
  size_t size_bytes_ GUARDED_BY(mutex_) = 0;
};

// Where a scan looks: the rows of a table, or the qualifiers of one family of one row.
struct LongNameScope {
  ReadView view;
  bool is_qualifier = false;
  std::string row;     // is_qualifier
  std::string family;  // is_qualifier
};

// The key by scanning. kNotFound; kDeadlineExceeded after kLongNameScanMax keys; kDataLoss when
// two keys have this head and hash.
[[nodiscard]] StatusOr<std::string> ScanForLongName(cluster::DataApi* data, const NameCodec& codec,
                                                    const LongNameScope& scope,
                                                    const DecodedName& decoded,
                                                    const cluster::CallOptions& call);

}  // namespace sippar::fuse
