// Unix sockets between processes of one user: the path of a store directory's socket, and the user
// at the other end of a connection.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "cluster/net/socket.h"
#include "engine/base/status.h"

namespace sippar::net {

// Returns the path of the directory's socket; "" if it is too long for a socket address.
std::string SocketPath(const std::string& directory);

// Explains, for error messages, why the directory has no SocketPath.
std::string LongSocketPath(const std::string& directory);

// kInvalidArgument: the path is too long for a socket address.
[[nodiscard]] Status CheckSocketPath(const std::string& path);

// Makes a socket at `path` that only processes of this user can connect to. Requires: no process
// listens there. The socket file of an earlier process is removed. kUnavailable: the socket cannot
// be made.
[[nodiscard]] StatusOr<std::unique_ptr<Socket>> ListenAlone(const std::string& path);

// True if the process at the other end of the connected socket `fd` belongs to this user, according
// to the kernel.
bool IsOfThisUser(int fd);

}  // namespace sippar::net
