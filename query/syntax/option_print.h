// Prints options, NAME = VALUE, as the grammar reads them. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "query/syntax/schema_ast.h"

namespace sippar::query {

// Always with an equals sign. The grammar lets it be left out before a literal only; before a name
// it is needed to tell the value from the next option.
std::string PrintOption(const syntax::Option& option);
// Each option with a blank before it.
std::string PrintOptionsAfter(const std::vector<syntax::Option>& options);
// " WITH (…)"; "" without options.
std::string PrintWithOptions(const std::vector<syntax::Option>& options);

}  // namespace sippar::query
