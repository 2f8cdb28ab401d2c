// Allocates large memory in huge pages where the kernel provides them, else in ordinary pages.
// Thread safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace sippar::engine {

inline constexpr size_t kHugePageSize = 2 << 20;

// Never returns null: ends the process when memory runs out, as operator new does.
[[nodiscard]] char* AllocateHuge(size_t size);
// `size` must be the size of the allocation. Some blocks of kHugePageSize are kept for later
// allocations.
void FreeHuge(char* memory, size_t size);

}  // namespace sippar::engine
