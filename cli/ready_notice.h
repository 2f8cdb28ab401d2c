// Reports to the service manager that a server is ready, as sd_notify(3) describes: sends a
// datagram to the socket in NOTIFY_SOCKET.
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace sippar::cli {

// Sends the notice; does nothing if NOTIFY_SOCKET is not set. Ignores errors: if the notice does
// not arrive, the service manager treats the start as failed after its own timeout.
void TellReady();

}  // namespace sippar::cli
