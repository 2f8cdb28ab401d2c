// Answers the questions of the mount with the query language. Each question gets its own session.
// Used by `sippar mount`.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "cluster/client/client.h"
#include "fuse/tree/answers.h"

namespace sippar::cli {

// `queries` is a folder that holds one statement in each file NAME.sql; "": no saved statements.
// `client` must outlive the result.
std::unique_ptr<fuse::Answers> NewMountAnswers(cluster::Client* client, const std::string& queries);

}  // namespace sippar::cli
