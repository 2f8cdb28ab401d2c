// Tells the service manager that a server serves, as sd_notify(3) describes: a datagram to the
// socket that NOTIFY_SOCKET names. SPDX-License-Identifier: Apache-2.0
#pragma once

namespace sippar::cli {

// Does nothing where no service manager asked for it. A manager that does not take the notice ends
// the process after a time, so a failure is not reported here.
void TellReady();

}  // namespace sippar::cli
