// SPDX-License-Identifier: Apache-2.0
#include "query/execute/fold_entry.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/base/printable.h"

namespace sippar::query {
namespace {

using engine::MutationEntry;

// Wraps around on overflow, as an increment in the tablet does.
int64_t Sum(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
}

}  // namespace

bool BuildsOnCell(const MutationEntry& entry) {
  return entry.kind == MutationEntry::kIncrement || entry.kind == MutationEntry::kAppend;
}

Status FoldEntry(MutationEntry entry, engine::RowMutation* writes) {
  std::vector<MutationEntry>& entries = writes->entries;
  auto last = std::find_if(entries.rbegin(), entries.rend(), [&](const MutationEntry& before) {
    return engine::Touches(before, entry);
  });
  if (!BuildsOnCell(entry) || last == entries.rend()) {
    entries.push_back(std::move(entry));
    return OkStatus();
  }
  // A deletion of only some versions leaves other versions, and the newest of them is not known
  // here, so the entry cannot be merged into such a deletion.
  bool whole = last->kind != MutationEntry::kDeleteColumn || last->time.IsAll();
  bool deletes = last->kind >= MutationEntry::kDeleteColumn &&
                 last->kind <= MutationEntry::kDeleteRow && whole;
  bool at_server_time =
      last->timestamp_us == engine::kServerTime && entry.timestamp_us == engine::kServerTime;
  if (deletes) {
    RETURN_IF_ERROR(engine::ResolveOn("", &entry));
    entries.push_back(std::move(entry));
  } else if (at_server_time && last->kind == MutationEntry::kSet) {
    RETURN_IF_ERROR(engine::ResolveOn(last->value, &entry));
    *last = std::move(entry);
  } else if (at_server_time && last->kind == entry.kind) {
    last->delta = Sum(last->delta, entry.delta);
    last->value += entry.value;
  } else {
    // COMMIT would refuse the mutation, but only after the statement has shown its result.
    return InvalidArgument(fmt::format(
        "column {}:{}: cannot be incremented or appended to: the transaction has written it at "
        "another time, deleted some of its versions, or has both incremented and appended to it; "
        "do this after COMMIT",
        entry.family, engine::PrintableBytes(entry.qualifier)));
  }
  return OkStatus();
}

}  // namespace sippar::query
