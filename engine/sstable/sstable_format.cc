// SPDX-License-Identifier: Apache-2.0
#include "engine/sstable/sstable_format.h"

#include <fmt/format.h>

#include "engine/base/checksum.h"
#include "engine/base/coding.h"

namespace sippar::engine {
namespace {

constexpr size_t kFixedTail = 24;  // version, footer size, checksum, magic

void PutHandle(std::string* out, const BlockHandle& handle) {
  PutFixed64(out, handle.offset);
  PutFixed64(out, handle.stored_size);
  PutFixed64(out, handle.raw_size);
}

BlockHandle GetHandle(Reader* reader) {
  BlockHandle handle;
  handle.offset = reader->Fixed64();
  handle.stored_size = reader->Fixed64();
  handle.raw_size = reader->Fixed64();
  return handle;
}

// Each section must end where the next one begins, and the last at the footer, so that every byte
// is covered by a checksum.
bool SectionsFit(const Footer& footer, uint64_t footer_offset) {
  uint64_t at = footer.dictionary.offset;
  for (const BlockHandle* section :
       {&footer.dictionary, &footer.filter, &footer.index, &footer.properties}) {
    if (section->offset != at || at > footer_offset) return false;
    if (section->stored_size > footer_offset - at) return false;
    if (section->stored_size != 0 && section->stored_size <= kBlockTrailerSize) return false;
    at += section->stored_size;
  }
  return at == footer_offset && footer.index.stored_size != 0 && footer.properties.stored_size != 0;
}

}  // namespace

Status SstableDamage(const FileName& file, std::string_view what, uint64_t offset,
                     std::string_view problem) {
  return DataLoss(
      fmt::format("sstable {} (file {}), {} at offset {}: {}; put the file back from a copy",
                  file.path, file.file_id, what, offset, problem));
}

std::string Footer::Encode(uint64_t offset) const {
  std::string out;
  PutHandle(&out, dictionary);
  PutHandle(&out, filter);
  PutHandle(&out, index);
  PutHandle(&out, properties);
  PutFixed64(&out, file_id);
  PutFixed32(&out, kSstableVersion);
  PutFixed32(&out, kSize);
  PutFixed64(&out, Checksum(out, offset));
  out.append(kSstableMagic);
  return out;
}

StatusOr<Footer> Footer::Decode(std::string_view tail, uint64_t file_size, const FileName& file) {
  auto damage = [&](std::string_view problem) {
    return SstableDamage(file, "footer", file_size < kSize ? 0 : file_size - kSize, problem);
  };
  if (tail.size() < kFixedTail || !tail.ends_with(kSstableMagic)) {
    return damage(
        fmt::format("the file of {} bytes does not end with an SSTable footer", file_size));
  }
  // The last 24 bytes keep their meaning in every later version (FORMAT.md, "Footer"). They contain
  // the size of the footer, so that the footer of a newer program can be checked as well.
  Reader fixed(tail.substr(tail.size() - kFixedTail));
  uint32_t version = fixed.Fixed32();
  uint32_t size = fixed.Fixed32();
  uint64_t expected = fixed.Fixed64();
  if (size < kFixedTail || size > tail.size()) {
    return damage(fmt::format("a size of {} bytes is impossible", size));
  }
  std::string_view bytes = tail.substr(tail.size() - size);
  uint64_t found = Checksum(bytes.substr(0, size - 16), file_size - size);
  if (found != expected) {
    return damage(fmt::format("checksum expected {:016x}, found {:016x}", expected, found));
  }
  // Tested after the checksum: a version that is unknown only because of a flipped bit is damage,
  // and the message must not ask for a newer program.
  if (version > kSstableVersion) {
    return FailedPrecondition(fmt::format(
        "sstable {} has format version {}, this program knows up to {}; use a newer sippar",
        file.path, version, kSstableVersion));
  }
  if (version == 0 || size != kSize) return damage("its version and its size do not match");
  Reader reader(bytes);
  Footer footer;
  footer.dictionary = GetHandle(&reader);
  footer.filter = GetHandle(&reader);
  footer.index = GetHandle(&reader);
  footer.properties = GetHandle(&reader);
  footer.file_id = reader.Fixed64();
  if (footer.file_id != file.file_id) {
    return damage(fmt::format("the content is that of file {}", footer.file_id));
  }
  if (!SectionsFit(footer, file_size - size))
    return damage("the sections do not match the file size");
  return footer;
}

}  // namespace sippar::engine
