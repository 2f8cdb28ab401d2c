// TLS 1.3 with certificates on both sides, as a transformer of bytes: no sockets here.
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
  std::string certificate;  // PEM, with the certificates between it and the authority's
  std::string key;
  std::string authority;  // the certificates that the other end's has to be signed by
};

// Whom the other end's certificate names.
struct TlsIdentity {
  std::string common_name;
  std::vector<std::string> names;  // DNS names and URIs

  bool IsNone() const { return common_name.empty() && names.empty(); }
};

// One connection's cipher state. Not thread safe.
class TlsSession {
 public:
  virtual ~TlsSession() = default;
  // Bytes that came from the line.
  virtual void Feed(std::string_view cipher) = 0;
  // Goes on with the handshake. True: it is done. kUnavailable: it failed; Drain has the alert.
  virtual StatusOr<bool> Shake() = 0;
  // Bytes of what Feed brought, once the handshake is done; 0: no more. kUnavailable: the line is
  // damaged or was ended by the other end.
  virtual StatusOr<size_t> Decrypt(char* plain, size_t size) = 0;
  [[nodiscard]] virtual Status Encrypt(std::string_view plain) = 0;
  // Moves to `cipher` what has to go to the line: of Shake, Decrypt and Encrypt.
  virtual void Drain(std::string* cipher) = 0;
  virtual bool HasOutput() const = 0;
  virtual TlsIdentity Peer() const = 0;
};

// An end's certificates. Changed files are noticed by the next session, at most once a second; a
// pair that does not fit together (yet) is passed over. Thread safe.
class TlsKeys {
 public:
  // kInvalidArgument: a file cannot be used; the message names it.
  static StatusOr<std::shared_ptr<TlsKeys>> Load(TlsFiles files);
  virtual ~TlsKeys() = default;
  virtual StatusOr<std::unique_ptr<TlsSession>> NewServer() = 0;
  // `host`: the server's certificate has to name it, a DNS name or an address; empty: any name.
  virtual StatusOr<std::unique_ptr<TlsSession>> NewClient(const std::string& host) = 0;
};

}  // namespace sippar::net
