// A cluster of one: every role runs in this process.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "cluster/client/client.h"
#include "cluster/node/open_client.h"
#include "cluster/serve/directory_socket.h"
#include "engine/store/store_options.h"

namespace sippar::cluster {

// Opens the store in `directory` in this process and returns a client of it. Errors are those of
// OpenClient, and: kUnavailable, naming the lock's file: another process has the store open;
// kResourceExhausted, kPermissionDenied: the disk accepts no writes. `socket` may be null.
// Otherwise the socket is made as soon as the lock is held, so that other processes can wait at it
// for the store; if this call fails, the socket is removed before the lock is released.
[[nodiscard]] StatusOr<std::unique_ptr<Client>> OpenEmbedded(
    const std::string& directory, const ClientOptions& options,
    std::unique_ptr<DirectorySocket>* socket = nullptr);

// Like the function above, but the caller chooses every setting of the store, for tests and
// benchmarks. Makes no socket.
[[nodiscard]] StatusOr<std::unique_ptr<Client>> OpenEmbedded(const std::string& directory,
                                                             const engine::StoreOptions& options);

class ReadingClient : public Client {
 public:
  virtual bool has_refused() const = 0;  // true if a change was refused since the store was opened
};

// Like OpenEmbedded, but for a disk that accepts no writes: the store can be read, including what
// its logs hold, and changes fail with `why`.
[[nodiscard]] StatusOr<std::unique_ptr<ReadingClient>> OpenForReading(
    const std::string& directory, const ClientOptions& options, const Status& why,
    std::unique_ptr<DirectorySocket>* socket = nullptr);

// Removes the file RESERVE, so that a full disk has some room again; false if there was none.
bool GiveUpReserve(const std::string& directory);

}  // namespace sippar::cluster
