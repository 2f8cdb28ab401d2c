// Huge pages by advice. SPDX-License-Identifier: Apache-2.0
#include "engine/base/huge_memory.h"

#include <sys/mman.h>

#include <cstdlib>

#include "engine/base/check.h"

namespace sippar::engine {

char* AllocateHuge(size_t size) {
  bool huge = size >= kHugePageSize;
  size_t rounded = (size + kHugePageSize - 1) / kHugePageSize * kHugePageSize;
  void* memory = huge ? std::aligned_alloc(kHugePageSize, rounded) : std::malloc(size);
  CHECK(memory != nullptr);
  if (huge) madvise(memory, rounded, MADV_HUGEPAGE);  // advice only
  return static_cast<char*>(memory);
}

void FreeHuge(char* memory) { std::free(memory); }

}  // namespace sippar::engine
