// Which errno a Status of the tree becomes (SEMANTICS.md "Errors"). Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/status.h"

namespace sippar::fuse {

int ErrnoOf(const Status& status);
// Errors that mean trouble, to be logged; the others are answers.
bool IsTrouble(int error);

}  // namespace sippar::fuse
