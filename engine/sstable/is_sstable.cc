// SPDX-License-Identifier: Apache-2.0
#include "engine/sstable/is_sstable.h"

#include <algorithm>
#include <memory>

#include "engine/sstable/sstable_format.h"

namespace sippar::engine {

StatusOr<bool> IsSstable(FileSystem* fs, const std::string& path, uint64_t file_id) {
  ASSIGN_OR_RETURN(std::unique_ptr<RandomFile> file, fs->OpenRandom(path));
  const uint64_t size = file->size();
  const uint64_t tail_size = std::min<uint64_t>(size, Footer::kSizeMax);
  std::string tail;
  RETURN_IF_ERROR(file->Read(size - tail_size, tail_size, &tail));
  return Footer::Decode(tail, size, {path, file_id}).ok();
}

}  // namespace sippar::engine
