// Long names. SPDX-License-Identifier: Apache-2.0
#include "fuse/tree/long_names.h"

#include <fmt/format.h>

#include "fuse/tree/tree_limits.h"

namespace sippar::fuse {

void LongNames::Remember(std::string_view name, std::string_view key) {
  engine::MutexLock lock(&mutex_);
  auto found = by_name_.find(name);
  if (found != by_name_.end()) {
    items_.splice(items_.begin(), items_, found->second);
    return;
  }
  items_.emplace_front(name, key);
  by_name_.emplace(items_.front().first, items_.begin());
  size_bytes_ += name.size() + key.size();
  while (items_.size() > kLongNamesMax || size_bytes_ > kLongNamesSizeMax) {
    const Item& last = items_.back();
    size_bytes_ -= last.first.size() + last.second.size();
    by_name_.erase(last.first);
    items_.pop_back();
  }
}

std::optional<std::string> LongNames::Find(std::string_view name) {
  engine::MutexLock lock(&mutex_);
  auto found = by_name_.find(name);
  if (found == by_name_.end()) return std::nullopt;
  items_.splice(items_.begin(), items_, found->second);
  return found->second->second;
}

StatusOr<std::string> ScanForLongName(cluster::DataApi* data, const NameCodec& codec,
                                      const LongNameScope& scope, const DecodedName& decoded,
                                      const cluster::CallOptions& call) {
  cluster::ReadSpec spec = RowSpec(scope.view, scope.row);
  spec.strip_values = true;
  if (scope.is_qualifier) {
    spec.columns.push_back(
        {engine::NamePattern::Exact(scope.family), engine::NamePattern::Prefix(decoded.key)});
  } else {
    spec.rows = engine::RowSet(engine::RowRange::Prefix(decoded.key));
    spec.keys_only = true;
  }
  ASSIGN_OR_RETURN(auto stream, data->Read(scope.view.table, spec, call));
  std::optional<std::string> found;
  for (uint64_t count = 0; stream->Valid(); stream->Next()) {
    if (++count > kLongNameScanMax) {
      return DeadlineExceeded(fmt::format("more than {} keys begin like the long name {}%~{}",
                                          kLongNameScanMax, decoded.key, decoded.hash));
    }
    const cluster::CellView& cell = stream->cell();
    std::string_view key = scope.is_qualifier ? cell.qualifier : cell.row;
    if (key.size() <= decoded.key.size() || codec.Hash(key) != decoded.hash) continue;
    if (found.has_value()) {
      return DataLoss(fmt::format("two keys in table {} have the file name {}%~{}",
                                  scope.view.table, decoded.key, decoded.hash));
    }
    found.emplace(key);
  }
  RETURN_IF_ERROR(stream->status());
  if (!found.has_value()) return NotFound("no key has this long name");
  return *std::move(found);
}

}  // namespace sippar::fuse
