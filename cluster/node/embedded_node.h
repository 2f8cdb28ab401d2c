// The embedded shape: every role in this process. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "cluster/client/client.h"

namespace sippar::cluster {

// A client of the store in `directory`, which this process opens. Errors as Client::Open;
// kUnavailable, naming the file of the lock: another process has it; kResourceExhausted,
// kPermissionDenied: the disk takes nothing.
[[nodiscard]] StatusOr<std::unique_ptr<Client>> OpenEmbedded(const std::string& directory,
                                                             const ClientOptions& options);

class ReadingClient : public Client {
 public:
  virtual bool has_refused() const = 0;  // a change, since it was opened
};

// The same on a disk that takes nothing: it is read, with what its logs hold; changes get `why`.
[[nodiscard]] StatusOr<std::unique_ptr<ReadingClient>> OpenForReading(const std::string& directory,
                                                                      const ClientOptions& options,
                                                                      const Status& why);

// Gives up room that the store keeps for a full disk; false: it had none.
bool GiveUpReserve(const std::string& directory);

}  // namespace sippar::cluster
