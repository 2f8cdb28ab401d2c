// SPDX-License-Identifier: Apache-2.0
#include "cluster/bigtable/read_rows.h"

#include "engine/read/run_filter.h"

namespace sippar::cluster {
namespace {

// If the reader got no message for this time, the gathered rows or the progress are sent after the
// next row.
constexpr int64_t kSilenceNanosMax = 200'000'000;

class RowsRead {
 public:
  RowsRead(engine::Clock* clock, const RowsRequest& request, RowChunks* out)
      : clock_(clock), request_(request), out_(out), started_nanos_(clock->MonotonicNanos()) {}

  Status Run(DataApi* data, const CallOptions& options) {
    ReadSpec read;
    read.rows = request_.rows;
    read.reverse = request_.reversed;
    const TableView* view = request_.view.get();
    bool is_covered = PushDownThroughView(request_.filter, request_.families, view, &read);
    auto seed = static_cast<uint64_t>(started_nanos_);
    ASSIGN_OR_RETURN(auto run, engine::FilterRun::Compile(
                                   is_covered ? engine::RowFilter() : request_.filter, out_, seed));
    ASSIGN_OR_RETURN(std::unique_ptr<CellStream> cells, data->Read(request_.table, read, options));
    last_sent_nanos_ = started_nanos_;
    while (cells->Valid() && !IsEnough()) {
      if (request_.takes_scanned_rows) row_ = cells->cell().row;
      RETURN_IF_ERROR(run->RunRow(cells.get(), &cells_seen_));
      // The scan checks the flag as well, but a filter may take long for the cells of one row.
      if (options.is_cancelled()) return Cancelled("the caller cancelled the read or disconnected");
      ++rows_seen_;
      BreakSilence();
    }
    RETURN_IF_ERROR(cells->status());
    if (request_.with_stats) {
      google::bigtable::v2::RequestStats stats = Stats();
      out_->End(&stats);
    } else {
      out_->End(nullptr);
    }
    return out_->is_gone() ? Cancelled("the caller cancelled the read or disconnected")
                           : OkStatus();
  }

 private:
  bool IsEnough() const {
    return out_->is_gone() || (request_.rows_limit > 0 && out_->rows() >= request_.rows_limit);
  }

  void BreakSilence() {
    bool is_given = out_->rows() != rows_given_;
    rows_given_ = out_->rows();
    int64_t now = clock_->MonotonicNanos();
    if (out_->messages() != messages_) {
      messages_ = out_->messages();
      last_sent_nanos_ = now;
    }
    if (now - last_sent_nanos_ < kSilenceNanosMax) return;
    last_sent_nanos_ = now;
    // SendScanned must not name a row that was returned, because clients treat that as an error.
    // The returned row itself shows the progress.
    if (request_.takes_scanned_rows && !is_given) {
      out_->SendScanned(row_);
    } else {
      out_->Flush();
    }
  }

  google::bigtable::v2::RequestStats Stats() const {
    google::bigtable::v2::RequestStats stats;
    auto* view = stats.mutable_full_read_stats_view();
    auto* counts = view->mutable_read_iteration_stats();
    counts->set_rows_seen_count(static_cast<int64_t>(rows_seen_));
    counts->set_rows_returned_count(out_->rows());
    counts->set_cells_seen_count(static_cast<int64_t>(cells_seen_));
    counts->set_cells_returned_count(out_->cells());
    int64_t nanos = clock_->MonotonicNanos() - started_nanos_;
    auto* latency = view->mutable_request_latency_stats()->mutable_frontend_server_latency();
    latency->set_seconds(nanos / 1'000'000'000);
    latency->set_nanos(static_cast<int32_t>(nanos % 1'000'000'000));
    return stats;
  }

  engine::Clock* clock_;
  const RowsRequest& request_;
  RowChunks* out_;
  const int64_t started_nanos_;
  int64_t last_sent_nanos_ = 0;
  int64_t messages_ = 0;
  int64_t rows_given_ = 0;
  uint64_t rows_seen_ = 0;
  uint64_t cells_seen_ = 0;
  std::string row_;
};

}  // namespace

Status ReadRows(DataApi* data, engine::Clock* clock, const RowsRequest& request,
                const CallOptions& options, RowChunks* out) {
  return RowsRead(clock, request, out).Run(data, options);
}

}  // namespace sippar::cluster
