// The lock service's file `store`: where the files of a cluster are, and whether an init or a
// collapse of the cluster has not ended. Pure. Internal to cluster/node.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "cluster/node/target.h"
#include "engine/base/status.h"

namespace sippar::cluster {

enum class StorePhase : uint8_t {
  kComplete,    // "SCHEME:DIR"
  kMaking,      // "making SCHEME:DIR": an init has not ended
  kCollapsing,  // "collapsing SCHEME:DIR", newline, `target`: a collapse has not ended
};

struct StoreFile {
  StorePhase phase = StorePhase::kComplete;
  StorePlace place;
  std::string target;  // kCollapsing: what the directory's TARGET names until the commit
};

// kInvalidArgument: see ParseStorePlace.
[[nodiscard]] StatusOr<StoreFile> ParseStoreFile(const std::string& content);
std::string PrintStoreFile(const StoreFile& file);

// Returns the place that the file of a complete cluster names. kFailedPrecondition: an init or a
// collapse has not ended; kInvalidArgument: see ParseStorePlace. The caller names the cluster.
[[nodiscard]] StatusOr<StorePlace> PlaceOfComplete(const std::string& content);

}  // namespace sippar::cluster
