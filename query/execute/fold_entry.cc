// Folding of entries. SPDX-License-Identifier: Apache-2.0
#include "query/execute/fold_entry.h"

#include <fmt/format.h>

#include <algorithm>

namespace sippar::query {
namespace {

using engine::MutationEntry;

bool Builds(const MutationEntry& entry) {
  return entry.kind == MutationEntry::kIncrement || entry.kind == MutationEntry::kAppend;
}

bool Touches(const MutationEntry& before, const MutationEntry& entry) {
  if (before.kind == MutationEntry::kDeleteRow) return true;
  if (before.family != entry.family) return false;
  return before.kind == MutationEntry::kDeleteFamily || before.qualifier == entry.qualifier;
}

int64_t Sum(int64_t a, int64_t b) {  // wraps, as an increment does
  return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
}

// `entry` on a cell holding `value`, as a put.
Status BuildOn(const std::string& value, MutationEntry* entry) {
  if (entry->kind == MutationEntry::kAppend) {
    entry->value = value + entry->value;
  } else {
    int64_t number = 0;
    if (!value.empty()) {
      auto decoded = engine::DecodeInt64(value);
      if (!decoded.ok()) {
        return FailedPrecondition(fmt::format("cannot increment {}:{}: its value {}", entry->family,
                                              entry->qualifier, MessageOf(decoded.status())));
      }
      number = *decoded;
    }
    entry->value = engine::EncodeInt64(Sum(number, entry->delta));
  }
  entry->kind = MutationEntry::kSet;
  return OkStatus();
}

}  // namespace

Status FoldEntry(MutationEntry entry, engine::RowMutation* writes) {
  std::vector<MutationEntry>& entries = writes->entries;
  auto last = std::find_if(entries.rbegin(), entries.rend(),
                           [&](const MutationEntry& before) { return Touches(before, entry); });
  if (!Builds(entry) || entry.timestamp_us != engine::kServerTime || last == entries.rend()) {
    entries.push_back(std::move(entry));
    return OkStatus();
  }
  bool whole = last->kind != MutationEntry::kDeleteColumn || last->time.IsAll();
  bool deletes = last->kind >= MutationEntry::kDeleteColumn &&
                 last->kind <= MutationEntry::kDeleteRow && whole;
  if (deletes) {
    RETURN_IF_ERROR(BuildOn("", &entry));
    entries.push_back(std::move(entry));
  } else if (last->timestamp_us == engine::kServerTime && last->kind == MutationEntry::kSet) {
    RETURN_IF_ERROR(BuildOn(last->value, &entry));
    *last = std::move(entry);
  } else if (last->timestamp_us == engine::kServerTime && last->kind == entry.kind) {
    last->delta = Sum(last->delta, entry.delta);
    last->value += entry.value;
  } else {
    entries.push_back(std::move(entry));  // the server refuses it, naming the column
  }
  return OkStatus();
}

}  // namespace sippar::query
