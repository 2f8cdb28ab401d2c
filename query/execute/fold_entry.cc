// SPDX-License-Identifier: Apache-2.0
#include "query/execute/fold_entry.h"

#include <algorithm>

namespace sippar::query {
namespace {

using engine::MutationEntry;

bool Builds(const MutationEntry& entry) {
  return entry.kind == MutationEntry::kIncrement || entry.kind == MutationEntry::kAppend;
}

// Wraps around on overflow, as an increment in the tablet does.
int64_t Sum(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
}

}  // namespace

Status FoldEntry(MutationEntry entry, engine::RowMutation* writes) {
  std::vector<MutationEntry>& entries = writes->entries;
  auto last = std::find_if(entries.rbegin(), entries.rend(), [&](const MutationEntry& before) {
    return engine::Touches(before, entry);
  });
  if (!Builds(entry) || entry.timestamp_us != engine::kServerTime || last == entries.rend()) {
    entries.push_back(std::move(entry));
    return OkStatus();
  }
  // A deletion of only some versions leaves other versions, and the newest of them is not known
  // here, so the entry cannot be merged into such a deletion.
  bool whole = last->kind != MutationEntry::kDeleteColumn || last->time.IsAll();
  bool deletes = last->kind >= MutationEntry::kDeleteColumn &&
                 last->kind <= MutationEntry::kDeleteRow && whole;
  if (deletes) {
    RETURN_IF_ERROR(engine::ResolveOn("", &entry));
    entries.push_back(std::move(entry));
  } else if (last->timestamp_us == engine::kServerTime && last->kind == MutationEntry::kSet) {
    RETURN_IF_ERROR(engine::ResolveOn(last->value, &entry));
    *last = std::move(entry);
  } else if (last->timestamp_us == engine::kServerTime && last->kind == entry.kind) {
    last->delta = Sum(last->delta, entry.delta);
    last->value += entry.value;
  } else {
    // The entry cannot be merged; COMMIT refuses the mutation and names the column.
    entries.push_back(std::move(entry));
  }
  return OkStatus();
}

}  // namespace sippar::query
