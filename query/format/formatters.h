// The functions that make the formatter of each format, for format.cc only.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "query/format/format.h"

namespace sippar::query {

std::unique_ptr<ResultFormatter> NewBoxFormatter(const FormatOptions& options);
std::unique_ptr<ResultFormatter> NewLineFormatter(const FormatOptions& options);
std::unique_ptr<ResultFormatter> NewPlainFormatter(const FormatOptions& options);
std::unique_ptr<ResultFormatter> NewMarkdownFormatter(const FormatOptions& options);
std::unique_ptr<ResultFormatter> NewCsvFormatter(const FormatOptions& options);
std::unique_ptr<ResultFormatter> NewTsvFormatter(const FormatOptions& options);
std::unique_ptr<ResultFormatter> NewJsonFormatter(const FormatOptions& options);
std::unique_ptr<ResultFormatter> NewJsonLinesFormatter(const FormatOptions& options);
std::unique_ptr<ResultFormatter> NewJsonBase64Formatter(const FormatOptions& options);
std::unique_ptr<ResultFormatter> NewRawFormatter(const FormatOptions& options);
std::unique_ptr<ResultFormatter> NewCellsFormatter(const FormatOptions& options);
std::unique_ptr<ResultFormatter> NewInsertFormatter(const FormatOptions& options);
std::unique_ptr<ResultFormatter> NewNullFormatter(const FormatOptions& options);

}  // namespace sippar::query
