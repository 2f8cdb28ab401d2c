// The row type of the table of functions (function.h). The rows are written in function.cc and
// google_functions.cc; no other file includes this one.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "engine/program/function.h"
#include "engine/program/result_rule.h"

namespace sippar::engine {

struct FunctionRow {
  FunctionInfo info;
  ResultRule result;
};

std::vector<FunctionRow> GoogleFunctionRows();

}  // namespace sippar::engine
