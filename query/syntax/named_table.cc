// SPDX-License-Identifier: Apache-2.0
#include "query/syntax/named_table.h"

#include <type_traits>
#include <variant>

namespace sippar::query::syntax {

std::string_view NamedTable(const Select& select) {
  if (!select.from) return "";
  return select.from->select ? NamedTable(*select.from->select) : select.from->table.text;
}

std::string_view NamedTable(const Statement& statement) {
  auto of = []<class Node>(const Node& node) -> std::string_view {
    if constexpr (std::is_same_v<Node, Select>) {
      return NamedTable(node);
    } else if constexpr (std::is_same_v<Node, Export>) {
      return node.select ? NamedTable(*node.select) : node.table.text;
    } else if constexpr (requires { node.table.text; }) {
      return node.table.text;
    } else {
      return "";
    }
  };
  return std::visit(of, statement.node);
}

}  // namespace sippar::query::syntax
