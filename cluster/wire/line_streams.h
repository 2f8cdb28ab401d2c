// The caller's end of the streams over a line (wire/line.h): cells, the rows of a program, and
// changes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "cluster/api/data_api.h"
#include "cluster/wire/line.h"

namespace sippar::cluster {

// `request` is an encoded ReadRequest (wire/stream_messages.h). Returns once the first cell, the
// end or an error has come.
[[nodiscard]] StatusOr<std::unique_ptr<CellStream>> ReadOverLine(Line* line, Method method,
                                                                 std::string request,
                                                                 const CallOptions& options);
// Runs a program and passes its rows to `sink`. `request` is an encoded RunRequest.
[[nodiscard]] Status RunOverLine(Line* line, Method method, std::string request,
                                 const CallOptions& options, engine::ProgramSink* sink);
// `request` is an encoded ChangesCall. Waits for the first batch, which the server sends at once,
// or for an error, so an invalid request fails here.
[[nodiscard]] StatusOr<std::unique_ptr<ChangeStream>> ChangesOverLine(Line* line, Method method,
                                                                      std::string request,
                                                                      const CallOptions& options);

}  // namespace sippar::cluster
