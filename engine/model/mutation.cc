// SPDX-License-Identifier: Apache-2.0
#include "engine/model/mutation.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/base/coding.h"
#include "engine/base/limits.h"
#include "engine/base/printable.h"
#include "engine/base/utf8.h"
#include "engine/model/aggregate_cell.h"

namespace sippar::engine {
namespace {

bool GoesIntoAggregate(const MutationEntry& entry) {
  return entry.kind == MutationEntry::kAdd || entry.kind == MutationEntry::kMerge;
}

// Readers take the values of a TEXT family as UTF-8. What is appended to UTF-8 must be UTF-8
// itself, so an append is checked without the value that it goes to.
Status ValidateText(const MutationEntry& entry, const FamilySchema& family) {
  if (entry.kind == MutationEntry::kIncrement) return ValidateIncrement(family);
  const bool has_value = entry.kind == MutationEntry::kSet || entry.kind == MutationEntry::kAppend;
  if (!has_value || IsUtf8(entry.value)) return OkStatus();
  return InvalidArgument(fmt::format("value of {}:{} is not UTF-8 ({}); family {} is of type TEXT",
                                     entry.family, PrintableBytes(entry.qualifier),
                                     MalformedPlace(entry.value), entry.family));
}

Status ValidateValue(const MutationEntry& entry, const FamilySchema& family) {
  if (GoesIntoAggregate(entry)) return ValidateAddition(family, entry);
  if (IsAggregate(family.type) && entry.kind != MutationEntry::kDeleteColumn &&
      entry.kind != MutationEntry::kDeleteFamily) {
    return InvalidArgument(fmt::format(
        "{}:{} cannot be set: family {} holds aggregates ({}); use AddToCell or MergeToCell",
        entry.family, entry.qualifier, entry.family, FamilyTypeName(family.type)));
  }
  if (family.type == FamilyType::kText) return ValidateText(entry, family);
  // Readers show a counter as an INT64 and increments add to it, so its value must have 8 bytes.
  bool is_counter = family.type == FamilyType::kCounter;
  if (is_counter && entry.kind == MutationEntry::kSet && entry.value.size() != 8) {
    return InvalidArgument(fmt::format(
        "value of {}:{} has {} bytes; family {} is a COUNTER and takes 8 (INT64, big-endian)",
        entry.family, entry.qualifier, entry.value.size(), entry.family));
  }
  if (is_counter && entry.kind == MutationEntry::kAppend) {
    return InvalidArgument(
        fmt::format("family {} is a COUNTER and cannot be appended to", entry.family));
  }
  return OkStatus();
}

Status ValidateEntry(const MutationEntry& entry, const TableSchema& schema) {
  if (entry.kind == MutationEntry::kDeleteRow) return OkStatus();  // an entry without a family
  const FamilySchema* family = schema.FindFamily(entry.family);
  if (family == nullptr) {
    return NotFound(fmt::format("table {} has no family '{}'", schema.name, entry.family));
  }
  RETURN_IF_ERROR(ValidateQualifier(entry.qualifier));
  // A limit of kTimeMax means no limit, so the range then includes kTimeMax itself.
  bool empty = entry.time.start_us >= entry.time.limit_us && entry.time.limit_us != kTimeMax;
  if (entry.kind == MutationEntry::kDeleteColumn && empty) {
    return InvalidArgument(fmt::format(
        "time range [{} us, {} us) of a delete in {}:{} is empty; its start must be before its end",
        entry.time.start_us, entry.time.limit_us, entry.family, entry.qualifier));
  }
  return ValidateValue(entry, *family);
}

}  // namespace

Status ValidateIncrement(const FamilySchema& family) {
  if (family.type != FamilyType::kText) return OkStatus();
  return InvalidArgument(
      fmt::format("family {} is of type TEXT and cannot be incremented: the sum would be 8 bytes, "
                  "not text; use a family of type COUNTER",
                  family.name));
}

Status ResolveOn(std::string_view newest, MutationEntry* entry) {
  if (entry->kind == MutationEntry::kAppend) {
    entry->value.insert(0, newest);
  } else {
    // Adds unsigned numbers, because a sum that exceeds INT64 must wrap around, and signed overflow
    // is undefined. A cell that does not exist counts as 0.
    uint64_t number = 0;
    if (!newest.empty()) {
      auto decoded = DecodeInt64(newest);
      if (!decoded.ok()) {
        return FailedPrecondition(
            fmt::format("cannot increment {}:{}: its value has {} bytes, an INT64 has 8",
                        entry->family, entry->qualifier, newest.size()));
      }
      number = static_cast<uint64_t>(*decoded);
    }
    entry->value = EncodeInt64(static_cast<int64_t>(number + static_cast<uint64_t>(entry->delta)));
  }
  entry->kind = MutationEntry::kSet;
  return OkStatus();
}

// A delete counts as a change: an increment after it must not add to the value that the delete
// hides.
bool Touches(const MutationEntry& before, const MutationEntry& entry) {
  if (before.kind == MutationEntry::kDeleteRow) return true;
  if (before.family != entry.family) return false;
  return before.kind == MutationEntry::kDeleteFamily || before.qualifier == entry.qualifier;
}

void RequestId::Encode(std::string* out) const {
  PutVarint(out, client);
  PutVarint(out, number);
  PutVarint(out, answered_below);
}

RequestId RequestId::Decode(Reader* reader) {
  RequestId request;
  request.client = reader->Varint();
  request.number = reader->Varint();
  request.answered_below = reader->Varint();
  return request;
}

RowMutation& RowMutation::Set(std::string_view family, std::string_view qualifier,
                              std::string_view value, int64_t timestamp_us) {
  MutationEntry& entry = entries.emplace_back();
  entry.kind = MutationEntry::kSet;
  entry.family = family;
  entry.qualifier = qualifier;
  entry.value = value;
  entry.timestamp_us = timestamp_us;
  return *this;
}

RowMutation& RowMutation::DeleteColumn(std::string_view family, std::string_view qualifier,
                                       TimeRange time) {
  MutationEntry& entry = entries.emplace_back();
  entry.kind = MutationEntry::kDeleteColumn;
  entry.family = family;
  entry.qualifier = qualifier;
  entry.time = time;
  return *this;
}

RowMutation& RowMutation::DeleteFamily(std::string_view family) {
  MutationEntry& entry = entries.emplace_back();
  entry.kind = MutationEntry::kDeleteFamily;
  entry.family = family;
  return *this;
}

RowMutation& RowMutation::DeleteRow() {
  entries.emplace_back().kind = MutationEntry::kDeleteRow;
  return *this;
}

RowMutation& RowMutation::Increment(std::string_view family, std::string_view qualifier,
                                    int64_t delta, int64_t timestamp_us) {
  Set(family, qualifier, "", timestamp_us);
  entries.back().kind = MutationEntry::kIncrement;
  entries.back().delta = delta;
  return *this;
}

RowMutation& RowMutation::Append(std::string_view family, std::string_view qualifier,
                                 std::string_view value, int64_t timestamp_us) {
  Set(family, qualifier, value, timestamp_us);
  entries.back().kind = MutationEntry::kAppend;
  return *this;
}

RowMutation& RowMutation::Add(std::string_view family, std::string_view qualifier,
                              std::string_view input, int64_t timestamp_us) {
  Set(family, qualifier, input, timestamp_us);
  entries.back().kind = MutationEntry::kAdd;
  return *this;
}

RowMutation& RowMutation::Merge(std::string_view family, std::string_view qualifier,
                                std::string_view state, int64_t timestamp_us) {
  Set(family, qualifier, state, timestamp_us);
  entries.back().kind = MutationEntry::kMerge;
  return *this;
}

bool RowMutation::ReadsRow() const {
  return std::any_of(entries.begin(), entries.end(), [](const MutationEntry& entry) {
    return entry.kind == MutationEntry::kIncrement || entry.kind == MutationEntry::kAppend ||
           GoesIntoAggregate(entry);
  });
}

size_t RowMutation::StoredSize() const {
  // Escaping doubles zero bytes. They are counted exactly for the row key, which is stored with
  // every entry; for qualifiers, the bound of twice their size is good enough. 32 bytes cover the
  // 23 bytes of terminators, timestamp and sequence number in a cell's key (cell_key.h).
  auto row_zeros = static_cast<size_t>(std::count(row.begin(), row.end(), '\0'));
  size_t size = 0;
  for (const MutationEntry& entry : entries) {
    size += row.size() + row_zeros + entry.family.size() + 2 * entry.qualifier.size() +
            entry.value.size() + 32;
  }
  return size;
}

Status RowMutation::Validate(const TableSchema& schema) const {
  RETURN_IF_ERROR(ValidateRowKey(row));
  if (entries.empty()) return InvalidArgument("mutation has no entries; it needs at least one");
  if (entries.size() > limits::kMutationEntriesMax) {
    return InvalidArgument(fmt::format("mutation has {} entries; the limit is {}", entries.size(),
                                       limits::kMutationEntriesMax));
  }
  for (const MutationEntry& entry : entries) RETURN_IF_ERROR(ValidateEntry(entry, schema));
  return ValidateSizes();
}

Status RowMutation::ValidateSizes() const {
  for (const MutationEntry& entry : entries) {
    if (entry.value.size() <= limits::kValueSizeMax) continue;
    return InvalidArgument(fmt::format("value of {}:{} has {} bytes; the limit is {}", entry.family,
                                       entry.qualifier, entry.value.size(), limits::kValueSizeMax));
  }
  if (size_t size = StoredSize(); size > limits::kMutationSizeMax) {
    return InvalidArgument(
        fmt::format("mutation of one row stores {} bytes (each entry stores the row key too); the "
                    "limit is {}; write it in parts",
                    size, limits::kMutationSizeMax));
  }
  return OkStatus();
}

std::string EncodeInt64(int64_t value) {
  std::string bytes;
  PutBig64(&bytes, static_cast<uint64_t>(value));
  return bytes;
}

StatusOr<int64_t> DecodeInt64(std::string_view bytes) {
  if (bytes.size() != 8) {
    return InvalidArgument(
        fmt::format("{} bytes are not an INT64 (8 bytes, big-endian)", bytes.size()));
  }
  return static_cast<int64_t>(GetBig64(bytes.data()));
}

}  // namespace sippar::engine
