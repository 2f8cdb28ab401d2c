// SPDX-License-Identifier: Apache-2.0
#include "cluster/client/scan_stream.h"

#include <utility>

#include "cluster/client/row_mark.h"

namespace sippar::cluster {
namespace {

using engine::RowSet;

class ScanStream final : public CellStream {
 public:
  ScanStream(TabletCaller* caller, std::string table, const ReadSpec& read,
             const CallOptions& options)
      : caller_(caller),
        table_(std::move(table)),
        read_(read),
        resumes_(caller->loses_answers()),
        left_(read.rows),
        course_(caller->settings(), options) {}

  bool Valid() const override { return status_.ok() && cells_ != nullptr; }
  const CellView& cell() const override { return cells_->cell(); }
  Status status() const override { return status_; }

  void Next() override {
    if (resumes_) {
      mark_.See(cells_->cell());
      course_.Progress();
    }
    cells_->Next();
    if (!cells_->Valid()) GoOn();
  }

  void NextRow() override {
    if (resumes_) {
      mark_.PassRow(cells_->cell().row);
      course_.Progress();
    }
    cells_->NextRow();
    if (!cells_->Valid()) GoOn();
  }

  // Opens tablet after tablet until one has a cell, or no rows are left, or an error is final.
  void Settle() {
    while (status_.ok() && (cells_ == nullptr || !cells_->Valid())) {
      if (cells_ == nullptr) {
        if (left_.IsEmpty()) return;
        Try(Open());
        continue;
      }
      Status ended = cells_->status();
      cells_.reset();
      if (ended.ok()) {
        DropTablet();
      } else {
        Try(ended);
      }
    }
  }

 private:
  // Called after a cell of the open tablet was returned. A new try would begin at the tablet's
  // first row and return the same cells again. So only a stream that remembers its position tries
  // again.
  void GoOn() {
    Status ended = cells_->status();
    if (ended.ok() || resumes_) return Settle();
    cells_.reset();
    status_ = std::move(ended);
  }

  // Handles the status of a try. The location is invalidated only after the wait, because another
  // call may cache the same location again during the wait.
  void Try(const Status& status) {
    if (status.ok()) return;
    cells_.reset();
    status_ = course_.AfterFailure(status, Repeat::kSafe);
    if (status_.ok() && location_ != nullptr) caller_->Invalidate(*location_);
  }

  // Opens the tablet with the first row that is left, and moves to the position of the mark. Only
  // the rows of this tablet are read: its range may have changed since the last try.
  Status Open() {
    left_ = mark_.Rest(left_, read_.reverse);
    if (left_.IsEmpty()) return OkStatus();
    location_.reset();
    const RowRange& next = read_.reverse ? left_.ranges().back() : left_.ranges().front();
    ASSIGN_OR_RETURN(location_,
                     caller_->Find(table_, read_.reverse ? next.limit : next.start, read_.reverse));
    ReadSpec part = read_;
    part.rows = left_.Intersection(RowSet(location_->range));
    ASSIGN_OR_RETURN(CallOptions options, course_.OptionsNow());
    ASSIGN_OR_RETURN(cells_, location_->service->Read(location_->address, part, options));
    return mark_.SkipSeen(cells_.get());
  }

  void DropTablet() {
    left_ = left_.Intersection(RowSet(location_->range).Complement());
    mark_.Reset();
    course_.Progress();
  }

  TabletCaller* const caller_;
  const std::string table_;
  const ReadSpec read_;
  // True: the stream can continue in the middle of a tablet, and remembers the position of each
  // cell for that. Within one process an open stream breaks off only when the disk fails. So
  // resumes_ is false there: the error is returned, and cells cost nothing extra.
  const bool resumes_;
  RowSet left_;  // rows of the open and of later tablets
  CallCourse course_;
  RowMark mark_;
  LocationPtr location_;
  std::unique_ptr<CellStream> cells_;
  Status status_;
};

}  // namespace

StatusOr<std::unique_ptr<CellStream>> NewScanStream(TabletCaller* caller, const std::string& table,
                                                    const ReadSpec& read,
                                                    const CallOptions& options) {
  auto stream = std::make_unique<ScanStream>(caller, table, read, options);
  stream->Settle();
  if (!stream->Valid()) RETURN_IF_ERROR(stream->status());
  return std::unique_ptr<CellStream>(std::move(stream));
}

}  // namespace sippar::cluster
