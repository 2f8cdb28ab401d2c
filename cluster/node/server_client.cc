// Which protocol a port speaks shows only when it is called. The wire is tried first, because a
// gRPC server ends such a connection at once. SPDX-License-Identifier: Apache-2.0
#include "cluster/node/server_client.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <utility>

#include "cluster/net/failure.h"
#include "cluster/serve/listen_address.h"
#include "cluster/wire/line_client.h"

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

// What is there may be another program, or a server that asks for certificates.
Status NoSippar(const Status& failure, const std::string& target) {
  return Unavailable(
      fmt::format("{}; what answers at {} may be another program, or asks for a certificate "
                  "(SIPPAR_TLS_CERT, SIPPAR_TLS_KEY, SIPPAR_TLS_CA)",
                  MessageOf(failure), target));
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

StatusOr<std::unique_ptr<RemoteClient>> ConnectServer(const std::string& address,
                                                      const std::string& target,
                                                      engine::Clock* clock,
                                                      const std::shared_ptr<net::TlsKeys>& tls) {
  ASSIGN_OR_RETURN(ListenAddress place, ListenAddress::Parse(address));
  auto over_wire = ConnectLine({place.Host(), place.port, ""}, target, SettingsOf(clock, tls));
  // With certificates no call goes out in clear.
  if (tls != nullptr || !net::IsWithoutHello(over_wire.status()) ||
      over_wire.status().code() != StatusCode::kUnavailable) {
    return over_wire;
  }
  auto over_grpc = RemoteClient::Connect(address, target, clock);
  if (over_grpc.status().code() != StatusCode::kUnavailable) return over_grpc;
  return NoSippar(over_wire.status(), target);
}

}  // namespace sippar::cluster
