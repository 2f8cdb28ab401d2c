// TLS 1.3 with certificates on both sides. This part only transforms bytes; it uses no sockets.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/status.h"
#include "engine/base/thread.h"

namespace sippar::net {

struct TlsFiles {
  std::string certificate;  // path of a PEM file: certificate, then intermediate certificates
  std::string key;
  std::string authority;  // PEM, certificates that may sign the other end's certificate
};

// The names in the other end's certificate.
struct TlsIdentity {
  std::string common_name;
  std::vector<std::string> names;  // DNS names and URIs

  bool IsNone() const { return common_name.empty() && names.empty(); }
};

// One connection's cipher state. Not thread safe.
class TlsSession {
 public:
  virtual ~TlsSession() = default;
  // Takes bytes that came from the other end.
  virtual void Feed(std::string_view cipher) = 0;
  // Continues the handshake. True: it is done. kUnavailable: it failed, and Drain has the alert for
  // the other end.
  virtual StatusOr<bool> Shake() = 0;
  // After the handshake, decrypts what Feed has taken, and returns the number of bytes; 0: no whole
  // record is left. kUnavailable: a record is damaged, or the other end has closed the connection
  // or refused this end's certificate.
  virtual StatusOr<size_t> Decrypt(char* plain, size_t size) = 0;
  [[nodiscard]] virtual Status Encrypt(std::string_view plain) = 0;
  // Appends to `cipher` the bytes to send that Shake, Decrypt and Encrypt have produced.
  virtual void Drain(std::string* cipher) = 0;
  virtual bool HasOutput() const = 0;
  virtual TlsIdentity Peer() const = 0;
};

// The key and certificates of one end. Each new session uses the newest files; the object looks for
// new ones at most once a second. As long as new files do not fit together, the old ones stay in
// use. Thread safe.
class TlsKeys {
 public:
  // kInvalidArgument: a file cannot be used; the message names it.
  static StatusOr<std::shared_ptr<TlsKeys>> Load(TlsFiles files);
  virtual ~TlsKeys() = default;
  virtual StatusOr<std::unique_ptr<TlsSession>> NewServer() = 0;
  // `host`: a DNS name or an address that the server's certificate must name; empty: any.
  virtual StatusOr<std::unique_ptr<TlsSession>> NewClient(const std::string& host) = 0;
};

}  // namespace sippar::net
