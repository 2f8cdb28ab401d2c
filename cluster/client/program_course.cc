// SPDX-License-Identifier: Apache-2.0
#include "cluster/client/program_course.h"

#include <fmt/format.h>

#include <utility>

#include "cluster/client/program_rest.h"
#include "cluster/client/scan_stream.h"

namespace sippar::cluster {
namespace {

class ProgramCourse {
 public:
  ProgramCourse(TabletCaller* caller, const std::string& table, const CallOptions& options,
                ProgramRest* rest)
      : caller_(caller), table_(table), rest_(rest), course_(caller->settings(), options) {}

  Status Run() {
    while (!rest_->IsEmpty()) {
      LocationPtr tablet;
      Status status = rest_->End(Try(&tablet));
      bool again = status.code() == StatusCode::kUnavailable || HasCause(status, Cause::kNotServed);
      if (status.ok() || !again) return status;
      // A try that finished a row has made progress, so this failure counts as the first one and is
      // retried at once. A program over many rows is thus not limited in its number of failures.
      if (rest_->GoOn()) course_.Progress();
      RETURN_IF_ERROR(course_.AfterFailure(status, Repeat::kSafe));
      if (tablet != nullptr) caller_->Invalidate(*tablet);
    }
    return OkStatus();
  }

 private:
  Status Try(LocationPtr* tablet) {
    const engine::Program& left = rest_->left();
    const std::vector<RowRange>& ranges = left.read.rows.ranges();
    ASSIGN_OR_RETURN(CallOptions options, course_.OptionsNow());
    ASSIGN_OR_RETURN(*tablet, caller_->Find(table_, ranges.front().start));
    const std::string& limit = (*tablet)->range.limit;
    const std::string& last = ranges.back().limit;
    if (limit.empty() || (!last.empty() && last <= limit)) {
      return (*tablet)->service->Run((*tablet)->address, left, options, rest_);
    }
    // The tablet was split after the caller had looked up the range. Running the program on each
    // child would give two partial results, so it runs here over the rows of both.
    if (left.source == engine::Program::kEntries) {
      // Servers send cells, and no entries, to programs that run elsewhere.
      return Aborted(fmt::format(
          "table {}: a tablet was split while its stored entries were read; read again", table_));
    }
    tablet->reset();
    ASSIGN_OR_RETURN(std::unique_ptr<CellStream> cells,
                     NewScanStream(caller_, table_, left.read, options));
    engine::RunLimits limits;
    limits.cancel = options.cancel.get();
    limits.clock = caller_->settings().clock;
    if (options.timeout_us > 0) {
      limits.deadline_nanos = limits.clock->MonotonicNanos() + options.timeout_us * 1000;
    }
    return engine::RunProgram(left, cells.get(), limits, rest_);
  }

  TabletCaller* const caller_;
  const std::string& table_;
  ProgramRest* const rest_;
  CallCourse course_;
};

}  // namespace

Status RunOnRange(TabletCaller* caller, const std::string& table, const RowRange& range,
                  const engine::Program& program, const CallOptions& options,
                  engine::ProgramSink* sink) {
  engine::Program part = program;
  part.read.rows = program.read.rows.Intersection(engine::RowSet(range));
  ProgramRest rest(std::move(part), sink);
  return ProgramCourse(caller, table, options, &rest).Run();
}

}  // namespace sippar::cluster
