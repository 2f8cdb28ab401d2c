// Divides work on tablets by server, so that each server gets its part at the same time as the
// others, and puts the outcomes back into one answer. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cluster/api/server_id.h"
#include "engine/base/status.h"
#include "engine/model/row_set.h"

namespace sippar::cluster {

// How many servers one caller asks or lets work at the same time.
inline constexpr size_t kServersAtOnce = 16;
// How long a caller waits for one server's answer about figures that are at hand. A server that
// hangs for longer is left out, so that it does not take the answers of the others away.
inline constexpr int64_t kFiguresWaitUs = 10'000'000;

struct ServerGroup {
  ServerId server;
  std::vector<size_t> positions;  // of the server's tablets in the caller's list, ascending
};

// Groups the tablets by server. `servers` has the server of each tablet. The groups are in the
// order of their first tablets.
std::vector<ServerGroup> GroupByServer(const std::vector<ServerId>& servers);

// The outcome of work on many tablets. `outcomes` has those of the tablets in key order; nullopt: a
// tablet was not tried. Returns the first error, which then says how many other tablets failed and
// how many were not tried.
Status FirstError(const std::vector<std::optional<Status>>& outcomes);

// Says that the server did not answer in time: kDeadlineExceeded. `failure` is that of the call.
Status SilentServer(const ServerId& server, const Status& failure);

// Values for ranges of rows: added in any order, taken in key order. A tablet that was split or
// merged during the work may be in several values. A value whose range begins within the range of
// an earlier one is left out, so no row counts twice.
template <class Value>
class RowParts {
 public:
  void Add(engine::RowRange range, Value value) {
    parts_.push_back({std::move(range), std::move(value)});
  }
  // Takes all values out.
  std::vector<Value> Take() {
    // Of two ranges with one start the greater one comes first: it is that of a merged tablet,
    // which has all rows of the other.
    std::stable_sort(parts_.begin(), parts_.end(), [](const Part& a, const Part& b) {
      const engine::RowRange &x = a.range, &y = b.range;
      if (x.start != y.start) return x.start < y.start;
      return !y.limit.empty() && (x.limit.empty() || x.limit > y.limit);
    });
    std::vector<Value> values;
    const engine::RowRange* last = nullptr;
    for (Part& part : parts_) {
      if (last != nullptr && (last->limit.empty() || part.range.start < last->limit)) continue;
      last = &part.range;
      values.push_back(std::move(part.value));
    }
    parts_.clear();
    return values;
  }

 private:
  struct Part {
    engine::RowRange range;
    Value value;
  };
  std::vector<Part> parts_;
};

}  // namespace sippar::cluster
