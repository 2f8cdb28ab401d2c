// SPDX-License-Identifier: Apache-2.0
#include "engine/model/aggregate_cell.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/model/hyper_log_log.h"

namespace sippar::engine {
namespace {

// The state is an INT64, as is every input, so adding an input and merging a state are the same
// operation.
int64_t Combine(FamilyType type, int64_t state, int64_t input) {
  if (type == FamilyType::kMin) return std::min(state, input);
  if (type == FamilyType::kMax) return std::max(state, input);
  return static_cast<int64_t>(static_cast<uint64_t>(state) + static_cast<uint64_t>(input));
}

bool IsState(FamilyType type, std::string_view bytes) {
  return IsInt64(type) ? bytes.size() == 8 : !bytes.empty() && HyperLogLog().Merge(bytes);
}

}  // namespace

Status ValidateAddition(const FamilySchema& family, const MutationEntry& addition) {
  if (!IsAggregate(family.type)) {
    return InvalidArgument(
        fmt::format("{}:{} cannot be added to: family {} holds {}, not an aggregate",
                    addition.family, addition.qualifier, family.name, FamilyTypeName(family.type)));
  }
  bool is_add = addition.kind == MutationEntry::kAdd;
  bool takes_int64 = family.type != FamilyType::kUniqueBytes;
  bool is_good =
      is_add ? !takes_int64 || addition.value.size() == 8 : IsState(family.type, addition.value);
  if (is_good) return OkStatus();
  return InvalidArgument(fmt::format(
      "{} of {}:{} has {} bytes, which is not a valid value for family {} ({}; expected {})",
      is_add ? "input" : "state", addition.family, addition.qualifier, addition.value.size(),
      family.name, FamilyTypeName(family.type),
      takes_int64 ? "8 bytes: an INT64, big-endian" : "a state as a read returns it"));
}

Status AddToState(FamilyType type, const MutationEntry& addition, std::string* state) {
  bool is_first = state->empty();
  if (!is_first && !IsState(type, *state)) {
    return FailedPrecondition(fmt::format(
        "{}:{}: its {} stored bytes are not a valid state of type {}; delete the cell first",
        addition.family, addition.qualifier, state->size(), FamilyTypeName(type)));
  }
  if (IsInt64(type)) {
    if (is_first) {
      *state = addition.value;
      return OkStatus();
    }
    ASSIGN_OR_RETURN(int64_t before, DecodeInt64(*state));
    ASSIGN_OR_RETURN(int64_t input, DecodeInt64(addition.value));
    *state = EncodeInt64(Combine(type, before, input));
    return OkStatus();
  }
  HyperLogLog sketch;
  bool is_state = sketch.Merge(*state);
  if (addition.kind == MutationEntry::kAdd) {
    sketch.Add(addition.value);
  } else {
    is_state &= sketch.Merge(addition.value);
  }
  *state = sketch.Encode();
  return is_state ? OkStatus()
                  : InvalidArgument(fmt::format(
                        "{}:{}: the stored or the added value is not a valid state of a "
                        "distinct count (UNIQUES)",
                        addition.family, addition.qualifier));
}

}  // namespace sippar::engine
