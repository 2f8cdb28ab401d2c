// Prints results as text, JSON or a picture. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cli/bench/workload.h"

namespace sippar::cli {

// A number with separators, such as "1,234,567".
std::string PrintGrouped(double value);
// One object per line.
std::string PrintJson(const std::vector<WorkloadResult>& results);
std::string PrintTable(const std::vector<WorkloadResult>& results);
// Compares with Table 1 of the paper, in its order. Workloads without a result are left out.
std::string PrintBesidePaper(const std::vector<WorkloadResult>& results);

// An SVG picture: throughput over time, and below it the ends of flushes and compactions. `title`
// is plain text.
std::string DrawChart(const std::string& title, const std::vector<WorkloadResult>& results);

}  // namespace sippar::cli
