// Maps a Status of the tree to an errno (SEMANTICS.md "Errors"). Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/status.h"

namespace sippar::fuse {

int ErrnoOf(const Status& status);
// True for errors that an operator should see in the log. The others are normal answers, such as a
// name that does not exist.
bool IsTrouble(int error);

}  // namespace sippar::fuse
