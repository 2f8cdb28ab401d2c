// Fuzzing SSTables. Random bytes never pass a checksum, so the input is a recipe instead: its first
// byte says how the rest is used.
//   0: the rest is a whole file as it is
//   1: the rest is the raw bytes of a block, walked by the cursor
//   2: the rest becomes the sections of a file whose frames and footer have right checksums, so
//   that
//      the decoders of index, properties, filter and dictionary see arbitrary bytes
//   3: a good file is made from the rest, then changed at places the rest names, checksums of the
//      changed blocks made right again
// Whatever comes: no crash, no huge allocation, keys ascend or an error is given.
// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <string>
#include <vector>

#include "engine/base/check.h"
#include "engine/base/checksum.h"
#include "engine/base/coding.h"
#include "engine/model/cell_key.h"
#include "engine/sstable/block_cursor.h"
#include "engine/sstable/sstable_format.h"
#include "engine/sstable/sstable_reader.h"
#include "engine/sstable/sstable_writer.h"
#include "tests/engine/sstable/byte_files.h"

namespace sippar::engine {
namespace {

constexpr uint64_t kFileId = 1;
constexpr int kStepsMax = 20'000;

void WalkReader(const SstableReader& reader, ReadAhead read_ahead) {
  auto it = reader.NewIterator(read_ahead);
  std::vector<std::string> keys;
  int steps = 0;
  for (it->Seek(""); it->Valid() && steps < kStepsMax; it->Next(), ++steps) {
    if (steps % 64 == 0) keys.emplace_back(it->key());
    static_cast<void>(it->value().size());
  }
  for (const std::string& key : keys) {
    it->Seek(key);
    CHECK(!it->Valid() || it->status().ok());
    it->SeekBefore(key);
    CHECK(!it->Valid() || it->status().ok());
    static_cast<void>(reader.MayContainRow(RowPrefix(key)));
    static_cast<void>(reader.MayContainColumn(ColumnPrefix(key)));
  }
  it->SeekBefore("");
}

void ReadFileBytes(std::string bytes) {
  ByteFiles fs;
  fs.files["f"] = std::move(bytes);
  BlockCache cache(1 << 20);
  auto reader = SstableReader::Open(&fs, "f", kFileId, &cache);
  if (!reader.ok()) return;
  WalkReader(**reader, ReadAhead::kNone);
  WalkReader(**reader, ReadAhead::kScan);
  static_cast<void>((*reader)->VerifyAll().ok());
  static_cast<void>((*reader)->Sample("", "", 4096).ok());
  static_cast<void>((*reader)->SplitKeys(100).size());
  static_cast<void>((*reader)->Dump(true).size());
}

void WalkBlock(std::string_view bytes) {
  BlockCursor cursor;
  cursor.Init(bytes);
  std::string middle;
  int steps = 0;
  for (cursor.SeekToFirst(); cursor.Valid() && steps < kStepsMax; cursor.Next(), ++steps) {
    if (steps == 5) middle = cursor.key();
  }
  cursor.Seek(middle);
  CHECK(!cursor.Valid() || cursor.key() >= middle);
  cursor.SeekBefore(middle);
  CHECK(!cursor.Valid() || cursor.key() < middle);
  cursor.SeekToLast();
}

// The frame of `payload`, appended with its right checksum.
BlockHandle AppendFrame(std::string_view payload, char type, uint64_t raw_size, std::string* file) {
  BlockHandle handle{file->size(), payload.size() + kBlockTrailerSize, raw_size};
  file->append(payload).push_back(type);
  PutFixed64(file, Checksum(std::string_view(*file).substr(handle.offset),
                            BlockSeed(kFileId, handle.offset)));
  return handle;
}

std::string FileOfSections(Reader* input) {
  std::string file;
  auto section = [&] {
    char type = static_cast<char>(input->Byte() % 4);
    uint64_t claimed = input->Varint();
    std::string_view payload = input->Raw(input->left() / 2);
    bool honest = type == 0 || claimed % 2 == 0;
    return AppendFrame(payload, type, honest ? payload.size() : claimed, &file);
  };
  section();
  section();
  Footer footer;
  footer.file_id = kFileId;
  footer.dictionary = section();
  footer.filter = section();
  footer.index = section();
  footer.properties = section();
  file += footer.Encode(file.size());
  return file;
}

std::string GoodFile(Reader* input) {
  ByteFiles fs;
  SstableOptions options;
  uint8_t choice = input->Byte();
  options.block_size = 256;
  options.bloom = static_cast<BloomKind>(choice % 3);
  options.compression = (choice & 8) != 0 ? Compression::kNone : Compression::kZstd;
  std::string sample(input->Raw(std::min<size_t>(input->left() / 4, 64)));
  auto writer = SstableWriter::Create(&fs, "f", kFileId, options, sample);
  CHECK(writer.ok());
  std::string row(1, 'a');
  for (uint64_t i = 0; i < 12 && input->left() > 8; ++i) {
    row += static_cast<char>(input->Byte());
    std::string value(input->Raw(std::min<size_t>(input->left() / 8, 100)));
    CHECK((*writer)->Add(EncodeCellKey(row, "f", "q", 1, 100 - i), value).ok());
  }
  auto summary = (*writer)->Finish();
  CHECK(summary.ok() && summary->size_bytes == fs.files["f"].size());
  return fs.files["f"];
}

void Reseal(const BlockHandle& handle, std::string* file) {
  if (handle.stored_size < kBlockTrailerSize) return;
  std::string_view frame = std::string_view(*file).substr(handle.offset, handle.stored_size - 8);
  std::string checksum;
  PutFixed64(&checksum, Checksum(frame, BlockSeed(kFileId, handle.offset)));
  file->replace(handle.offset + frame.size(), 8, checksum);
}

// All frames of a good file.
std::vector<BlockHandle> Frames(const std::string& file) {
  auto footer = Footer::Decode(std::string_view(file).substr(file.size() - Footer::kSize),
                               file.size(), {"f", kFileId});
  CHECK(footer.ok());
  std::vector<BlockHandle> frames = {footer->dictionary, footer->filter, footer->index,
                                     footer->properties};
  ByteFiles fs;
  fs.files["f"] = file;
  auto reader = SstableReader::Open(&fs, "f", kFileId, nullptr);
  CHECK(reader.ok());
  const BlockIndex& index = (*reader)->index();
  for (size_t i = 0; i < index.size(); ++i) frames.push_back(index.entry(i).handle());
  return frames;
}

std::string ChangedFile(Reader* input) {
  std::string file = GoodFile(input);
  const std::vector<BlockHandle> frames = Frames(file);
  while (input->left() >= 3) {
    uint64_t at = (input->Byte() * 256u + input->Byte()) % (file.size() - Footer::kSize);
    file[at] = static_cast<char>(input->Byte());
  }
  for (const BlockHandle& frame : frames) Reseal(frame, &file);
  return file;
}

void Run(std::string_view bytes) {
  if (bytes.empty()) return;
  Reader input(bytes.substr(1));
  switch (bytes[0] & 3) {
    case 0:
      return ReadFileBytes(std::string(bytes.substr(1)));
    case 1:
      return WalkBlock(bytes.substr(1));
    case 2:
      return ReadFileBytes(FileOfSections(&input));
    default:
      return ReadFileBytes(ChangedFile(&input));
  }
}

}  // namespace
}  // namespace sippar::engine

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  sippar::engine::Run({reinterpret_cast<const char*>(data), size});
  return 0;
}
