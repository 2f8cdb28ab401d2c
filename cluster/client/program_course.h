// Runs a row program over a range that was one tablet's range when the caller looked it up.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "cluster/client/tablet_caller.h"

namespace sippar::cluster {

// Implements DataApi::Run. If the range lies in one tablet, its server runs the program. Otherwise
// the program runs in this process over a stream of cells, because the results of a range must be
// those of one run: an aggregate, for example, yields each group once.
[[nodiscard]] Status RunOnRange(TabletCaller* caller, const std::string& table,
                                const RowRange& range, const engine::Program& program,
                                const CallOptions& options, engine::ProgramSink* sink);

}  // namespace sippar::cluster
