// Tells the service manager that a server serves, as sd_notify(3) describes: a datagram to the
// socket that NOTIFY_SOCKET names. SPDX-License-Identifier: Apache-2.0
#pragma once

namespace sippar::cli {

// Sends the notice; does nothing if NOTIFY_SOCKET is not set. Errors are ignored: a service manager
// that gets no notice treats the start as failed after its own timeout.
void TellReady();

}  // namespace sippar::cli
