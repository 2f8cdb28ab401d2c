// Certificates for tests: an authority, and key pairs that it signs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>

namespace sippar::net {

class TestAuthority {
 public:
  // The authority's files and those of its pairs are in `folder`, which must exist.
  TestAuthority(std::string folder, const std::string& name);
  ~TestAuthority();
  // Writes NAME.crt and NAME.key. `hosts`: alternative names as OpenSSL writes them,
  // "IP:127.0.0.1". `valid_s`: time from now to the end of validity. It may be negative, by less
  // than a day, because every certificate is valid since a day ago.
  void Issue(const std::string& name, const std::string& hosts, int64_t valid_s = 3600) const;
  std::string File(const std::string& name) const { return folder_ + "/" + name; }
  std::string certificate() const;  // path of the authority's own certificate

 private:
  struct Keys;
  const std::string folder_, name_;
  std::unique_ptr<Keys> keys_;
};

}  // namespace sippar::net
