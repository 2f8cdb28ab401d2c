// SPDX-License-Identifier: Apache-2.0
#include "query/plan/schema_options.h"

#include <fmt/format.h>

#include "engine/base/limits.h"
#include "engine/model/change_config.h"
#include "query/analyze/compile.h"
#include "query/session/query_error.h"
#include "query/syntax/ast_print.h"

namespace sippar::query {
namespace {

using engine::GcPolicy;
using syntax::Literal;
using syntax::Option;
using syntax::OptionValue;

// Returns the error for an option with a wrong value or without one. It points at the value, or at
// the name if there is no value.
Status BadOption(const Option& option, std::string_view wanted) {
  Span span = option.value ? option.value->span : option.name.span;
  return ErrorAt("BAD_OPTION", span, fmt::format("{} takes {}", option.name.text, wanted));
}

Status UnknownOption(const Option& option, std::string_view known) {
  return ErrorAt("UNKNOWN_OPTION", option.name.span,
                 fmt::format("unknown option {}", option.name.text),
                 fmt::format("options here: {}", known));
}

bool IsInteger(const std::optional<OptionValue>& value, Literal::Type type) {
  return value && value->literal && value->literal->type == type;
}

// The engine stores counts in 32 bits. The bound is checked before the cast, which would cut a
// larger number silently.
bool IsCount(const OptionValue& value) {
  return value.literal && value.literal->type == Literal::kInt64 && value.literal->integer >= 1 &&
         value.literal->integer <= UINT32_MAX;
}

// A bare number is not an age, because it has no unit.
bool IsAge(const OptionValue& value) {
  return value.literal && value.literal->type == Literal::kDuration && value.literal->integer > 0;
}

// The word that is the option's value; "" for a missing value, a literal, or a word with arguments.
std::string_view WordOf(const Option& option) {
  const bool is_word = option.value && !option.value->literal && option.value->args.empty();
  return is_word ? std::string_view(option.value->call) : std::string_view();
}

// Plans NONE, VERSIONS(3) or AGE(30d); nullopt for any other rule.
std::optional<GcPolicy> PlanSimpleGc(const OptionValue& value) {
  if (SameWord(value.call, "NONE") && value.args.empty()) return GcPolicy::KeepAll();
  if (value.args.size() != 1) return std::nullopt;
  const OptionValue& argument = value.args[0];
  if (SameWord(value.call, "VERSIONS") && IsCount(argument)) {
    return GcPolicy::MaxVersions(static_cast<uint32_t>(argument.literal->integer));
  }
  if (SameWord(value.call, "AGE") && IsAge(argument)) {
    return GcPolicy::MaxAge(argument.literal->integer);
  }
  return std::nullopt;
}

// Plans a GC rule: VERSIONS(3), AGE(30d), UNION(…), INTERSECTION(…) or NONE. The depth is bounded
// because rules are nested recursively.
StatusOr<GcPolicy> PlanGc(const OptionValue& value, size_t depth = 0) {
  auto bad = [&] {
    return ErrorAt("BAD_OPTION", value.span, "unknown GC rule",
                   "VERSIONS(n), AGE(30d), UNION(…), INTERSECTION(…), NONE");
  };
  if (value.literal || depth > limits::kGcPolicyDepthMax) return bad();
  if (std::optional<GcPolicy> rule = PlanSimpleGc(value)) return *std::move(rule);
  bool is_union = SameWord(value.call, "UNION");
  if ((!is_union && !SameWord(value.call, "INTERSECTION")) || value.args.empty()) return bad();
  std::vector<GcPolicy> rules;
  for (const OptionValue& arg : value.args) {
    ASSIGN_OR_RETURN(GcPolicy rule, PlanGc(arg, depth + 1));
    rules.push_back(std::move(rule));
  }
  return is_union ? GcPolicy::Union(std::move(rules)) : GcPolicy::Intersection(std::move(rules));
}

// Prints names as they are, without backquotes, because the text is compared with names or stored,
// not parsed.
std::string PrintOption(const OptionValue& value) {
  if (value.literal) return Print(*value.literal);
  std::string text = value.call;
  for (size_t i = 0; i < value.args.size(); ++i) {
    text += (i == 0 ? "(" : ", ") + PrintOption(value.args[i]);
  }
  return value.args.empty() ? text : text + ")";
}

// The schema's name of a type that has a second name: INT64 means COUNTER, STRING means TEXT, HLL
// (HyperLogLog) and HLL(INT64) mean UNIQUES, HLL(BYTES) means UNIQUES(BYTES). Any other name stays
// as written.
std::string_view NameOfType(std::string_view written) {
  if (SameWord(written, "INT64")) return "COUNTER";
  if (SameWord(written, "STRING")) return "TEXT";
  if (SameWord(written, "HLL") || SameWord(written, "HLL(INT64)")) return "UNIQUES";
  return SameWord(written, "HLL(BYTES)") ? "UNIQUES(BYTES)" : written;
}

Status PlanType(const Option& option, engine::FamilySchema* family) {
  constexpr const char* kWanted =
      "BYTES, TEXT (or STRING), COUNTER (or INT64), SUM, MIN, MAX, UNIQUES (or HLL), "
      "UNIQUES(BYTES) (or HLL(BYTES))";
  if (!option.value || option.value->literal) return BadOption(option, kWanted);
  // The value is compared as text: the parser reads UNIQUES(BYTES) as a call, but in the schema it
  // is the name of one type.
  const std::string written = PrintOption(*option.value);
  const std::string_view type = NameOfType(written);
  const std::vector<std::string> names = FamilyTypeNames();
  for (size_t i = 0; i < names.size(); ++i) {
    if (!SameWord(type, names[i])) continue;
    family->type = static_cast<engine::FamilyType>(i);
    return OkStatus();
  }
  return ErrorAt("UNSUPPORTED", option.value->span,
                 fmt::format("TYPE {} is not supported", written), kWanted,
                 StatusCode::kUnimplemented);
}

// Plans a flag, written alone or with = TRUE or = FALSE.
Status PlanFlag(const Option& option, bool* flag) {
  *flag = true;
  if (!option.value) return OkStatus();
  if (!IsInteger(option.value, Literal::kBool)) return BadOption(option, "TRUE or FALSE");
  *flag = option.value->literal->integer != 0;
  return OkStatus();
}

// The zstd level of HIGH; a higher level costs much more time and saves few bytes.
constexpr int32_t kHighLevel = 9;

bool IsLevel(const OptionValue& value) {
  return SameWord(value.call, "LEVEL") && value.args.size() == 1 && IsCount(value.args[0]) &&
         value.args[0].literal->integer <= 19;
}

Status PlanCompression(const Option& option, engine::LocalityGroupSchema* group,
                       std::vector<std::string>* notices) {
  constexpr const char* kWanted = "NONE, FAST, HIGH or ZSTD(LEVEL(1..19))";
  if (!option.value || option.value->literal) return BadOption(option, kWanted);
  const OptionValue& value = *option.value;
  if (SameWord(WordOf(option), "NONE")) {
    // The level is kept: a later COMPRESSION = ZSTD without LEVEL uses it again.
    group->compression = engine::Compression::kNone;
    return OkStatus();
  }
  bool high = SameWord(value.call, "HIGH");
  bool named = (high || SameWord(value.call, "FAST")) && value.args.empty();
  if (!named && !SameWord(value.call, "ZSTD")) return BadOption(option, kWanted);
  group->compression = engine::Compression::kZstd;
  // ZSTD without LEVEL keeps the level that the group has.
  if (named) group->compression_level = high ? kHighLevel : 1;
  for (const OptionValue& arg : value.args) {
    if (IsLevel(arg)) {
      group->compression_level = static_cast<int32_t>(arg.args[0].literal->integer);
    } else if (SameWord(arg.call, "WINDOW")) {
      notices->push_back(fmt::format("{}: WINDOW is not supported and is ignored", group->name));
    } else {
      return BadOption(option, kWanted);
    }
  }
  return OkStatus();
}

Status PlanBloom(const Option& option, engine::BloomKind* bloom) {
  const std::string_view name = WordOf(option);
  if (SameWord(name, "NONE")) {
    *bloom = engine::BloomKind::kNone;
  } else if (SameWord(name, "ROW")) {
    *bloom = engine::BloomKind::kRow;
  } else if (SameWord(name, "ROW_COLUMN")) {
    *bloom = engine::BloomKind::kRowColumn;
  } else {
    return BadOption(option, "NONE, ROW or ROW_COLUMN");
  }
  return OkStatus();
}

// Sets an option, or removes it if it has its default: equal schemas then compare equal.
void SetOption(const char* name, bool is_set, const char* value, engine::TableSchema* schema) {
  if (is_set) {
    schema->options[name] = value;
  } else {
    schema->options.erase(name);
  }
}

Status PlanGranularity(const Option& option, engine::TableSchema* schema) {
  const std::string_view name = WordOf(option);
  bool is_millis = SameWord(name, "MILLIS");
  if (!is_millis && !SameWord(name, "MICROS")) return BadOption(option, "MILLIS or MICROS");
  SetOption(engine::kGranularityOption, is_millis, "MILLIS", schema);
  return OkStatus();
}

Status PlanChangeStream(const Option& option, engine::TableSchema* schema) {
  std::optional<engine::ChangeStreamConfig> config;
  if (option.value && IsAge(*option.value)) {
    config = engine::ChangeStreamOf(*schema).value_or(engine::ChangeStreamConfig());
    config->retention_us = option.value->literal->integer;
  }
  // The retention is set before it is checked, so that only the engine needs to know its bounds.
  // After an error the caller does not use the schema.
  engine::SetChangeStream(config, schema);
  bool is_none = SameWord(WordOf(option), "NONE");
  if ((config || is_none) && engine::ValidateChangeStream(*schema).ok()) return OkStatus();
  return BadOption(option, "how long changes are kept, 1d to 7d, or NONE");
}

// Applies one option. The rules of VERSIONS, TTL and GC go into *versions, *age and *gc, and the
// caller combines them.
Status ApplyFamilyOption(const Option& option, engine::FamilySchema* family,
                         std::optional<GcPolicy>* versions, std::optional<GcPolicy>* age,
                         std::optional<GcPolicy>* gc) {
  if (SameWord(option.name.text, "VERSIONS")) {
    if (!option.value || !IsCount(*option.value)) return BadOption(option, "a number from 1");
    // The rule is not set at once: TTL may follow in the same definition, and the two together are
    // one rule.
    *versions = GcPolicy::MaxVersions(static_cast<uint32_t>(option.value->literal->integer));
  } else if (SameWord(option.name.text, "TTL")) {
    if (!option.value || !IsAge(*option.value)) return BadOption(option, "a duration such as 30d");
    *age = GcPolicy::MaxAge(option.value->literal->integer);
  } else if (SameWord(option.name.text, "GC")) {
    if (!option.value)
      return BadOption(option, "VERSIONS(n), AGE(30d), UNION(…), INTERSECTION(…) or NONE");
    ASSIGN_OR_RETURN(*gc, PlanGc(*option.value));
  } else if (SameWord(option.name.text, "COUNTER")) {
    bool counter = false;
    // COUNTER = FALSE means the type BYTES. ALTER FAMILY later refuses a change of the type.
    RETURN_IF_ERROR(PlanFlag(option, &counter));
    family->type = counter ? engine::FamilyType::kCounter : engine::FamilyType::kBytes;
  } else if (SameWord(option.name.text, "TYPE")) {
    RETURN_IF_ERROR(PlanType(option, family));
  } else {
    return UnknownOption(option, "VERSIONS, TTL, GC, COUNTER, TYPE");
  }
  return OkStatus();
}

}  // namespace

Status ApplyFamilyOptions(const syntax::FamilyDef& def, engine::FamilySchema* family) {
  std::optional<GcPolicy> versions, age, gc;
  for (const Option& option : def.options) {
    RETURN_IF_ERROR(ApplyFamilyOption(option, family, &versions, &age, &gc));
  }
  if (gc && (versions || age)) {
    return ErrorAt("BAD_OPTION", def.name.span,
                   fmt::format("family {}: both GC and VERSIONS or TTL are given", def.name.text),
                   "write one rule: GC = UNION(VERSIONS(3), AGE(1d)) drops what either drops");
  }
  if (gc) family->gc = *std::move(gc);
  // VERSIONS and TTL together: a version is dropped if either of the two drops it.
  if (versions && age) {
    family->gc = GcPolicy::Union({*versions, *age});
  } else if (versions || age) {
    family->gc = versions ? *versions : *age;
  }
  return OkStatus();
}

// Options that are not named keep the value that `group` has. CREATE passes a new group with
// defaults, ALTER the current one.
Status ApplyGroupOptions(const syntax::GroupDef& def, engine::LocalityGroupSchema* group,
                         std::vector<std::string>* notices) {
  for (const Option& option : def.options) {
    if (SameWord(option.name.text, "IN_MEMORY")) {
      RETURN_IF_ERROR(PlanFlag(option, &group->in_memory));
    } else if (SameWord(option.name.text, "DICTIONARY")) {
      RETURN_IF_ERROR(PlanFlag(option, &group->dictionary));
    } else if (SameWord(option.name.text, "BLOCK_SIZE")) {
      bool size =
          IsInteger(option.value, Literal::kSize) || IsInteger(option.value, Literal::kInt64);
      // This only keeps the number within 32 bits. TableSchema::Validate checks the real limits.
      if (!size || option.value->literal->integer < 1 ||
          option.value->literal->integer > UINT32_MAX) {
        return BadOption(option, "a size such as 64KiB");
      }
      group->block_size = static_cast<uint32_t>(option.value->literal->integer);
    } else if (SameWord(option.name.text, "COMPRESSION")) {
      RETURN_IF_ERROR(PlanCompression(option, group, notices));
    } else if (SameWord(option.name.text, "BLOOM")) {
      RETURN_IF_ERROR(PlanBloom(option, &group->bloom));
    } else {
      return UnknownOption(option, "IN_MEMORY, BLOCK_SIZE, COMPRESSION, BLOOM, DICTIONARY");
    }
  }
  return OkStatus();
}

Status ApplyTableOptions(const std::vector<Option>& options, engine::TableSchema* schema) {
  for (const Option& option : options) {
    const std::string& name = option.name.text;
    if (SameWord(name, "SPLIT_SIZE")) {
      if (!IsInteger(option.value, Literal::kSize) && !IsInteger(option.value, Literal::kInt64)) {
        return BadOption(option, "a size such as 200MiB");
      }
      // Stored as it was written, so that SHOW CREATE TABLE prints 200MiB and not a number of
      // bytes.
      schema->options["SPLIT_SIZE"] = PrintOption(*option.value);
    } else if (SameWord(name, engine::kGranularityOption)) {
      RETURN_IF_ERROR(PlanGranularity(option, schema));
    } else if (SameWord(name, engine::kProtectedOption)) {
      bool is_protected = false;
      RETURN_IF_ERROR(PlanFlag(option, &is_protected));
      SetOption(engine::kProtectedOption, is_protected, "TRUE", schema);
    } else if (SameWord(name, engine::kChangeStreamOption)) {
      RETURN_IF_ERROR(PlanChangeStream(option, schema));
    } else {
      return UnknownOption(option, "SPLIT_SIZE, GRANULARITY, DELETION_PROTECTION, CHANGE_STREAM");
    }
  }
  return OkStatus();
}

std::string PrintSize(uint64_t bytes) {
  static constexpr const char* kUnits[] = {"", "KiB", "MiB", "GiB", "TiB"};
  size_t unit = 0;
  // 0 is excluded: it can always be divided by 1024, so it would get the largest unit.
  while (bytes != 0 && bytes % 1024 == 0 && unit + 1 < std::size(kUnits)) {
    bytes /= 1024;
    ++unit;
  }
  return fmt::format("{}{}", bytes, kUnits[unit]);
}

std::string PrintCompression(const engine::LocalityGroupSchema& group) {
  if (group.compression == engine::Compression::kNone) return "none";
  return fmt::format("zstd({})", group.compression_level);
}

std::string PrintBloom(engine::BloomKind kind) {
  switch (kind) {
    case engine::BloomKind::kNone:
      return "none";
    case engine::BloomKind::kRow:
      return "row";
    case engine::BloomKind::kRowColumn:
      break;
  }
  return "row_column";
}

}  // namespace sippar::query
