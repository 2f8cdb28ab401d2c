// Prints options, NAME = VALUE, as the grammar reads them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "query/syntax/schema_ast.h"

namespace sippar::query {

// Always prints an equals sign. The grammar requires it only before a name, where it distinguishes
// the value from the next option.
std::string PrintOption(const syntax::Option& option);
// Prints each option with a blank before it.
std::string PrintOptionsAfter(const std::vector<syntax::Option>& options);
// Prints " WITH (…)"; "" without options.
std::string PrintWithOptions(const std::vector<syntax::Option>& options);

}  // namespace sippar::query
