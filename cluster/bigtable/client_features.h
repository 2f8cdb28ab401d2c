// Reads the header bigtable-features, in which a client lists the features that it supports.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "cluster/proto/feature_flags.pb.h"

namespace sippar::cluster {

// `header`: a FeatureFlags message in base64 (standard or URL alphabet, with or without padding).
// Decodes it up to the first character that is not base64. Returns no flags if the bytes are no
// FeatureFlags message.
google::bigtable::v2::FeatureFlags ClientFeatures(std::string_view header);

}  // namespace sippar::cluster
