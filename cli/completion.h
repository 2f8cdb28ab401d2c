// Completion for the shell's Tab key: the grammar says what may stand at the caret, the session
// knows the names of tables and families.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "cli/line_editor.h"
#include "cli/store.h"

namespace sippar::cli {

Candidates FindCandidates(Store* store, std::string_view text, size_t caret);

}  // namespace sippar::cli
