// Answers the mount's questions with the query language, through a session of its own for each.
// Used by the command mount. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "cluster/client/client.h"
#include "fuse/tree/answers.h"

namespace sippar::cli {

// `queries` is a folder of statements, one in each file NAME.sql; "": there are none. `client`
// outlives the result.
std::unique_ptr<fuse::Answers> NewMountAnswers(cluster::Client* client, const std::string& queries);

}  // namespace sippar::cli
