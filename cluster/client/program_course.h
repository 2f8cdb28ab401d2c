// A row program on the rows of a range that was one tablet's when it was cut.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "cluster/client/tablet_caller.h"

namespace sippar::cluster {

// As DataApi::Run. Beside the data where the range lies in one tablet, else here over a stream.
[[nodiscard]] Status RunOnRange(TabletCaller* caller, const std::string& table,
                                const RowRange& range, const engine::Program& program,
                                const CallOptions& options, engine::ProgramSink* sink);

}  // namespace sippar::cluster
