// Connects to a server, at host:port or on a unix socket. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "cluster/net/tls.h"
#include "cluster/wire/remote_client.h"
#include "engine/base/clock.h"
#include "engine/base/status.h"

namespace sippar::cluster {

// The certificates of this end, from the files that SIPPAR_TLS_CERT, SIPPAR_TLS_KEY and
// SIPPAR_TLS_CA name; null if none of the three is set. kInvalidArgument: only some are set, or a
// file cannot be used.
[[nodiscard]] StatusOr<std::shared_ptr<net::TlsKeys>> TlsKeysOfEnvironment();

// The certificates in `files`; of the environment, if `files` names none.
[[nodiscard]] StatusOr<std::shared_ptr<net::TlsKeys>> TlsKeysOf(const net::TlsFiles& files);

// The file with the cluster's secret in ZooKeeper, which SIPPAR_ZK_SECRET names; "": none.
[[nodiscard]] std::string SecretFileOfEnvironment();

// `address`: HOST:PORT, with TLS if there are `tls`; or unix:PATH. `target` names the server in
// error messages. When OK, the server has answered. Errors as RemoteClient::Connect, and
// kFailedPrecondition: another protocol is spoken on the unix socket, as by an older program.
[[nodiscard]] StatusOr<std::unique_ptr<RemoteClient>> ConnectServer(
    const std::string& address, const std::string& target, engine::Clock* clock,
    const std::shared_ptr<net::TlsKeys>& tls);

}  // namespace sippar::cluster
