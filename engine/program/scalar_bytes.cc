// Encodings of bytes, hashes, and host names of web pages.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <array>

#include "engine/base/checksum.h"
#include "engine/base/crc32c.h"
#include "engine/base/hex.h"
#include "engine/model/hyper_log_log.h"
#include "engine/program/program_error.h"
#include "engine/program/scalar_function.h"

namespace sippar::engine {
namespace {

constexpr std::string_view kBase64 =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

// The six bits that a base64 character stands for; 64 for all other characters.
constexpr std::array<uint8_t, 256> kSixBits = [] {
  std::array<uint8_t, 256> table{};
  table.fill(64);
  for (size_t i = 0; i < kBase64.size(); ++i) {
    table[static_cast<unsigned char>(kBase64[i])] = static_cast<uint8_t>(i);
  }
  return table;
}();

Status ToHex(CallSite* site, Arguments args, Value* out) {
  if (!args[0]->is_string()) return TypeError(*site, args);
  std::string hex;
  hex.reserve(args[0]->bytes().size() * 2);
  AppendHex(args[0]->bytes(), &hex);
  *out = Value::Text(std::move(hex));
  return OkStatus();
}

Status FromHex(CallSite* site, Arguments args, Value* out) {
  if (!args[0]->is_string()) return TypeError(*site, args);
  const std::string& hex = args[0]->bytes();
  std::string bytes;
  // If the number of digits is odd, a 0 is missing before the first digit.
  bool fine = true;
  size_t at = hex.size() % 2;
  if (at == 1) {
    const int digit = HexDigit(hex[0]);
    fine = digit >= 0;
    bytes.push_back(static_cast<char>(digit));
  }
  for (size_t i = at; fine && i < hex.size(); i += 2) {
    int byte = HexByte(hex, i);
    fine = byte >= 0;
    bytes.push_back(static_cast<char>(byte));
  }
  if (!fine) return ProgramError("DECODE", fmt::format("{} is not hex", PrintEscaped(hex)));
  *out = Value::Bytes(std::move(bytes));
  return OkStatus();
}

Status ToBase64(CallSite* site, Arguments args, Value* out) {
  if (!args[0]->is_string()) return TypeError(*site, args);
  const std::string& bytes = args[0]->bytes();
  std::string text;
  for (size_t i = 0; i < bytes.size(); i += 3) {
    uint32_t group = 0;
    size_t count = std::min<size_t>(3, bytes.size() - i);
    for (size_t k = 0; k < 3; ++k) {
      group = group << 8 | (k < count ? static_cast<unsigned char>(bytes[i + k]) : 0);
    }
    // A group of n bytes needs n + 1 digits; '=' signs fill the group up to four characters.
    for (size_t k = 0; k < 4; ++k) {
      text.push_back(k <= count ? kBase64[group >> (18 - 6 * k) & 63] : '=');
    }
  }
  *out = Value::Text(std::move(text));
  return OkStatus();
}

// Appends the bytes that `text` encodes. Blanks may be anywhere. The '=' signs at the end may be
// missing, but if there are any, they fill the last group of four.
bool DecodeBase64(std::string_view text, std::string* bytes) {
  constexpr std::string_view kBlanks = " \t\n\v\f\r";
  uint32_t group = 0;
  int bits = 0;
  size_t digits = 0;
  size_t fill = 0;
  for (char c : text) {
    if (kBlanks.find(c) != kBlanks.npos) continue;
    if (c == '=') {
      ++fill;
      continue;
    }
    const uint32_t digit = kSixBits[static_cast<unsigned char>(c)];
    if (digit == 64 || fill > 0) return false;
    ++digits;
    group = group << 6 | digit;
    bits += 6;
    if (bits >= 8) {
      bits -= 8;
      bytes->push_back(static_cast<char>(group >> bits & 0xff));
    }
  }
  // Fewer than 8 bits may be left over: they are the zeros with which an encoder fills its last
  // digit. A digit alone in its group has less than a byte.
  const size_t missing = (4 - digits % 4) % 4;
  return missing != 3 && (fill == 0 || fill == missing);
}

Status FromBase64(CallSite* site, Arguments args, Value* out) {
  if (!args[0]->is_string()) return TypeError(*site, args);
  std::string bytes;
  if (!DecodeBase64(args[0]->bytes(), &bytes)) {
    return ProgramError("DECODE", fmt::format("{} is not base64", args[0]->Print()));
  }
  *out = Value::Bytes(std::move(bytes));
  return OkStatus();
}

// The result is INT64, the only integer type of the language, so a hash of 64 bits may come out
// negative.
Status HashBytes(CallSite* site, Arguments args, Value* out) {
  if (!args[0]->is_string()) return TypeError(*site, args);
  const std::string& bytes = args[0]->bytes();
  *out = Value::Int64(site->function == Function::kCrc32c ? static_cast<int64_t>(Crc32c(bytes))
                                                          : static_cast<int64_t>(Hash(bytes)));
  return OkStatus();
}

Status HllExtract(CallSite* site, Arguments args, Value* out) {
  if (!args[0]->is_string()) return TypeError(*site, args);
  HyperLogLog sketch;
  if (!sketch.Merge(args[0]->bytes())) {
    return ProgramError("TYPE", "HLL_EXTRACT takes a value of a UNIQUES family");
  }
  *out = Value::Int64(static_cast<int64_t>(sketch.Estimate()));
  return OkStatus();
}

// Returns the host of scheme://user@host:port/path; NULL if the URL has no "://" and does not begin
// with "//", or has no host.
Status UrlHost(CallSite* site, Arguments args, Value* out) {
  if (!args[0]->is_string()) return TypeError(*site, args);
  std::string_view url = args[0]->bytes();
  *out = Value::Null();
  size_t start = url.starts_with("//") ? 0 : url.find("://");
  if (start == url.npos) return OkStatus();
  // A URL may begin with "//" or with "://"; `start` is 0 for both, but their lengths differ.
  url.remove_prefix(start + (start == 0 && url.starts_with("//") ? 2 : 3));
  // Cuts the path off first, because it may contain '@' and ':'.
  url = url.substr(0, url.find_first_of("/?#"));
  // Removes everything up to the last '@': the user part may contain an '@', a host name cannot.
  size_t user = url.rfind('@');
  if (user != url.npos) url.remove_prefix(user + 1);
  // An IPv6 address contains colons, so it ends at its ']' and not at the first colon.
  if (url.starts_with('[')) {
    url = url.substr(0, url.find(']') == url.npos ? url.npos : url.find(']') + 1);
  } else {
    url = url.substr(0, url.find(':'));
  }
  if (url.empty()) return OkStatus();
  // Case does not matter in a host name. In lower case, each host has only one spelling.
  std::string host(url);
  for (char& c : host) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  // The result has the type of the argument, as the type check expects (ResultRule::kFirstString).
  out->AssignBytes(args[0]->type(), host);
  return OkStatus();
}

// Reverses the order of the labels before the first "/" or ":", which gives the row keys of the
// paper's Webtable (section 2).
Status ReverseHost(CallSite* site, Arguments args, Value* out) {
  if (!args[0]->is_string()) return TypeError(*site, args);
  std::string_view text = args[0]->bytes();
  size_t end = std::min(text.find_first_of("/:"), text.size());
  std::string_view host = text.substr(0, end);
  std::string reversed;
  for (;;) {
    size_t dot = host.rfind('.');
    reversed.append(dot == host.npos ? host : host.substr(dot + 1));
    if (dot == host.npos) break;
    reversed.push_back('.');
    host = host.substr(0, dot);
  }
  reversed.append(text.substr(end));
  out->AssignBytes(args[0]->type(), reversed);
  return OkStatus();
}

}  // namespace

ScalarEntry FindBytesFunction(Function function) {
  switch (function) {
    case Function::kToHex:
      return {ToHex};
    case Function::kFromHex:
      return {FromHex};
    case Function::kToBase64:
      return {ToBase64};
    case Function::kFromBase64:
      return {FromBase64};
    case Function::kHash64:
    case Function::kCrc32c:
      return {HashBytes};
    case Function::kHllExtract:
      return {HllExtract};
    case Function::kUrlHost:
      return {UrlHost};
    case Function::kReverseHost:
      return {ReverseHost};
    default:
      return {};
  }
}

}  // namespace sippar::engine
