// What a client says it can take, from the header bigtable-features. SPDX-License-Identifier:
// Apache-2.0
#pragma once

#include <string_view>

#include "cluster/proto/feature_flags.pb.h"

namespace sippar::cluster {

// `header`: base64 (either alphabet, padded or not) of FeatureFlags; what does not decode says
// nothing.
google::bigtable::v2::FeatureFlags ClientFeatures(std::string_view header);

}  // namespace sippar::cluster
