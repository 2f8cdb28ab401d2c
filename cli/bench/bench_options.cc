// SPDX-License-Identifier: Apache-2.0
#include "cli/bench/bench_options.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "cli/arguments.h"
#include "cli/exit_code.h"
#include "cli/wait_option.h"
#include "engine/base/limits.h"

namespace sippar::cli {
namespace {

constexpr uint64_t kRowsMax = 1'000'000'000'000;
constexpr uint64_t kSeedMax = INT64_MAX;
constexpr uint64_t kThreadsMax = 256;
constexpr uint64_t kBatchMax = 10'000;
// Limit of the bytes in one write call. Each thread holds one call in memory.
constexpr uint64_t kCallBytesMax = 256 << 20;

constexpr const char* kFooter =
    "workloads:\n"
    "  fillseq      a fresh table, rows in order        readseq      rows in order, one read each\n"
    "  fillrandom   a fresh table, rows at random       readrandom   rows at random, one read "
    "each\n"
    "  scan         all rows, one scan a thread         readmissing  rows that do not exist\n"
    "  paper        the six of section 7 of the Bigtable paper, beside its figures\n"
    "Reads use what an earlier fill left when it is enough, else they fill first, untimed.\n"
    "A key has 16 bytes; values compress about 2:1, those of `paper` not at all. Latencies are of\n"
    "one call: a read, a row of a scan, or --batch written rows. bytes_written counts the log and\n"
    "the flushes and compactions that ended meanwhile. Ctrl-C ends with what was measured.\n\n"
    "examples:\n"
    "  sippar bench ./bench --workload fillrandom --rows 1000000 --sync no --chart fill.svg\n"
    "  sippar bench ./bench --workload readrandom --rows 1000000 --threads 4\n"
    "  sippar bench ./bench --workload fillseq --threads 16 --format json\n"
    "  sippar bench ./bench --workload paper --rows 1000000 --sync no\n";

void AddOptions(CLI::App* app, BenchOptions* options, std::string* sync) {
  app->add_option("DIR", options->directory,
                  "directory of the store, new or from an earlier bench; host:port; or zk://...")
      ->required();
  app->add_option("--workload", options->workload, "see below")
      ->required()
      ->check(CLI::IsMember(
          {"fillseq", "fillrandom", "readseq", "readrandom", "readmissing", "scan", "paper"}));
  app->add_option("--rows", options->rows, "rows of the table, and operations")
      ->check(CLI::Range(uint64_t{1}, kRowsMax))
      ->capture_default_str();
  app->add_option("--value", options->value_size, "bytes of a value")
      ->check(CLI::Range(uint64_t{1}, uint64_t{limits::kValueSizeMax}))
      ->capture_default_str();
  app->add_option("--threads,--clients", options->threads, "clients that work at the same time")
      ->check(CLI::Range(uint64_t{1}, kThreadsMax))
      ->capture_default_str();
  app->add_option("--batch", options->batch, "rows of one write call")
      ->check(CLI::Range(uint64_t{1}, kBatchMax))
      ->capture_default_str();
  app->add_option("--seed", options->seed, "seed of the random keys and values")
      ->check(CLI::Range(uint64_t{0}, kSeedMax))
      ->capture_default_str();
  app->add_option("--sync", *sync, "yes: every write waits for the disk")
      ->check(CLI::IsMember({"yes", "no"}))
      ->capture_default_str();
  app->add_option("--compression", options->compression, "compression of the table")
      ->check(CLI::IsMember({"none", "fast", "high"}))
      ->capture_default_str();
  app->add_option("--format", options->format, "json: one object for each workload")
      ->check(CLI::IsMember({"table", "json"}))
      ->capture_default_str();
  AddWaitOption(app, &options->patience);
  app->add_option("--chart", options->chart, "an SVG file: throughput over time");
}

}  // namespace

std::optional<BenchOptions> ParseBenchOptions(int argc, char** argv, int* exit_code) {
  BenchOptions options;
  std::string sync = "yes";
  CLI::App app{"Measures a store through the client.", "sippar bench"};
  app.footer(kFooter);
  AddOptions(&app, &options, &sync);
  try {
    app.parse(argc, argv);
    // The error is thrown inside `try`, so that it is printed like the errors of CLI11. The product
    // cannot overflow, because CLI11 has checked the range of both factors.
    if (options.batch * options.value_size > kCallBytesMax) {
      throw CLI::ValidationError(fmt::format(
          "--batch {} with --value {}: one call would write {} bytes; the limit is {}",
          options.batch, options.value_size, options.batch * options.value_size, kCallBytesMax));
    }
  } catch (const CLI::ParseError& error) {
    *exit_code = ExitOf(app, error);
    return std::nullopt;
  }
  options.sync = sync == "yes";
  return options;
}

}  // namespace sippar::cli
