// Writes and reads SSTables in tests, with their entries in a std::map.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>

#include "engine/model/cell_key.h"
#include "engine/sstable/sstable_reader.h"
#include "engine/sstable/sstable_writer.h"
#include "tests/engine/sstable/byte_files.h"

namespace sippar::engine {

using Entries = std::map<std::string, std::string>;

inline constexpr uint64_t kTestFileId = 7;
inline const std::string kTestPath = "t/000007.sst";

inline Status TryWrite(ByteFiles* fs, const Entries& entries, const SstableOptions& options,
                       const std::string& sample, FileSummary* summary) {
  fs->files.erase(kTestPath);
  ASSIGN_OR_RETURN(auto writer, SstableWriter::Create(fs, kTestPath, kTestFileId, options, sample));
  for (const auto& [key, value] : entries) RETURN_IF_ERROR(writer->Add(key, value));
  ASSIGN_OR_RETURN(*summary, writer->Finish());
  return OkStatus();
}

inline FileSummary Write(ByteFiles* fs, const Entries& entries, const SstableOptions& options = {},
                         const std::string& sample = "") {
  FileSummary summary;
  Status status = TryWrite(fs, entries, options, sample, &summary);
  EXPECT_TRUE(status.ok()) << status;
  return summary;
}

inline std::shared_ptr<SstableReader> Open(ByteFiles* fs, BlockCache* cache = nullptr) {
  auto reader = SstableReader::Open(fs, kTestPath, kTestFileId, cache);
  EXPECT_TRUE(reader.ok()) << reader.status();
  return reader.ok() ? *reader : nullptr;
}

inline void ExpectSame(const SstableReader& reader, const Entries& entries, ReadAhead read_ahead) {
  auto it = reader.NewIterator(read_ahead);
  it->Seek("");
  for (const auto& [key, value] : entries) {
    ASSERT_TRUE(it->Valid()) << it->status();
    ASSERT_EQ(it->key(), key);
    ASSERT_TRUE(it->value() == value) << "value of " << value.size() << " bytes differs";
    it->Next();
  }
  EXPECT_FALSE(it->Valid());
  EXPECT_TRUE(it->status().ok()) << it->status();
}

}  // namespace sippar::engine
