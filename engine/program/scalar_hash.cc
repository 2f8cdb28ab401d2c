// The hash functions MD5 and SHA, from OpenSSL, and FarmHash.
// SPDX-License-Identifier: Apache-2.0
#include <farmhash.h>
#include <openssl/evp.h>

#include <array>

#include "engine/program/program_error.h"
#include "engine/program/scalar_function.h"

namespace sippar::engine {
namespace {

const EVP_MD* DigestOf(Function function) {
  switch (function) {
    case Function::kMd5:
      return EVP_md5();
    case Function::kSha1:
      return EVP_sha1();
    case Function::kSha256:
      return EVP_sha256();
    default:
      return EVP_sha512();
  }
}

Status Digest(CallSite* site, Arguments args, Value* out) {
  if (!args[0]->is_string()) return TypeError(*site, args);
  const std::string& bytes = args[0]->bytes();
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  // OpenSSL refuses MD5 where the machine's policy forbids it.
  if (EVP_Digest(bytes.data(), bytes.size(), digest.data(), &size, DigestOf(site->function),
                 nullptr) != 1) {
    return ProgramError("UNSUPPORTED", std::string(FindFunction(site->function)->name) +
                                           " is not supported by this machine's OpenSSL");
  }
  *out = Value::Bytes(std::string(reinterpret_cast<const char*>(digest.data()), size));
  return OkStatus();
}

Status FarmFingerprint(CallSite* site, Arguments args, Value* out) {
  if (!args[0]->is_string()) return TypeError(*site, args);
  const std::string& bytes = args[0]->bytes();
  *out = Value::Int64(static_cast<int64_t>(util::Fingerprint64(bytes.data(), bytes.size())));
  return OkStatus();
}

}  // namespace

ScalarEntry FindHashFunction(Function function) {
  switch (function) {
    case Function::kMd5:
    case Function::kSha1:
    case Function::kSha256:
    case Function::kSha512:
      return {Digest};
    case Function::kFarmFingerprint:
      return {FarmFingerprint};
    default:
      return {};
  }
}

}  // namespace sippar::engine
