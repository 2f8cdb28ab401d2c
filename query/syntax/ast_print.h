// Prints a tree as its canonical text: parsing the text gives the same tree again. Used by SHOW
// CREATE TABLE, EXPLAIN, the output format `cells`, names of result columns, page tokens and tests.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "query/syntax/ast.h"

namespace sippar::query {

std::string Print(const syntax::Statement& statement);  // without the ";" at its end
std::string Print(const syntax::Select& select);
std::string Print(const syntax::Source& source);
std::string Print(const syntax::Expr& expr);
std::string Print(const syntax::PatternNode& pattern);
std::string Print(const syntax::Literal& literal);
std::string PrintRegex(const engine::NamePattern& pattern);  // result: /regex/ or /regex/i

// Quotes text as '…' and bytes as b'…', as the language reads them back. Control characters are
// escaped.
std::string QuoteText(std::string_view text);
std::string QuoteBytes(std::string_view bytes);
// Quotes `bytes` as text if they are UTF-8, else as bytes.
std::string QuoteValue(std::string_view bytes);
// A name, in backquotes if it needs them.
std::string QuoteName(std::string_view name);
// The pattern that names exactly the column family:qualifier.
std::string QuoteColumn(std::string_view family, std::string_view qualifier);

}  // namespace sippar::query
