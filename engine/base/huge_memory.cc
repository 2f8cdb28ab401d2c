// SPDX-License-Identifier: Apache-2.0
#include "engine/base/huge_memory.h"

#include <sys/mman.h>

#include <cstdlib>
#include <vector>

#include "engine/base/check.h"
#include "engine/base/thread.h"

namespace sippar::engine {
namespace {

#if defined(__SANITIZE_ADDRESS__)
constexpr size_t kKeptMax = 0;  // no kept blocks, so that the sanitizer sees every use after free
#else
constexpr size_t kKeptMax = 32;  // 64 MiB, as much as the blocks of one memtable
#endif

// Blocks of a destroyed memtable, kept for the next one. The kernel would clear fresh blocks page
// by page, which took a seventh of a writer's time.
struct Kept {
  Mutex mutex;
  std::vector<char*> blocks GUARDED_BY(mutex);
};
Kept& KeptBlocks() {
  static Kept* kept = new Kept;  // never destroyed: destructors of static objects still use it
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
  madvise(memory, rounded, MADV_HUGEPAGE);  // advice: without huge pages the memory is only slower
  return memory;
}

void FreeHuge(char* memory, size_t size) {
  if (size != kHugePageSize || !Keep(memory)) std::free(memory);
}

}  // namespace sippar::engine
