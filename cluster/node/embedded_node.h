// The embedded shape: every role in this process. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "cluster/client/client.h"
#include "cluster/node/open_client.h"
#include "cluster/serve/directory_socket.h"

namespace sippar::cluster {

// A client of the store in `directory`, which this process opens. Errors as OpenClient;
// kUnavailable, naming the file of the lock: another process has it; kResourceExhausted,
// kPermissionDenied: the disk takes nothing. `socket` may be null; it is made as soon as the lock
// is had, so that others wait at it for the store, and goes before the lock when this fails.
[[nodiscard]] StatusOr<std::unique_ptr<Client>> OpenEmbedded(
    const std::string& directory, const ClientOptions& options,
    std::unique_ptr<DirectorySocket>* socket = nullptr);

class ReadingClient : public Client {
 public:
  virtual bool has_refused() const = 0;  // a change, since it was opened
};

// The same on a disk that takes nothing: it is read, with what its logs hold; changes get `why`.
[[nodiscard]] StatusOr<std::unique_ptr<ReadingClient>> OpenForReading(
    const std::string& directory, const ClientOptions& options, const Status& why,
    std::unique_ptr<DirectorySocket>* socket = nullptr);

// Gives up room that the store keeps for a full disk; false: it had none.
bool GiveUpReserve(const std::string& directory);

}  // namespace sippar::cluster
