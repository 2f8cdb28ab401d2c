// Encodes those engine types that travel in messages of sippar.v1.Store (cluster/proto/store.proto)
// and have no encoding of their own. Decoding checks its input: kInvalidArgument if it is damaged.
// Pure. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "engine/base/limits.h"
#include "engine/base/status.h"
#include "engine/model/mutation.h"
#include "engine/model/read_spec.h"
#include "engine/program/run_program.h"

namespace sippar::cluster {

// version | row | request id | count | entries: each its kind, then the fields of that kind
std::string EncodeMutation(const engine::RowMutation& mutation);
[[nodiscard]] StatusOr<engine::RowMutation> DecodeMutation(
    std::string_view bytes, size_t entries_max = limits::kMutationEntriesMax);

// version | count | rows: each count, values | last row | rows seen | cells seen
std::string EncodeBatch(const engine::ProgramBatch& batch);
[[nodiscard]] StatusOr<engine::ProgramBatch> DecodeBatch(std::string_view bytes);

std::string EncodeRead(const engine::ReadSpec& read);
[[nodiscard]] StatusOr<engine::ReadSpec> DecodeRead(std::string_view bytes);

}  // namespace sippar::cluster
