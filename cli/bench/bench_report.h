// Results as text. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cli/bench/workload.h"

namespace sippar::cli {

// "1,234,567"
std::string PrintGrouped(double value);
// One object a line.
std::string PrintJson(const std::vector<WorkloadResult>& results);
std::string PrintTable(const std::vector<WorkloadResult>& results);
// Beside Table 1 of the paper, in its order; workloads that were not reached are left out.
std::string PrintBesidePaper(const std::vector<WorkloadResult>& results);

// An SVG picture: throughput over time, with the ends of flushes and compactions below. `title` is
// plain text.
std::string DrawChart(const std::string& title, const std::vector<WorkloadResult>& results);

}  // namespace sippar::cli
