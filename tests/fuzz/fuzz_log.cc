// Fuzzing log segments. Random bytes never pass a checksum, so the first byte says what the rest
// is.
//   0: a whole segment file as it is
//   1: a segment whose header and records have right checksums around arbitrary bodies
//   2: a good segment, then cut or changed at a place the rest names
// Whatever comes: no crash, and never a body that was not written at that place.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "engine/base/check.h"
#include "engine/log/log_reader.h"
#include "tests/engine/sstable/byte_files.h"

namespace sippar::engine {
namespace {

constexpr SegmentId kId{3, 5};
constexpr const char* kPath = "f";

using Bodies = std::vector<std::pair<uint64_t, std::string>>;

StatusOr<SegmentContent> Read(const std::string& file, uint64_t accepted_length, Bodies* bodies) {
  ByteFiles fs;
  fs.files[kPath] = file;
  static_cast<void>(ReadSegmentHeader(&fs, kPath, kId).ok());
  return ReadSegment(&fs, kPath, kId, accepted_length, [&](uint64_t offset, std::string_view body) {
    bodies->emplace_back(offset, body);
    return OkStatus();
  });
}

// What decodes must encode to something that decodes to the same.
void CheckBody(std::string_view body) {
  auto record = DecodeLogBody(body);
  if (!record.ok()) return;
  std::string again(body.substr(0, 8));
  AppendLogBody(&again, record->tablet_id, record->wall_us, record->mutation);
  const RequestId& request = record->mutation.request;
  if (!request.IsNone()) AppendLogAnswer(&again, request, record->answer);
  auto same = DecodeLogBody(again);
  CHECK(same.ok());
  CHECK(same->first_sequence == record->first_sequence);
  CHECK(same->mutation.request == request && same->answer == record->answer);
  CHECK(same->mutation.row == record->mutation.row);
  CHECK(same->mutation.entries.size() == record->mutation.entries.size());
}

void ReadBytes(const std::string& file) {
  Bodies bodies;
  auto content = Read(file, UINT64_MAX, &bodies);
  if (content.ok()) CHECK(content->valid_length <= file.size());
  for (const auto& [offset, body] : bodies) CheckBody(body);
}

std::string SegmentOf(Reader* input, Bodies* written) {
  std::string file;
  SegmentHeader header{kId, {3, 4}, input->Varint()};
  AppendLogRecord(&file, EncodeSegmentHeader(header), {SegmentSeed(kId), 0, 0});
  while (input->left() > 0) {
    std::string body(input->Raw(std::min<size_t>(input->left(), input->Byte())));
    if (!body.empty()) written->emplace_back(file.size(), body);
    uint64_t durable_length = input->Byte() % 2 == 0 ? file.size() : 0;
    AppendLogRecord(&file, body, {SegmentSeed(kId), file.size(), durable_length});
  }
  return file;
}

void ReadDamaged(Reader* input) {
  uint64_t place = input->Byte() * 256u + input->Byte();
  uint8_t change = input->Byte();
  Bodies written;
  std::string file = SegmentOf(input, &written);
  std::string damaged = file;
  if (change == 0) {
    damaged.resize(place % (file.size() + 1));
  } else {
    damaged[place % file.size()] ^= static_cast<char>(change);
  }
  for (uint64_t accepted_length : {UINT64_MAX, static_cast<uint64_t>(file.size())}) {
    Bodies found;
    auto content = Read(damaged, accepted_length, &found);
    CHECK(found.size() <= written.size());
    CHECK(std::equal(found.begin(), found.end(), written.begin()));
    // Damage in what the next segment vouches for is an error, whatever it is.
    bool vouched = accepted_length != UINT64_MAX;
    if (vouched) CHECK(!content.ok() || damaged == file);
  }
}

void Run(std::string_view bytes) {
  if (bytes.empty()) return;
  Reader input(bytes.substr(1));
  Bodies written;
  switch (bytes[0] % 3) {
    case 0:
      return ReadBytes(std::string(bytes.substr(1)));
    case 1:
      return ReadBytes(SegmentOf(&input, &written));
    default:
      if (input.left() >= 3) ReadDamaged(&input);
  }
}

}  // namespace
}  // namespace sippar::engine

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  sippar::engine::Run({reinterpret_cast<const char*>(data), size});
  return 0;
}
