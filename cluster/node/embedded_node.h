// The embedded shape: every role in this process. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "cluster/client/client.h"

namespace sippar::cluster {

// A client of the store in `directory`, which this process opens. Errors as Client::Open;
// kUnavailable, naming the file LOCK: another process has it.
[[nodiscard]] StatusOr<std::unique_ptr<Client>> OpenEmbedded(const std::string& directory,
                                                             const ClientOptions& options);

}  // namespace sippar::cluster
