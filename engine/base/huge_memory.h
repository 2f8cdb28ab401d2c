// Memory in huge pages where the size is worth it and the kernel gives them; plain memory
// otherwise. Thread safe. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace sippar::engine {

inline constexpr size_t kHugePageSize = 2 << 20;

// Never null: ends the process when there is no memory, as operator new does.
[[nodiscard]] char* AllocateHuge(size_t size);
// `size` as it was asked for. Some blocks of kHugePageSize are kept for the next who asks.
void FreeHuge(char* memory, size_t size);

}  // namespace sippar::engine
