// ChangeStream over one store: follows a partition's tablet. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "cluster/api/data_api.h"
#include "engine/store/store.h"

namespace sippar::cluster {

// Errors as DataApi::ReadChanges. `store` and `clock` outlive the stream.
[[nodiscard]] StatusOr<std::unique_ptr<ChangeStream>> NewChangeStream(engine::Store* store,
                                                                      engine::Clock* clock,
                                                                      const std::string& table,
                                                                      const ChangesRequest& request,
                                                                      CancelFlag cancel);

}  // namespace sippar::cluster
