// The rows of the table of functions (function.h), which is written in two files. Private to
// function.cc and google_functions.cc. SPDX-License-Identifier: Apache-2.0
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
