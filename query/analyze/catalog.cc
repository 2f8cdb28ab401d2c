// SPDX-License-Identifier: Apache-2.0
#include "query/analyze/catalog.h"

#include <fmt/format.h>

#include "engine/base/utf8.h"
#include "query/session/query_error.h"

namespace sippar::query {
namespace {

std::string DidYouMean(std::string_view name, const std::vector<std::string>& known) {
  std::string nearest = NearestWord(name, known);
  return nearest.empty() ? "" : fmt::format("did you mean {}?", nearest);
}

// The names by which a statement can refer to `tables`. With a prefix, a statement can refer only
// to the tables directly below the prefix, by their names without the prefix.
std::vector<std::string> NamesBehind(const std::optional<std::string>& prefix,
                                     const std::vector<cluster::TableInfo>& tables) {
  std::vector<std::string> names;
  for (const cluster::TableInfo& table : tables) {
    const std::string& name = table.schema.name;
    if (!prefix) {
      names.push_back(name);
    } else if (name.starts_with(*prefix) && name.find('/', prefix->size()) == std::string::npos) {
      names.push_back(name.substr(prefix->size()));
    }
  }
  return names;
}

// Looks the table up with a `Call`, whose only field is the table's name.
template <class Call>
StatusOr<typename Call::Reply> Find(const StatementContext& context,
                                    const syntax::Identifier& name) {
  const std::optional<std::string>& prefix = context.session->table_prefix;
  // A name with '/' would reach below the prefix into the tables of another instance.
  bool elsewhere = prefix && name.text.find('/') != std::string::npos;
  if (!elsewhere) {
    auto found = context.DoAdmin(Call{prefix.value_or("") + name.text});
    // Only NOT_FOUND gets a hint. After any other error (no server, cancelled) a second call for
    // the hint would fail or wait as well.
    if (found.ok() || found.status().code() != StatusCode::kNotFound) return found;
  }
  std::vector<std::string> known;
  // Tables are listed only for the hint, so that finding a table costs one call.
  auto tables = context.DoAdmin(cluster::calls::ListTables{});
  if (tables.ok()) known = NamesBehind(prefix, *tables);
  std::string hint = DidYouMean(name.text, known);
  if (known.empty()) hint = "there is no table yet: CREATE TABLE t (FAMILY f)";
  return ErrorAt("UNKNOWN_TABLE", name.span, fmt::format("table {} not found", name.text), hint,
                 StatusCode::kNotFound);
}

}  // namespace

StatusOr<std::shared_ptr<const engine::TableSchema>> FindSchema(const StatementContext& context,
                                                                const syntax::Identifier& name) {
  return Find<cluster::calls::GetSchema>(context, name);
}

StatusOr<cluster::TableInfo> FindTable(const StatementContext& context,
                                       const syntax::Identifier& name) {
  return Find<cluster::calls::GetTable>(context, name);
}

// The message lists every family: a table has few families, and a wrong name that resembles none of
// them gets no hint.
Status UnknownFamily(const engine::TableSchema& schema, std::string_view family, const Span& span) {
  std::vector<std::string> known;
  std::string list;
  for (const engine::FamilySchema& each : schema.families) {
    known.push_back(each.name);
    list += (list.empty() ? "" : ", ") + each.name;
  }
  return ErrorAt(
      "UNKNOWN_FAMILY", span,
      fmt::format("family {} not found in table {} (families: {})", family, schema.name, list),
      DidYouMean(family, known), StatusCode::kNotFound);
}

Status UnknownName(std::string_view what, std::string_view name, const Span& span,
                   const std::vector<std::string>& known) {
  return ErrorAt("UNKNOWN_NAME", span, fmt::format("{} {} not found", what, name),
                 DidYouMean(name, known));
}

engine::ValueType ValueTypeOf(engine::FamilyType type) {
  if (engine::IsInt64(type)) return engine::ValueType::kInt64;
  return type == engine::FamilyType::kText ? engine::ValueType::kText : engine::ValueType::kBytes;
}

engine::TypedFamilies TypedFamiliesOf(const engine::TableSchema& schema) {
  engine::TypedFamilies typed;
  for (const engine::FamilySchema& family : schema.families) {
    const engine::ValueType type = ValueTypeOf(family.type);
    if (type == engine::ValueType::kInt64) typed.counters.push_back(family.name);
    if (type == engine::ValueType::kText) typed.texts.push_back(family.name);
  }
  return typed;
}

engine::Value CellValue(const engine::TableSchema& schema, std::string_view family,
                        std::string_view bytes) {
  const engine::FamilySchema* found = schema.FindFamily(family);
  const engine::ValueType type =
      found == nullptr ? engine::ValueType::kBytes : ValueTypeOf(found->type);
  if (type == engine::ValueType::kText) return engine::Value::Text(std::string(bytes));
  auto number = engine::DecodeInt64(bytes);
  return type == engine::ValueType::kInt64 && number.ok()
             ? engine::Value::Int64(*number)
             : engine::Value::Bytes(std::string(bytes));
}

Status CheckRegex(const engine::NamePattern& pattern, engine::RegexUnit unit, const Span& span) {
  if (pattern.kind != engine::NamePattern::kRegex) return OkStatus();
  // A regex that is not UTF-8 matches bytes whatever the text is.
  if (!engine::IsUtf8(pattern.text)) unit = engine::RegexUnit::kByte;
  // Compiles the regex only to find an error in it. The tablets compile its text again, because a
  // program is sent to them as bytes.
  auto regex = engine::SearchRegex::Compile(pattern.text, pattern.case_insensitive, unit);
  if (regex.ok()) return OkStatus();
  return ErrorAt("BAD_REGEX", span, MessageOf(regex.status()), "RE2 syntax; \\/ is a slash");
}

StatusOr<engine::ColumnPattern> BindPattern(const StatementContext& context,
                                            const engine::TableSchema& schema,
                                            const syntax::PatternNode& node) {
  engine::ColumnPattern pattern = node.ToColumnPattern();
  if (node.HasParam()) {
    auto found = context.session->parameters.find(node.qualifier_param);
    if (found == context.session->parameters.end()) {
      return ErrorAt(
          "UNKNOWN_PARAM", node.span, fmt::format("no value for @{}", node.qualifier_param),
          fmt::format("--param {}=…, or \\set {} …", node.qualifier_param, node.qualifier_param));
    }
    if (!found->second.is_string()) {
      return ErrorAt("TYPE", node.span,
                     fmt::format("@{} is {}; a qualifier is TEXT or BYTES", node.qualifier_param,
                                 engine::TypeName(found->second.type())));
    }
    pattern = node.ToColumnPattern(found->second.bytes());
  }
  // A regex or * that matches no family is not an error: it selects nothing, like a qualifier that
  // no row has.
  bool exact = pattern.family.kind == engine::NamePattern::kExact;
  if (exact && schema.FindFamily(pattern.family.text) == nullptr) {
    return UnknownFamily(schema, pattern.family.text, node.span);
  }
  RETURN_IF_ERROR(CheckRegex(pattern.family, engine::RegexUnit::kByte, node.span));
  RETURN_IF_ERROR(CheckRegex(pattern.qualifier, engine::RegexUnit::kByte, node.span));
  return pattern;
}

}  // namespace sippar::query
