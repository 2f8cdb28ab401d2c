// Streams of a joined store: when their server leaves or dies, they continue with the next server
// after what they have given. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "cluster/node/joined_calls.h"

namespace sippar::cluster {

// As the calls of DataApi. `joined` outlives the streams.
[[nodiscard]] StatusOr<std::unique_ptr<CellStream>> ReadJoined(JoinedStore* joined,
                                                               const std::string& table,
                                                               const ReadSpec& read,
                                                               const CallOptions& options);
[[nodiscard]] Status RunJoined(JoinedStore* joined, const std::string& table,
                               const RowRange& tablet_range, const engine::Program& program,
                               const CallOptions& options, engine::ProgramSink* sink);
[[nodiscard]] StatusOr<std::unique_ptr<ChangeStream>> ReadJoinedChanges(
    JoinedStore* joined, const std::string& table, const ChangesRequest& wanted,
    const CallOptions& options);

}  // namespace sippar::cluster
