// What the last message of a stream carries, and the version of sippar.v1.Store. Plain data.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "cluster/api/row_codec.h"
#include "engine/model/read_counters.h"

namespace sippar::cluster {

// Version of the service; both ends need the same. It rises with every change of a message, or of a
// struct that a call carries, but not with a new call, which an older server refuses by its name.
inline constexpr uint32_t kStoreVersion = 3;

struct StreamEnd {
  Status outcome;
  engine::ReadCounters counters;

  static constexpr int kFields = 2;
};

// Counters travel in the order of kReadCounterFields.
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
