// Connects to a server, at host:port or on a unix socket.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "cluster/net/tls.h"
#include "cluster/wire/remote_client.h"
#include "engine/base/clock.h"
#include "engine/base/status.h"

namespace sippar::cluster {

// Loads this end's certificates from the files that SIPPAR_TLS_CERT, SIPPAR_TLS_KEY and
// SIPPAR_TLS_CA name; null if none of the three is set. kInvalidArgument: only some are set, or a
// file cannot be used.
[[nodiscard]] StatusOr<std::shared_ptr<net::TlsKeys>> TlsKeysOfEnvironment();

// Loads the certificates in `files`; if `files` names none, those of the environment.
[[nodiscard]] StatusOr<std::shared_ptr<net::TlsKeys>> TlsKeysOf(const net::TlsFiles& files);

// Returns the value of SIPPAR_ZK_SECRET: the path of the file with the cluster's secret for
// ZooKeeper. Returns "" if the variable is not set.
[[nodiscard]] std::string SecretFileOfEnvironment();

// True if SIPPAR_STORE_UNSAFE is set and not "0" or "false" (SiteOptions::allows_unsafe_store).
bool AllowsUnsafeStoreByEnvironment();

// `address`: HOST:PORT, with TLS if `tls` is set; or unix:PATH. `target` names the server in error
// messages. When OK, the server has answered. Errors are those of RemoteClient::Connect, and
// kFailedPrecondition: the server on the unix socket, perhaps an older program, speaks another
// protocol. `has_others`: the caller can go on at another server, so one at host:port that says
// nothing is given up within two thirds of a lease; otherwise after 40 s, since a client that has
// no other server would only fail sooner.
[[nodiscard]] StatusOr<std::unique_ptr<RemoteClient>> ConnectServer(
    const std::string& address, const std::string& target, engine::Clock* clock,
    const std::shared_ptr<net::TlsKeys>& tls, bool has_others = false);

}  // namespace sippar::cluster
