// SPDX-License-Identifier: Apache-2.0
#include "cli/bench/bench_report.h"

#include <fmt/format.h>

#include "cli/run_statement.h"
#include "query/format/json_value.h"

namespace sippar::cli {
namespace {

// Table 1 of the paper: values of 1,000 bytes read or written per second by one tablet server.
struct PaperFigure {
  const char* workload;
  double per_second;
};
constexpr PaperFigure kTable1[] = {
    {"random reads", 1212},     {"random reads (mem)", 10811}, {"random writes", 8850},
    {"sequential reads", 4425}, {"sequential writes", 8547},   {"scans", 15385},
};

}  // namespace

std::string PrintGrouped(double value) {
  std::string digits = fmt::format("{:.0f}", value);
  for (auto at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > 0; at -= 3) {
    digits.insert(static_cast<size_t>(at), ",");
  }
  return digits;
}

// One JSON object per line and no enclosing list, so that results can be appended to a file and
// read as JSON Lines.
std::string PrintJson(const std::vector<WorkloadResult>& results) {
  std::string out;
  for (const WorkloadResult& result : results) {
    out += fmt::format(
        "{{\"workload\":{},\"rows\":{},\"threads\":{},\"sync\":{},\"ops_per_s\":{:.1f},"
        "\"p50_us\":{:.2f},\"p99_us\":{:.2f},\"p999_us\":{:.2f},\"cpu_us_per_op\":{:.3f},"
        "\"bytes_written\":{}}}\n",
        query::JsonText(result.workload), result.rows, result.threads, result.sync,
        result.ops_per_s, result.p50_us, result.p99_us, result.p999_us, result.cpu_us_per_op,
        result.bytes_written);
  }
  return out;
}

std::string PrintTable(const std::vector<WorkloadResult>& results) {
  std::string out = fmt::format("{:<18} {:>12} {:>7} {:>4} {:>10} {:>9} {:>9} {:>9} {:>9} {:>10}\n",
                                "workload", "rows", "threads", "sync", "ops/s", "p50 us", "p99 us",
                                "p99.9 us", "cpu us/op", "written");
  for (const WorkloadResult& result : results) {
    out +=
        fmt::format("{:<18} {:>12} {:>7} {:>4} {:>10} {:>9.2f} {:>9.2f} {:>9.2f} {:>9.2f} {:>10}\n",
                    result.workload, PrintGrouped(static_cast<double>(result.rows)), result.threads,
                    result.sync ? "yes" : "no", PrintGrouped(result.ops_per_s), result.p50_us,
                    result.p99_us, result.p999_us, result.cpu_us_per_op,
                    PrintBytes(static_cast<double>(result.bytes_written)));
  }
  return out;
}

std::string PrintBesidePaper(const std::vector<WorkloadResult>& results) {
  std::string out =
      fmt::format("{:<18} {:>12} {:>14} {:>8} {:>9} {:>9} {:>9}\n", "values per second", "sippar",
                  "paper, 2006", "ratio", "p50 us", "p99 us", "p99.9 us");
  // In the paper's order, not in that of the runs, so that the lines can be compared with Table 1.
  for (const PaperFigure& paper : kTable1) {
    for (const WorkloadResult& result : results) {
      if (result.workload != paper.workload) continue;
      out += fmt::format("{:<18} {:>12} {:>14} {:>7.1f}x {:>9.2f} {:>9.2f} {:>9.2f}\n",
                         result.workload, PrintGrouped(result.ops_per_s),
                         PrintGrouped(paper.per_second), result.ops_per_s / paper.per_second,
                         result.p50_us, result.p99_us, result.p999_us);
    }
  }
  return out +
         "paper: Table 1, one tablet server, its data in GFS on other machines; here: one process "
         "and its own disk\n";
}

}  // namespace sippar::cli
