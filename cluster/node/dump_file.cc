// SPDX-License-Identifier: Apache-2.0
#include "cluster/node/dump_file.h"

#include <fmt/format.h>

#include <charconv>

#include "cluster/node/target.h"
#include "engine/fs/file_system.h"
#include "engine/log/log_dump.h"
#include "engine/sstable/sstable_reader.h"

namespace sippar::cluster {

StatusOr<std::string> DumpSstable(const std::string& path, bool with_entries) {
  std::string_view name = path;
  name.remove_prefix(name.rfind('/') + 1);
  uint64_t file_id = 0;
  const char* end = name.data() + name.size();
  auto parsed = std::from_chars(name.data(), end, file_id, 16);
  if (parsed.ec != std::errc() || std::string_view(parsed.ptr, end) != ".sst") {
    return InvalidArgument(
        fmt::format("{}: not the name of an SSTable, which is named by its id in 16 hex "
                    "digits and .sst; give a renamed file its old name back, for the "
                    "checksums need it",
                    path));
  }
  std::unique_ptr<engine::FileSystem> fs = FileSystemOf(path);
  ASSIGN_OR_RETURN(std::shared_ptr<engine::SstableReader> reader,
                   engine::SstableReader::Open(fs.get(), path, file_id, nullptr));
  return reader->Dump(with_entries);
}

Status DumpLog(const std::string& path, const std::function<void(std::string_view line)>& print) {
  std::unique_ptr<engine::FileSystem> fs = FileSystemOf(path);
  return engine::DumpSegment(fs.get(), path, print);
}

}  // namespace sippar::cluster
