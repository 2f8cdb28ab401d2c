// Fuzzing what a peer may send before and after it is known: frames, hellos, statuses. Random bytes
// never pass a checksum, so the first byte says what the rest is.
//   0: bytes of a line, cut into pieces at places that they name themselves
//   1: frames with right checksums around arbitrary headers and bodies
//   2: good frames, then cut or changed at a place the rest names
//   3: a hello, as a peer sends it; 4: a status
// Whatever comes: no crash, nothing larger than a bound, and never a frame that was not sent there.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "cluster/net/failure.h"
#include "cluster/net/frame.h"
#include "cluster/net/hello.h"
#include "cluster/net/send_queue.h"
#include "engine/base/check.h"
#include "engine/base/coding.h"
#include "tests/cluster/net/encoded_frames.h"

namespace sippar::net {
namespace {

std::vector<Frame> Read(std::string_view bytes, bool is_open, size_t step, Status* status) {
  FrameReader reader;
  if (is_open) reader.Open();
  std::vector<Frame> frames;
  for (size_t at = 0; at < bytes.size() && status->ok(); at += step) {
    *status = reader.Feed(bytes.substr(at, step), &frames);
  }
  return frames;
}

// A frame with everything that its sender may choose.
std::vector<Frame> Chosen(engine::Reader* input) {
  std::vector<Frame> frames;
  while (input->left() > 0) {
    Frame frame;
    frame.kind = static_cast<FrameKind>(input->Byte());
    frame.flags = input->Byte();
    frame.method = static_cast<uint16_t>(input->Byte());
    frame.call = input->Varint();
    frame.argument = input->Varint();
    frame.body = input->Raw(std::min<size_t>(input->left(), input->Byte()));
    frames.push_back(std::move(frame));
  }
  return frames;
}

// The frames are the first of those that were sent.
void CheckPrefix(const std::vector<Frame>& found, const std::vector<Frame>& sent) {
  CHECK(found.size() <= sent.size());
  for (size_t i = 0; i < found.size(); ++i) {
    CHECK(found[i].kind == sent[i].kind && found[i].flags == sent[i].flags);
    CHECK(found[i].method == sent[i].method && found[i].call == sent[i].call);
    CHECK(found[i].argument == sent[i].argument && found[i].body == sent[i].body);
  }
}

void CheckChosen(engine::Reader* input) {
  size_t step = 1 + input->Byte();
  std::vector<Frame> sent = Chosen(input);
  std::string bytes = Encoded(sent);
  Status whole, pieces;
  std::vector<Frame> at_once = Read(bytes, true, SIZE_MAX, &whole);
  CheckPrefix(at_once, sent);
  CHECK(whole.ok() == (at_once.size() == sent.size()));
  std::vector<Frame> in_steps = Read(bytes, true, step, &pieces);
  CHECK(pieces == whole && in_steps.size() == at_once.size());
}

void CheckDamaged(engine::Reader* input) {
  size_t place = input->Byte() * 256u + input->Byte();
  uint8_t change = input->Byte();
  std::vector<Frame> sent = Chosen(input);
  std::string bytes = Encoded(sent);
  if (bytes.empty()) return;
  Status status;
  if (change == 0) {
    bytes.resize(place % bytes.size());
    CheckPrefix(Read(bytes, true, SIZE_MAX, &status), sent);
  } else {
    bytes[place % bytes.size()] ^= static_cast<char>(change);
    CheckPrefix(Read(bytes, true, SIZE_MAX, &status), sent);
    CHECK(!status.ok());
  }
}

void CheckHello(std::string_view bytes) {
  // A peer's hello begins as ours do: most inputs would otherwise end at the first byte.
  for (const std::string& text :
       {std::string(bytes), EncodeHello(Hello()).substr(0, 10) + std::string(bytes)}) {
    auto hello = DecodeHello(text);
    if (!hello.ok()) continue;
    auto again = DecodeHello(EncodeHello(*hello));
    CHECK(again.ok() && EncodeHello(*again) == EncodeHello(*hello));
    auto agreed = Agree(Hello(), *hello);
    auto other_end = Agree(*hello, Hello());
    CHECK(agreed.ok() == other_end.ok());
    if (agreed.ok()) CHECK(agreed->version == other_end->version && agreed->version >= 1);
  }
}

void Run(std::string_view bytes) {
  if (bytes.empty()) return;
  engine::Reader input(bytes.substr(1));
  switch (bytes[0] % 5) {
    case 0: {
      bool is_open = input.Byte() % 2 == 0;
      size_t step = 1 + input.Byte();
      Status status;
      std::string_view rest = input.Raw(input.left());
      for (const Frame& frame : Read(rest, is_open, step, &status)) {
        CHECK(frame.body.size() <= rest.size());
      }
      return;
    }
    case 1:
      return CheckChosen(&input);
    case 2:
      return CheckDamaged(&input);
    case 3:
      return CheckHello(bytes.substr(1));
    default: {
      Status status = DecodeFailure(bytes.substr(1));
      CHECK(!status.ok() && !DecodeFailure(EncodeFailure(status)).ok());
    }
  }
}

}  // namespace
}  // namespace sippar::net

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  sippar::net::Run({reinterpret_cast<const char*>(data), size});
  return 0;
}
