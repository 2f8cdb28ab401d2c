// The canonical text of a tree: parsing it gives the same tree again. Used by SHOW CREATE TABLE,
// EXPLAIN, the insert output format, headers of results, and the round-trip tests.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "query/syntax/ast.h"

namespace sippar::query {

std::string Print(const syntax::Statement& statement);  // without ";"
std::string Print(const syntax::Select& select);
std::string Print(const syntax::Expr& expr);
std::string Print(const syntax::PatternNode& pattern);
std::string Print(const syntax::Literal& literal);
std::string PrintRegex(const engine::NamePattern& pattern);  // /regex/i

// Quoted as the language reads it back: '…' for UTF-8 text, b'…' for other bytes. Control
// characters are escaped.
std::string QuoteText(std::string_view text);
std::string QuoteBytes(std::string_view bytes);
// `bytes` as text if it is UTF-8, else as bytes.
std::string QuoteValue(std::string_view bytes);
// A name, in backquotes when it needs them.
std::string QuoteName(std::string_view name);
// The exact column family:qualifier as a pattern token.
std::string QuoteColumn(std::string_view family, std::string_view qualifier);

}  // namespace sippar::query
