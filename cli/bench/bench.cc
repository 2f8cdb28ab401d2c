// `sippar bench DIR --workload …`: prepares the table, runs the workloads and reports. Uses the
// store through the client alone, so that it can measure servers as well.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <memory>
#include <utility>

#include "cli/bench/bench_report.h"
#include "cli/bench/bench_table.h"
#include "cli/bench/workload.h"
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/message.h"
#include "cluster/node/open_client.h"

namespace sippar::cli {
namespace {

// The flag is global, because a signal handler gets no context argument. It is lock-free, so that a
// handler may set it.
std::atomic<bool> interrupted{false};

// The first Ctrl-C ends the measurement, the second ends the program.
void OnInterrupt(int signal) {
  interrupted = true;
  std::signal(signal, SIG_DFL);
}

void ShowProgress(const Workload& workload, uint64_t done, double seconds) {
  constexpr double kFirstShown = 0.5;
  if (seconds < kFirstShown) return;
  fmt::print(stderr, "\r\x1b[K{}  {} of {} rows  {:.0f} %  {:.0f}/s  {:.1f} s", workload.name, done,
             workload.rows, 100.0 * static_cast<double>(done) / static_cast<double>(workload.rows),
             static_cast<double>(done) / seconds, seconds);
  std::fflush(stderr);
}

std::vector<Workload> WorkloadsOf(const BenchOptions& options) {
  using Kind = Workload::Kind;
  if (options.workload == "paper") {
    // The paper reads a tenth of the data in the workload that reads from memory.
    uint64_t mem_rows = options.rows / 10 + 1;
    return {{"sequential writes", Kind::kWriteSeq, options.rows},
            {"random writes", Kind::kWriteRandom, options.rows},
            {"sequential reads", Kind::kReadSeq, options.rows},
            {"random reads", Kind::kReadRandom, options.rows},
            {"scans", Kind::kScan, options.rows},
            {"random reads (mem)", Kind::kReadRandom, mem_rows, "m"}};
  }
  constexpr std::pair<const char*, Kind> kKinds[] = {
      {"fillseq", Kind::kWriteSeq},        {"fillrandom", Kind::kWriteRandom},
      {"readseq", Kind::kReadSeq},         {"readrandom", Kind::kReadRandom},
      {"readmissing", Kind::kReadMissing}, {"scan", Kind::kScan},
  };
  for (const auto& [name, kind] : kKinds) {
    if (options.workload == name) return {{name, kind, options.rows}};
  }
  return {};
}

// Runs the whole command on an open store.
class Bench {
 public:
  Bench(cluster::Client* client, const BenchOptions& options)
      : client_(client),
        options_(options),
        values_(options.seed, options.value_size, options.rows, options.workload != "paper"),
        terminal_(::isatty(STDERR_FILENO) == 1) {}

  // Stops at the first error or Ctrl-C; results() then has what was measured until then.
  Status Run() {
    std::vector<Workload> workloads = WorkloadsOf(options_);
    if (workloads.front().writes()) {
      RETURN_IF_ERROR(MakeBenchTable(client_, options_));
      table_ = "partly filled";
    } else {
      RETURN_IF_ERROR(EnsureFilled());
    }
    bool settled = false;
    for (const Workload& workload : workloads) {
      // Compacts once before the first read after writes, so that all read workloads of this run
      // find the store in the same state.
      if (!workload.writes() && workloads.size() > 1 && !std::exchange(settled, true)) {
        RETURN_IF_ERROR(client_->admin()->Do(cluster::calls::Compact{kBenchTable, ""}));
      }
      if (workload.family != "f") RETURN_IF_ERROR(Fill(workload.rows, workload.family));
      if (interrupted) return OkStatus();
      ASSIGN_OR_RETURN(WorkloadResult result, Measure(workload, options_));
      results_.push_back(std::move(result));
      // Recorded only after a complete fill, so that a later read workload does not rely on a
      // partial one.
      if (workload.writes() && !interrupted) {
        RETURN_IF_ERROR(NoteFilled(client_, options_, options_.rows));
        table_ = "filled";
      }
    }
    return OkStatus();
  }

  const std::vector<WorkloadResult>& results() const { return results_; }
  const char* table() const { return table_; }  // state of the table, for the report

 private:
  StatusOr<WorkloadResult> Measure(const Workload& workload, const BenchOptions& options) {
    auto show = [this](const Workload& running, uint64_t done, double seconds) {
      if (terminal_) ShowProgress(running, done, seconds);
    };
    auto result = RunWorkload(client_, workload, options, values_, interrupted, show);
    if (terminal_) fmt::print(stderr, "\r\x1b[K");
    return result;
  }

