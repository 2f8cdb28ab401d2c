// SPDX-License-Identifier: Apache-2.0
#include "tests/cluster/net/test_certificates.h"

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <cstdio>
#include <utility>

#include "engine/base/check.h"

namespace sippar::net {
namespace {

using Key = std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)>;
using Certificate = std::unique_ptr<X509, decltype(&X509_free)>;

void Extend(X509* certificate, X509* issuer, int what, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, &context, what, value.c_str());
  CHECK(extension != nullptr);
  CHECK(X509_add_ext(certificate, extension, -1) == 1);
  X509_EXTENSION_free(extension);
}

// Makes a certificate; with `issuer` nullptr it is self-signed.
Certificate Make(const std::string& name, EVP_PKEY* key, X509* issuer, EVP_PKEY* issuer_key,
                 const std::string& hosts, int64_t valid_s) {
  static long serial = 0;
  Certificate made(X509_new(), X509_free);
  X509_set_version(made.get(), 2);
  ASN1_INTEGER_set(X509_get_serialNumber(made.get()), ++serial);
  X509_gmtime_adj(X509_getm_notBefore(made.get()), -24 * 3600);
  X509_gmtime_adj(X509_getm_notAfter(made.get()), valid_s);
  X509_set_pubkey(made.get(), key);
  X509_NAME_add_entry_by_txt(X509_get_subject_name(made.get()), "CN", MBSTRING_ASC,
                             reinterpret_cast<const unsigned char*>(name.c_str()), -1, -1, 0);
  X509* signer = issuer == nullptr ? made.get() : issuer;
  X509_set_issuer_name(made.get(), X509_get_subject_name(signer));
  if (issuer == nullptr) Extend(made.get(), signer, NID_basic_constraints, "critical,CA:TRUE");
  if (!hosts.empty()) Extend(made.get(), signer, NID_subject_alt_name, hosts);
  CHECK(X509_sign(made.get(), issuer_key, EVP_sha256()) > 0);
  return made;
}

void Write(const std::string& path, X509* certificate, EVP_PKEY* key) {
  // The file gets its final name only when it is complete, as an operator should do it.
  std::string unfinished = path + ".new";
  FILE* file = std::fopen(unfinished.c_str(), "w");
  CHECK(file != nullptr);
  if (certificate != nullptr) CHECK(PEM_write_X509(file, certificate) == 1);
  if (key != nullptr) {
    CHECK(PEM_write_PrivateKey(file, key, nullptr, nullptr, 0, nullptr, nullptr) == 1);
  }
  CHECK(std::fclose(file) == 0);
  CHECK(std::rename(unfinished.c_str(), path.c_str()) == 0);
}

}  // namespace

struct TestAuthority::Keys {
  Key key{nullptr, EVP_PKEY_free};
  Certificate certificate{nullptr, X509_free};
};

TestAuthority::TestAuthority(std::string folder, const std::string& name)
    : folder_(std::move(folder)), name_(name), keys_(std::make_unique<Keys>()) {
  keys_->key.reset(EVP_EC_gen("P-256"));
  keys_->certificate = Make(name, keys_->key.get(), nullptr, keys_->key.get(), "", 3600);
  Write(certificate(), keys_->certificate.get(), nullptr);
}

TestAuthority::~TestAuthority() = default;

std::string TestAuthority::certificate() const { return File(name_ + ".crt"); }

void TestAuthority::Issue(const std::string& name, const std::string& hosts,
                          int64_t valid_s) const {
  Key key(EVP_EC_gen("P-256"), EVP_PKEY_free);
  Certificate made =
      Make(name, key.get(), keys_->certificate.get(), keys_->key.get(), hosts, valid_s);
  Write(File(name + ".key"), nullptr, key.get());
  Write(File(name + ".crt"), made.get(), nullptr);
}

}  // namespace sippar::net
