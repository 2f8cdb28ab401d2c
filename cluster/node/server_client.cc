// SPDX-License-Identifier: Apache-2.0
#include "cluster/node/server_client.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <utility>

#include "cluster/net/failure.h"
#include "cluster/net/unix_socket.h"
#include "cluster/serve/listen_address.h"

namespace sippar::cluster {
namespace {

std::string ValueOf(const char* variable) {
  const char* value = std::getenv(variable);
  return value == nullptr ? "" : value;
}

LineSettings SettingsOf(engine::Clock* clock, const std::shared_ptr<net::TlsKeys>& tls) {
  LineSettings settings;
  settings.clock = clock;
  settings.hello.role = "client";
  settings.hello.name = std::to_string(::getpid());
  settings.tls = tls;
  return settings;
}

// Returns the error for an address at which no Sippar server answers. Perhaps no program listens
// there, or another program listens there, or a server there asks for a certificate.
Status NoSippar(const Status& failure, const std::string& target) {
  if (!net::IsWithoutHello(failure)) {
    return Unavailable(
        fmt::format("{}; start `sippar serve` there, or check host and port", MessageOf(failure)));
  }
  return Unavailable(
      fmt::format("{}; at {} there may be another program, another version of sippar (use "
                  "the same version at both ends), or a server that asks for a certificate "
                  "(set SIPPAR_TLS_CERT, SIPPAR_TLS_KEY and SIPPAR_TLS_CA)",
                  MessageOf(failure), target));
}

StatusOr<std::unique_ptr<RemoteClient>> ConnectSocket(const std::string& address,
                                                      const std::string& target,
                                                      engine::Clock* clock) {
  RETURN_IF_ERROR(net::CheckSocketPath(address.substr(net::kUnixPrefix.size())));
  LineSettings settings = SettingsOf(clock, nullptr);
  settings.keepalive = net::Keepalive::Never();
  auto client = RemoteClient::Connect({address, 0, ""}, target, settings);
  // A unix socket damages no bytes, so a bad hello means that the server speaks another protocol.
  if (!net::HasBadHello(client.status())) return client;
  return FailedPrecondition(
      fmt::format("{}: its server speaks another protocol than this program; use the same "
                  "version of sippar for both",
                  target));
}

}  // namespace

StatusOr<std::shared_ptr<net::TlsKeys>> TlsKeysOfEnvironment() {
  net::TlsFiles files{ValueOf("SIPPAR_TLS_CERT"), ValueOf("SIPPAR_TLS_KEY"),
                      ValueOf("SIPPAR_TLS_CA")};
  const bool has_all = !files.certificate.empty() && !files.key.empty() && !files.authority.empty();
  if (has_all) return net::TlsKeys::Load(std::move(files));
  if (files.certificate.empty() && files.key.empty() && files.authority.empty()) {
    return std::shared_ptr<net::TlsKeys>();
  }
  return InvalidArgument(
      "TLS: of SIPPAR_TLS_CERT, SIPPAR_TLS_KEY and SIPPAR_TLS_CA only some are set; set all three, "
      "or none");
}

StatusOr<std::shared_ptr<net::TlsKeys>> TlsKeysOf(const net::TlsFiles& files) {
  return files.certificate.empty() ? TlsKeysOfEnvironment() : net::TlsKeys::Load(files);
}

std::string SecretFileOfEnvironment() { return ValueOf("SIPPAR_ZK_SECRET"); }

bool AllowsUnsafeStoreByEnvironment() {
  const std::string value = ValueOf("SIPPAR_STORE_UNSAFE");
  return !value.empty() && value != "0" && value != "false";
}

StatusOr<std::unique_ptr<RemoteClient>> ConnectServer(const std::string& address,
                                                      const std::string& target,
                                                      engine::Clock* clock,
                                                      const std::shared_ptr<net::TlsKeys>& tls,
                                                      bool has_others) {
  if (net::IsUnixHost(address)) return ConnectSocket(address, target, clock);
  ASSIGN_OR_RETURN(ListenAddress place, ListenAddress::Parse(address));
  LineSettings settings = SettingsOf(clock, tls);
  if (has_others) {
    settings.keepalive = net::Keepalive::OfTheirLease();
    settings.connect_max_us = settings.keepalive.leave_after_us;
  }
  auto client = RemoteClient::Connect({place.Host(), place.port, ""}, target, settings);
  const bool is_no_peer = client.status().code() == StatusCode::kUnavailable;
  return is_no_peer ? NoSippar(client.status(), target) : std::move(client);
}

}  // namespace sippar::cluster