  Status EnsureFilled() {
    ASSIGN_OR_RETURN(uint64_t filled, FilledRows(client_, options_));
    // table_ is printed in the report. This value stays if the table already has enough rows.
    table_ = "used as it was";
    if (filled >= options_.rows) return OkStatus();
    table_ = "partly filled";
    RETURN_IF_ERROR(MakeBenchTable(client_, options_));
    RETURN_IF_ERROR(Fill(options_.rows, "f"));
    if (interrupted) return OkStatus();
    table_ = "filled first";
    return NoteFilled(client_, options_, options_.rows);
  }

  // Fills the table in large batches and compacts it, without measuring, so that the reads that
  // follow are not slowed down by a flush or a compaction.
  Status Fill(uint64_t rows, const std::string& family) {
    BenchOptions options = options_;
    options.batch = std::clamp<uint64_t>((1 << 20) / options.value_size, 1, 1000);
    Workload fill{"filling", Workload::kWriteSeq, rows, family};
    RETURN_IF_ERROR(Measure(fill, options).status());
    if (interrupted) return OkStatus();
    return client_->admin()->Do(cluster::calls::Compact{kBenchTable, ""});
  }

  cluster::Client* client_;
  const BenchOptions& options_;
  const ValuePool values_;
  const bool terminal_;
  const char* table_ = "left as it was";
  std::vector<WorkloadResult> results_;
};

void Report(const BenchOptions& options, const Bench& bench) {
  if (options.format == "json") {
    fmt::print("{}", PrintJson(bench.results()));
  } else if (options.workload == "paper") {
    fmt::print("{}", PrintBesidePaper(bench.results()));
  } else {
    fmt::print("{}", PrintTable(bench.results()));
  }
  std::fflush(stdout);
  // Reads of rows that do not exist are fast; the message shows that the figures include such
  // reads.
  for (const WorkloadResult& result : bench.results()) {
    if (result.found == 0 || result.found == result.rows) continue;
    fmt::print(stderr, "{}: {:.1f} % of the rows were there (random writes leave gaps)\n",
               result.workload,
               100.0 * static_cast<double>(result.found) / static_cast<double>(result.rows));
  }
  fmt::print(stderr, "table {} of {}: {}; it stays: DROP TABLE {} removes it\n", kBenchTable,
             options.directory, bench.table(), kBenchTable);
}

int Fail(const Status& status, int code) {
  PrintMessage("sippar bench", MessageOf(status));
  return code;
}

using ChartFile = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

Status WriteChart(const BenchOptions& options, const Bench& bench, std::FILE* file) {
  std::string svg = DrawChart(
      fmt::format("sippar bench {}: {} rows of {} bytes, {} thread{}, sync {}", options.workload,
                  PrintGrouped(static_cast<double>(options.rows)), options.value_size,
                  options.threads, options.threads == 1 ? "" : "s", options.sync ? "yes" : "no"),
      bench.results());
  if (std::fwrite(svg.data(), 1, svg.size(), file) == svg.size() && std::fflush(file) == 0) {
    return OkStatus();
  }
  return Unavailable(fmt::format("cannot write chart {}: {}", options.chart, std::strerror(errno)));
}

int RunOn(cluster::Client* client, const BenchOptions& options, std::FILE* chart) {
  Status own = CheckOnlyBenchTable(client);
  if (!own.ok()) return Fail(own, kExitNoStore);
  std::signal(SIGINT, OnInterrupt);
  std::signal(SIGTERM, OnInterrupt);
  Bench bench(client, options);
  Status status = bench.Run();
  Report(options, bench);
  if (chart != nullptr && status.ok()) status = WriteChart(options, bench, chart);
  Status closed = client->Close();
  if (status.ok()) status = closed;
  if (!status.ok()) return Fail(status, kExitFailed);
  if (!interrupted) return kExitOk;
  fmt::print(
      stderr, "sippar bench: interrupted; {}\n",
      bench.results().empty() ? "nothing was measured yet" : "these are the figures up to there");
  return kExitInterrupted;
}

}  // namespace

int RunBench(int argc, char** argv) {
  int exit_code = kExitOk;
  std::optional<BenchOptions> options = ParseBenchOptions(argc, argv, &exit_code);
  if (!options.has_value()) return exit_code;
  // The chart file is opened before the run, because an error after an hour of measuring would come
  // too late.
  ChartFile chart(nullptr, &std::fclose);
  if (!options->chart.empty()) {
    chart.reset(std::fopen(options->chart.c_str(), "wb"));
    if (chart == nullptr) {
      return Fail(Unavailable(fmt::format("cannot write chart {}: {}", options->chart,
                                          std::strerror(errno))),
                  kExitUsage);
    }
  }
  cluster::ClientOptions client_options;
  client_options.create_if_missing = true;
  client_options.sync_writes = options->sync;
  auto client = cluster::OpenClient(options->directory, client_options, options->patience);
  if (!client.ok()) return Fail(client.status(), kExitNoStore);
  return RunOn(client->get(), *options, chart.get());
}

}  // namespace sippar::cli
