// Running programs. SPDX-License-Identifier: Apache-2.0
#include "cluster/client/program_course.h"

#include <utility>

#include "cluster/client/scan_stream.h"

namespace sippar::cluster {
namespace {

// Passes batches on and knows how far they got.
class CountingSink final : public engine::ProgramSink {
 public:
  explicit CountingSink(engine::ProgramSink* sink) : sink_(sink) {}
  bool Emit(engine::ProgramBatch batch) override {
    rows_ += batch.rows.size();
    if (!batch.last_row.empty()) last_row_ = batch.last_row;
    return sink_->Emit(std::move(batch));
  }
  uint64_t rows() const { return rows_; }
  const std::string& last_row() const { return last_row_; }

 private:
  engine::ProgramSink* const sink_;
  uint64_t rows_ = 0;
  std::string last_row_;
};

bool GivesRowsInOrder(const engine::Program& program) {
  return program.source == engine::Program::kRows && !program.aggregate && program.order_by.empty();
}

class ProgramCourse {
 public:
  ProgramCourse(TabletCaller* caller, const std::string& table, const RowRange& range,
                const engine::Program& program, const CallOptions& options)
      : caller_(caller), table_(table), left_(program), course_(caller->settings(), options) {
    left_.read.rows = program.read.rows.Intersection(engine::RowSet(range));
  }

  Status Run(engine::ProgramSink* sink) {
    while (!left_.read.rows.IsEmpty()) {
      CountingSink counting(sink);
      LocationPtr tablet;
      Status status = Try(&counting, &tablet);
      bool again =
          status.code() == StatusCode::kUnavailable || status.code() == StatusCode::kOutOfRange;
      if (status.ok() || !again) return status;
      if (!GoOnBehind(counting)) return status;
      RETURN_IF_ERROR(course_.AfterFailure(status, Repeat::kSafe));
      if (tablet != nullptr) caller_->Invalidate(*tablet);
    }
    return OkStatus();
  }

 private:
  Status Try(engine::ProgramSink* sink, LocationPtr* tablet) {
    const std::vector<RowRange>& ranges = left_.read.rows.ranges();
    ASSIGN_OR_RETURN(CallOptions options, course_.OptionsNow());
    ASSIGN_OR_RETURN(*tablet, caller_->Find(table_, ranges.front().start));
    const std::string& limit = (*tablet)->range.limit;
    const std::string& last = ranges.back().limit;
    if (limit.empty() || (!last.empty() && last <= limit)) {
      return (*tablet)->service->Run((*tablet)->address, left_, options, sink);
    }
    // The tablet was split since the range was cut: its answer must still be that of one.
    tablet->reset();
    ASSIGN_OR_RETURN(std::unique_ptr<CellStream> cells,
                     NewScanStream(caller_, table_, left_.read, options));
    engine::RunLimits limits;
    limits.cancel = options.cancel.get();
    limits.clock = caller_->settings().clock;
    if (options.timeout_us > 0) {
      limits.deadline_nanos = limits.clock->MonotonicNanos() + options.timeout_us * 1000;
    }
    return engine::RunProgram(left_, cells.get(), limits, sink);
  }

  // What was given is not given again. False: it cannot be told apart from the rest.
  bool GoOnBehind(const CountingSink& given) {
    if (!GivesRowsInOrder(left_)) return given.rows() == 0;
    if (left_.limit != 0 && given.rows() >= left_.limit) left_.read.rows = {};
    if (left_.limit != 0) left_.limit -= std::min(left_.limit, given.rows());
    if (given.last_row().empty()) return true;
    course_.Progress();
    RowRange rest;
    if (left_.read.reverse) {
      rest.limit = given.last_row();
    } else {
      rest.start = engine::RowSuccessor(given.last_row());
    }
    left_.read.rows = left_.read.rows.Intersection(engine::RowSet(rest));
    return true;
  }

  TabletCaller* const caller_;
  const std::string& table_;
  engine::Program left_;  // of the rows not given yet
  CallCourse course_;
};

}  // namespace

Status RunOnRange(TabletCaller* caller, const std::string& table, const RowRange& range,
                  const engine::Program& program, const CallOptions& options,
                  engine::ProgramSink* sink) {
  return ProgramCourse(caller, table, range, program, options).Run(sink);
}

}  // namespace sippar::cluster
