// Encodings shared by Program, RowUpdate and the mutations that calls transmit. Decoding fails the
// reader on damage.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/base/coding.h"
#include "engine/model/mutation.h"
#include "engine/program/program.h"

namespace sippar::engine {

void EncodeColumnPattern(const ColumnPattern& pattern, std::string* out);
ColumnPattern DecodeColumnPattern(Reader* reader);
void EncodeTimeRange(const TimeRange& time, std::string* out);
TimeRange DecodeTimeRange(Reader* reader);
void EncodeSlots(const std::vector<SlotDef>& slots, std::string* out);
std::vector<SlotDef> DecodeSlots(Reader* reader);
void EncodeExpressions(const std::vector<Expression>& expressions, std::string* out);
std::vector<Expression> DecodeExpressions(Reader* reader);
void EncodeOptional(const std::optional<Expression>& expression, std::string* out);
std::optional<Expression> DecodeOptional(Reader* reader);
void EncodeEntry(const MutationEntry& entry, std::string* out);
MutationEntry DecodeEntry(Reader* reader);
void EncodeStrings(const std::vector<std::string>& strings, std::string* out);
std::vector<std::string> DecodeStrings(Reader* reader);

}  // namespace sippar::engine
