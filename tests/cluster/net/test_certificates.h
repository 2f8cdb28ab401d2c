// Certificates for tests: an authority of their own, and pairs that it signs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>

namespace sippar::net {

class TestAuthority {
 public:
  // Its files and those of its pairs are in `folder`, which exists.
  TestAuthority(std::string folder, const std::string& name);
  ~TestAuthority();
  // Writes NAME.crt and NAME.key. `hosts`: as OpenSSL writes alternative names, "IP:127.0.0.1".
  // `valid_s`: time from now to its end, which may lie in the past day.
  void Issue(const std::string& name, const std::string& hosts, int64_t valid_s = 3600) const;
  std::string File(const std::string& name) const { return folder_ + "/" + name; }
  std::string certificate() const;  // the authority's own file

 private:
  struct Keys;
  const std::string folder_, name_;
  std::unique_ptr<Keys> keys_;
};

}  // namespace sippar::net
