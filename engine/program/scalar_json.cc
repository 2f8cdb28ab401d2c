// JSON_VALUE and JSON_QUERY.
// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "engine/program/json_path.h"
#include "engine/program/scalar_function.h"

namespace sippar::engine {
namespace {

Status Find(CallSite* site, Arguments args, JsonForm form, Value* out) {
  const bool has_path = args.size() == 2;
  if (!args[0]->is_string() || (has_path && !args[1]->is_string())) {
    return TypeError(*site, args, "JSON_VALUE(f:q, '$.a.b[0]')");
  }
  const std::string_view path = has_path ? std::string_view(args[1]->bytes()) : "$";
  // Most paths are literals, so the path parsed for the row before can mostly be used again.
  if (site->json_path == nullptr || site->json_path_text != path) {
    ASSIGN_OR_RETURN(JsonPath parsed, ParseJsonPath(path));
    site->json_path = std::make_shared<const JsonPath>(std::move(parsed));
    site->json_path_text = path;
  }
  ASSIGN_OR_RETURN(std::optional<std::string> found,
                   FindInJson(args[0]->bytes(), *site->json_path, form, site->budget));
  *out = found ? Value::Text(*std::move(found)) : Value::Null();
  return OkStatus();
}

Status JsonValue(CallSite* site, Arguments args, Value* out) {
  return Find(site, args, JsonForm::kScalar, out);
}

Status JsonQuery(CallSite* site, Arguments args, Value* out) {
  return Find(site, args, JsonForm::kJson, out);
}

}  // namespace

ScalarEntry FindJsonFunction(Function function) {
  switch (function) {
    case Function::kJsonValue:
      return {JsonValue};
    case Function::kJsonQuery:
      return {JsonQuery};
    default:
      return {};
  }
}

}  // namespace sippar::engine
