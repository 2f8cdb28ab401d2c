// SPDX-License-Identifier: Apache-2.0
#include "query/plan/token_text.h"

#include "engine/base/checksum.h"
#include "engine/base/coding.h"

namespace sippar::query {
namespace {

constexpr std::string_view kDigits = "0123456789abcdefghijklmnopqrstuv";  // base 32

}  // namespace

std::string ToTokenText(std::string bytes) {
  engine::PutFixed32(&bytes, static_cast<uint32_t>(engine::Checksum(bytes, 1)));
  std::string text;
  uint32_t bits = 0;
  int count = 0;
  for (char c : bytes) {
    bits = bits << 8 | static_cast<unsigned char>(c);
    for (count += 8; count >= 5; count -= 5) text.push_back(kDigits[bits >> (count - 5) & 31]);
  }
  if (count > 0) text.push_back(kDigits[bits << (5 - count) & 31]);
  return text;
}

bool FromTokenText(std::string_view text, std::string* bytes) {
  bytes->clear();
  uint32_t bits = 0;
  int count = 0;
  for (char c : text) {
    size_t digit = kDigits.find(c);
    if (digit == kDigits.npos) return false;
    bits = bits << 5 | static_cast<uint32_t>(digit);
    count += 5;
    if (count >= 8) {
      count -= 8;
      bytes->push_back(static_cast<char>(bits >> count & 0xff));
    }
  }
  if (bytes->size() < 4) return false;
  std::string_view body(bytes->data(), bytes->size() - 4);
  uint32_t sum = engine::GetFixed32(bytes->data() + body.size());
  // The last digit may have padding bits. The loop above has ignored them, so a token with changed
  // padding bits is accepted, too.
  if (sum != static_cast<uint32_t>(engine::Checksum(body, 1))) return false;
  bytes->resize(body.size());
  return true;
}

}  // namespace sippar::query
