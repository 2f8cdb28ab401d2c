// SPDX-License-Identifier: Apache-2.0
#include "fuse/tree/long_name_search.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/base/coding.h"
#include "engine/base/printable.h"
#include "fuse/tree/entries.h"
#include "fuse/tree/tree_limits.h"

namespace sippar::fuse {
namespace {

using Call = cluster::CallOptions;

class Search {
 public:
  Search(cluster::DataApi* data, const NameCodec& codec, LongNames* names,
         const LongNameScope& scope, std::string_view name, const DecodedName& decoded)
      : data_(data),
        codec_(codec),
        names_(names),
        scope_(scope),
        scope_key_(scope.Key()),
        name_(name),
        decoded_(decoded) {}

  StatusOr<std::string> Run(const Call& call) {
    // The cheapest steps come first: names that an earlier search read, the index, the keys after
    // the last key found (only rows: a read of qualifiers always starts at the first one), all
    // keys. Programs such as find and tar ask for names in order, so the third step usually finds
    // the key.
    if (std::optional<std::string> key = names_->Recall(scope_key_, name_)) return *std::move(key);
    RETURN_IF_ERROR(TryIndex(call));
    if (!found_.has_value() && !scope_.is_qualifier) {
      std::optional<std::string> last = names_->LastFound(scope_key_, name_);
      if (last.has_value()) RETURN_IF_ERROR(Scan({*last, ""}, Until::kFound, call));
    }
    if (!found_.has_value()) RETURN_IF_ERROR(TryAll(call));
    // Stored even if the key was not found, because the caller will ask for these names next.
    for (const auto& [name, key] : met_) names_->Remember(scope_key_, name, key);
    if (!found_.has_value())
      return NotFound(fmt::format("table {}: no {} has the file name {}", scope_.view.table,
                                  KindOfKey(), name_));
    names_->NoteFound(scope_key_, name_, *found_);
    return *std::move(found_);
  }

 private:
  std::string_view KindOfKey() const { return scope_.is_qualifier ? "column" : "row"; }

  Status TryIndex(const Call& call) {
    for (const engine::RowRange& run : names_->Find(scope_key_, name_)) {
      RETURN_IF_ERROR(scope_.is_qualifier ? Look(run.start) : Scan(run, Until::kNear, call));
    }
    return OkStatus();
  }

  // Reads rows from the place where the last search ran out of time to the end, then from the start
  // to that place; qualifiers from the start. Reads all keys even after the key was found, to
  // detect a second key with this name and to fill the index; if time runs out then, the key that
  // was found is enough.
  Status TryAll(const Call& call) {
    std::string start = scope_.is_qualifier ? "" : names_->Progress(scope_key_, name_);
    Status status = Scan({start, ""}, Until::kEnd, call);
    if (status.ok() && !start.empty()) status = Scan({"", start}, Until::kEnd, call);
    bool is_cut = status.code() == StatusCode::kDeadlineExceeded;
    const bool is_unfinished = is_cut && !found_.has_value();
    if (!scope_.is_qualifier) {
      names_->NoteProgress(scope_key_, name_, is_unfinished ? at_ : std::string());
    }
    if (!is_cut) return status;
    if (found_.has_value()) return OkStatus();
    return DeadlineExceeded(fmt::format(
        "table {}: too many {} begin like the long name {} to read all of them in time; {}",
        scope_.view.table, scope_.is_qualifier ? "columns" : "keys", name_,
        scope_.is_qualifier ? "mount with a longer --timeout"
                            : "the next lookup of this name continues after those that were read"));
  }

  // Where a scan ends: at the end of its range (kEnd), after some keys (kNear), or at the wanted
  // key (kFound). kNear and kFound end after kLongNameNearKeys keys at the latest.
  enum class Until { kEnd, kNear, kFound };

