// How a stream ended at its server. Plain data.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cluster/api/row_codec.h"
#include "engine/model/read_counters.h"

namespace sippar::cluster {

struct StreamEnd {
  Status outcome;
  engine::ReadCounters counters;

  static constexpr int kFields = 2;
};

// The counters are encoded in the order of kReadCounterFields.
template <>
struct Coding<engine::ReadCounters> {
  static void Put(const engine::ReadCounters& value, std::string* out) {
    for (const engine::ReadCounterField& entry : engine::kReadCounterFields) {
      engine::PutVarint(out, value.*entry.field);
    }
  }
  static void Take(engine::Reader* reader, engine::ReadCounters* value) {
    for (const engine::ReadCounterField& entry : engine::kReadCounterFields) {
      value->*entry.field = reader->Varint();
    }
  }
};

}  // namespace sippar::cluster
