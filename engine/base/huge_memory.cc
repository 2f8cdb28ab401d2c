// Huge pages by advice. SPDX-License-Identifier: Apache-2.0
#include "engine/base/huge_memory.h"

#include <sys/mman.h>

#include <cstdlib>
#include <vector>

#include "engine/base/check.h"
#include "engine/base/thread.h"

namespace sippar::engine {
namespace {

#if defined(__SANITIZE_ADDRESS__)
constexpr size_t kKeptMax = 0;  // a use after free is to be seen
#else
constexpr size_t kKeptMax = 32;  // 64 MiB: one memtable's worth
#endif

// Blocks between two memtables. Fresh ones are cleared by the kernel, page after page: a seventh of
// a writer's time.
struct Kept {
  Mutex mutex;
  std::vector<char*> blocks GUARDED_BY(mutex);
};
Kept& KeptBlocks() {
  static Kept* kept = new Kept;  // used by destructors of static objects, too
  return *kept;
}

char* TakeKept() {
  Kept& kept = KeptBlocks();
  MutexLock lock(&kept.mutex);
  if (kept.blocks.empty()) return nullptr;
  char* block = kept.blocks.back();
  kept.blocks.pop_back();
  return block;
}

bool Keep(char* block) {
  Kept& kept = KeptBlocks();
  MutexLock lock(&kept.mutex);
  if (kept.blocks.size() >= kKeptMax) return false;
  kept.blocks.push_back(block);
  return true;
}

}  // namespace

char* AllocateHuge(size_t size) {
  if (size < kHugePageSize) {
    char* memory = static_cast<char*>(std::malloc(size));
    CHECK(memory != nullptr);
    return memory;
  }
  if (size == kHugePageSize) {
    if (char* kept = TakeKept()) return kept;
  }
  size_t rounded = (size + kHugePageSize - 1) / kHugePageSize * kHugePageSize;
  char* memory = static_cast<char*>(std::aligned_alloc(kHugePageSize, rounded));
  CHECK(memory != nullptr);
  madvise(memory, rounded, MADV_HUGEPAGE);  // advice only
  return memory;
}

void FreeHuge(char* memory, size_t size) {
  if (size != kHugePageSize || !Keep(memory)) std::free(memory);
}

}  // namespace sippar::engine