  // Examines the keys of `part` that begin with the head of the name.
  Status Scan(const engine::RowRange& part, Until until, const Call& call) {
    cluster::ReadSpec spec = RowSpec(scope_.view, scope_.row);
    spec.strip_values = true;
    if (scope_.is_qualifier) {
      spec.columns.push_back(
          {engine::NamePattern::Exact(scope_.family), engine::NamePattern::Prefix(decoded_.key)});
    } else {
      engine::RowRange range = engine::RowRange::Prefix(decoded_.key);
      spec.rows = engine::RowSet(engine::Intersect(range, part));
      spec.keys_only = true;
    }
    ASSIGN_OR_RETURN(auto stream, data_->Read(scope_.view.table, spec, call));
    for (uint64_t keys = 0; stream->Valid(); stream->Next()) {
      const cluster::CellView& cell = stream->cell();
      RETURN_IF_ERROR(Look(scope_.is_qualifier ? cell.qualifier : cell.row));
      // Only short scans are remembered: their keys are near the wanted key, so the caller will ask
      // for them next. A scan of all keys would remember too many.
      if (until != Until::kEnd) met_.emplace_back(encoded_, at_);
      if (until != Until::kEnd && ++keys >= kLongNameNearKeys) return OkStatus();
      if (until == Until::kFound && found_.has_value()) return OkStatus();
    }
    return stream->status();
  }

  Status Look(std::string_view key) {
    at_.assign(key);
    codec_.Encode(key, &encoded_);
    // A key with a short name cannot be the wanted key.
    if (encoded_.find("%~") == std::string::npos) return OkStatus();
    names_->Note(scope_key_, encoded_, key, scope_.run_keys());
    // Scan reads only keys that begin with the head of the name, so a key whose hash is also equal
    // has this name.
    if (!std::string_view(encoded_).ends_with(decoded_.hash)) return OkStatus();
    if (found_.has_value() && *found_ != key) return TwoKeys(*found_, key);
    found_.emplace(key);
    return OkStatus();
  }

  // Two keys with one name have long beginnings in common, so they are shown from the first byte in
  // which they differ.
  Status TwoKeys(std::string_view one, std::string_view other) const {
    constexpr size_t kShownMax = 80;
    const auto differ = std::mismatch(one.begin(), one.end(), other.begin(), other.end());
    const auto at = static_cast<size_t>(differ.first - one.begin());
    return DataLoss(fmt::format(
        "table {}: two {}s have the same file name {} (from byte {} on: '{}' and '{}'); read them "
        "with `sippar query`",
        scope_.view.table, KindOfKey(), name_, at,
        engine::PrintableBytes(one.substr(at, kShownMax)),
        engine::PrintableBytes(other.substr(at, kShownMax))));
  }

  cluster::DataApi* const data_;
  const NameCodec& codec_;
  LongNames* const names_;
  const LongNameScope& scope_;
  const std::string scope_key_;
  const std::string_view name_;
  const DecodedName& decoded_;
  std::optional<std::string> found_;
  std::vector<std::pair<std::string, std::string>> met_;  // names and keys that short scans read
  std::string at_;                                        // the last key read
  std::string encoded_;
};

}  // namespace

std::string LongNameScope::Key() const {
  // Leaves out view.as_of, because a key has the same name at every time.
  std::string key;
  engine::PutVarint(&key, table_id);
  if (!is_qualifier) return key;
  engine::PutBytes(&key, row);
  engine::PutBytes(&key, family);
  return key;
}

size_t LongNameScope::run_keys() const { return is_qualifier ? 1 : kLongNameRunKeys; }

StatusOr<std::string> FindLongName(cluster::DataApi* data, const NameCodec& codec, LongNames* names,
                                   const LongNameScope& scope, std::string_view name,
                                   const DecodedName& decoded, const cluster::CallOptions& call) {
  return Search(data, codec, names, scope, name, decoded).Run(call);
}

StatusOr<NamedKey> KeyOfName(TreeContext* context, const LongNameScope& scope,
                             std::string_view name, const cluster::CallOptions& call) {
  const NameCodec& codec = context->codec;
  std::optional<DecodedName> decoded = codec.Decode(name);
  if (!decoded.has_value()) return NoSuchName(name);
  if (decoded->is_long) {
    ASSIGN_OR_RETURN(std::string key, FindLongName(context->data, codec, &context->long_names,
                                                   scope, name, *decoded, call));
    std::string canonical = codec.Encode(key);
    return NamedKey{std::move(key), std::move(canonical)};
  }
  std::string canonical = decoded->is_canonical ? std::string(name) : codec.Encode(decoded->key);
  return NamedKey{std::move(decoded->key), std::move(canonical)};
}

}  // namespace sippar::fuse
