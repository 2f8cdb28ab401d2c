// Values follow the language's own rules for literals, so that a parameter means what the same text
// means in a statement.
// SPDX-License-Identifier: Apache-2.0
#include "cli/parameter.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "query/parse/parse.h"

namespace sippar::cli {
namespace {

using engine::Value;
using query::syntax::Literal;

bool IsName(std::string_view name) {
  return !name.empty() && !std::isdigit(static_cast<unsigned char>(name[0])) &&
         std::all_of(name.begin(), name.end(), [](char c) {
           return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
         });
}

// Parses `text` as one literal of the language; `wanted` says in an error what was expected.
StatusOr<Literal> ReadLiteral(const std::string& text, std::string_view wanted) {
  auto expr = query::ParseExpression(text);
  if (!expr.ok() || expr->kind != query::syntax::ExprKind::kLiteral) {
    return InvalidArgument(fmt::format("'{}' is not {}", engine::PrintEscaped(text), wanted));
  }
  return expr->literal;
}

StatusOr<Value> ReadBytes(const std::string& text) {
  std::string quoted = "b'";
  for (char c : text) quoted += c == '\'' ? "\\'" : std::string(1, c);
  ASSIGN_OR_RETURN(Literal literal,
                   ReadLiteral(quoted + "'", "a literal of bytes; write one such as \\x00ff"));
  return Value::Bytes(literal.text);
}

StatusOr<Value> ReadTimestamp(const std::string& text) {
  auto number = ReadLiteral(text, "a number");
  if (number.ok() && number->type == Literal::kInt64) return Value::Timestamp(number->integer);
  ASSIGN_OR_RETURN(Literal literal, ReadLiteral("TIMESTAMP '" + text + "'",
                                                "a time; write one such as 2026-11-20T12:00:00Z"));
  // A time without a zone is rejected, because its meaning would depend on the session.
  if (literal.type != Literal::kTimestamp || literal.zone_missing) {
    return InvalidArgument(fmt::format("'{}' has no time zone; write it like 2026-11-20T12:00:00Z",
                                       engine::PrintEscaped(text)));
  }
  return Value::Timestamp(literal.integer);
}

StatusOr<Value> ReadDate(const std::string& text) {
  ASSIGN_OR_RETURN(Literal literal,
                   ReadLiteral("DATE '" + text + "'", "a date; write one such as 2026-11-20"));
  return Value::Date(literal.integer);
}

StatusOr<Value> ReadValue(const std::string& type, const std::string& text) {
  // TEXT takes the bytes unchanged: the command shell has its own quotes, and a second level of
  // escapes would surprise users.
  if (type == "TEXT") return Value::Text(text);
  if (type == "BYTES") return ReadBytes(text);
  if (type == "TIMESTAMP") return ReadTimestamp(text);
  if (type == "DATE") return ReadDate(text);
  ASSIGN_OR_RETURN(
      Literal literal,
      ReadLiteral(text, "a literal such as 5, 1.5, TRUE or 30s; for a text write name=text"));
  bool number = literal.type == Literal::kInt64 || literal.type == Literal::kSize;
  if (type == "INT64" && number) return Value::Int64(literal.integer);
  if (type == "FLOAT64" && number) return Value::Float64(static_cast<double>(literal.integer));
  if (type == "FLOAT64" && literal.type == Literal::kFloat64) return Value::Float64(literal.real);
  if (type == "BOOL" && literal.type == Literal::kBool) return Value::Bool(literal.integer != 0);
  if (type == "DURATION" && literal.type == Literal::kDuration) {
    return Value::Duration(literal.integer);
  }
  return InvalidArgument(
      fmt::format("'{}' cannot be read as {}; types are TEXT BYTES INT64 FLOAT64 BOOL "
                  "TIMESTAMP DATE DURATION",
                  engine::PrintEscaped(text), engine::PrintEscaped(type)));
}

}  // namespace

StatusOr<std::pair<std::string, Value>> ParseParameter(const std::string& definition) {
  // The first '=' ends the name; the value may contain more of them.
  size_t equals = definition.find('=');
  std::string name = definition.substr(0, equals);
  std::string type = "TEXT";
  if (size_t colon = name.find(':'); colon != std::string::npos) {
    type = name.substr(colon + 1);
    name.resize(colon);
    for (char& c : type) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  }
  if (equals == std::string::npos || !IsName(name)) {
    return InvalidArgument(fmt::format("parameter '{}': write name=value or name:TYPE=value",
                                       engine::PrintEscaped(definition)));
  }
  auto value = ReadValue(type, definition.substr(equals + 1));
  if (!value.ok()) return Annotate(value.status(), fmt::format("parameter {}", name));
  return std::pair(name, *value);
}

}  // namespace sippar::cli
