// Formats what a master, the servers or the doctor report of a cluster, as JSON for scripts or as
// text for people. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "cluster/api/call_trace_info.h"
#include "cluster/api/cluster_status.h"
#include "cluster/api/row_calls.h"
#include "cluster/node/cluster_findings.h"

namespace sippar::cli {

// Each returns one JSON object on one line, with a newline. Unknown values are null. Names of
// durations end in _s (seconds) or _ms.
std::string HealthJson(const cluster::ClusterHealth& health);
std::string TabletJson(const std::string& table, const cluster::TabletInfo& tablet);
std::string EventJson(const cluster::TabletEventInfo& event);
std::string TraceJson(const cluster::CallTraceInfo& trace);
std::string FindingJson(const cluster::ClusterFinding& finding);

// One or more lines of text; unprintable characters of names and keys are escaped.
std::string HealthText(const cluster::ClusterHealth& health);
std::string TabletText(const std::string& table, const cluster::TabletInfo& tablet);
std::string EventText(const cluster::TabletEventInfo& event);
std::string TraceText(const cluster::CallTraceInfo& trace);
std::string FindingText(const cluster::ClusterFinding& finding);

}  // namespace sippar::cli
