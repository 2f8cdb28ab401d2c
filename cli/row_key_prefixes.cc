// SPDX-License-Identifier: Apache-2.0
#include "cli/row_key_prefixes.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/base/utf8.h"
#include "query/syntax/ast_print.h"

namespace sippar::cli {
namespace {

constexpr std::string_view kSeparators = "./:#|_-,@ ";

// The first key after all keys that begin with `prefix`; "" if there is no such key.
std::string After(std::string prefix) {
  while (!prefix.empty() && static_cast<unsigned char>(prefix.back()) == 0xff) prefix.pop_back();
  if (!prefix.empty()) prefix.back() = static_cast<char>(prefix.back() + 1);
  return prefix;
}

}  // namespace

std::vector<std::string> RowKeyPrefixes(query::Session* session, const std::string& table,
                                        const std::string& prefix, size_t reads_max) {
  std::vector<std::string> names;
  std::string from = prefix;
  // Each read finds the first key after all keys that begin with the previous name.
  for (size_t reads = 0; reads < reads_max; ++reads) {
    query::ResultTable found;
    std::string end = After(prefix);
    std::string bounds = end.empty() ? "" : " AND row < " + query::QuoteBytes(end);
    auto done =
        session->Execute(fmt::format("SELECT row FROM {} WHERE row >= {}{} LIMIT 1",
                                     query::QuoteName(table), query::QuoteBytes(from), bounds),
                         &found);
    if (!done.ok() || found.rows.empty()) break;
    const std::string& key = found.rows[0][0].bytes();
    size_t cut = key.find_first_of(kSeparators, prefix.size());
    std::string name = key.substr(0, std::min(cut, key.size() - 1) + 1);
    if (engine::IsUtf8(name)) names.push_back(name);
    // A key without a separator is itself a candidate; the next read starts right after it, because
    // longer keys may begin with it.
    from = cut == std::string::npos ? key + '\0' : After(name);
    if (from.empty()) break;
  }
  return names;
}

bool EndsPart(const std::string& name) {
  return !name.empty() && kSeparators.find(name.back()) != std::string_view::npos;
}

}  // namespace sippar::cli
