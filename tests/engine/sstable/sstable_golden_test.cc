// The example in engine/FORMAT.md, byte by byte, so that the document and the format stay equal.
// SPDX-License-Identifier: Apache-2.0
#include <fstream>

#include "tests/engine/sstable/sstable_fixture.h"

namespace sippar::engine {
namespace {

Entries ExampleEntries() {
  Entries entries;
  entries[EncodeCellKey("com.cnn.www", "anchor", "cnnsi.com", 9, 3)] = "CNN";
  entries[EncodeColumnTombstone("com.cnn.www", "anchor", "my.look.ca", 4)] =
      EncodeColumnDelete({{}, 7});
  entries[EncodeCellKey("com.cnn.www", "contents", "", 6, 2)] = "<html>";
  entries[EncodeCellKey("com.cnn.www", "contents", "", 5, 1)] = "<html";
  return entries;
}

// The bytes in hexadecimal before the bars in the code block "golden-sstable".
std::string GoldenBytes() {
  std::ifstream file(SIPPAR_FORMAT_MD);
  std::string bytes;
  bool inside = false;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("```")) inside = line == "```golden-sstable";
    if (!inside || line.starts_with("```")) continue;
    std::string hex = line.substr(0, line.find(' '));
    for (size_t i = 0; i + 1 < hex.size(); i += 2) {
      bytes.push_back(static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16)));
    }
  }
  return bytes;
}

TEST(SstableGoldenTest, TheWriterWritesTheExample) {
  ByteFiles fs;
  Write(&fs, ExampleEntries(),
        {.block_size = 4096,
         .compression = Compression::kNone,
         .dictionary = false,
         .bloom = BloomKind::kRowColumn});
  ASSERT_FALSE(GoldenBytes().empty());
  EXPECT_TRUE(fs.files[kTestPath] == GoldenBytes())
      << "the format changed: raise its version, keep "
         "reading the old one, amend FORMAT.md";
}

TEST(SstableGoldenTest, TheReaderReadsTheExample) {
  ByteFiles fs;
  fs.files[kTestPath] = GoldenBytes();
  auto reader = Open(&fs);
  ASSERT_NE(reader, nullptr);
  ExpectSame(*reader, ExampleEntries(), ReadAhead::kNone);
  EXPECT_TRUE(reader->VerifyAll().ok()) << reader->VerifyAll();
}

}  // namespace
}  // namespace sippar::engine
