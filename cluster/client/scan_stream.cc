// Reading over tablets. SPDX-License-Identifier: Apache-2.0
#include "cluster/client/scan_stream.h"

#include <fmt/format.h>

#include <utility>

#include "engine/base/printable.h"

namespace sippar::cluster {
namespace {

using engine::RowRange;
using engine::RowSet;

// How far into which row the reader is: enough to go on behind its last cell in another stream, and
// to see whether that one's row begins with the same cells.
class RowMark {
 public:
  void See(const CellView& cell) {
    if (cell.row != row_ || cells_ == 0) {
      row_.assign(cell.row);
      cells_ = 0;
      digest_ = 0;
      passed_ = false;
    }
    ++cells_;
    digest_ = Mix(digest_, cell);
  }
  // The rest of the row is not wanted.
  void PassRow(std::string_view row) {
    row_.assign(row);
    cells_ = 0;
    passed_ = true;
  }
  void Reset() { *this = RowMark(); }

  // The rows left when the read goes on from here: from this row on, or behind it.
  RowSet Rest(const RowSet& rows, bool reverse) const {
    if (cells_ == 0 && !passed_) return rows;
    RowRange rest;
    if (reverse) {
      rest.limit = passed_ ? row_ : engine::RowSuccessor(row_);
    } else {
      rest.start = passed_ ? engine::RowSuccessor(row_) : row_;
    }
    return rows.Intersection(RowSet(rest));
  }

  // Puts a stream of these rows behind the last cell seen. A row whose first cells are others than
  // before would come out as a mixture.
  Status SkipSeen(CellStream* cells) const {
    uint64_t digest = 0;
    uint64_t seen = 0;
    for (; seen < cells_ && cells->Valid() && cells->cell().row == row_; ++seen) {
      digest = Mix(digest, cells->cell());
      cells->Next();
    }
    RETURN_IF_ERROR(cells->status());
    if (seen == cells_ && (seen == 0 || digest == digest_)) return OkStatus();
    return Aborted(
        fmt::format("row '{}' changed while it was read and its tablet moved; read again",
                    engine::PrintableBytes(row_)));
  }

 private:
  static uint64_t Mix(uint64_t digest, const CellView& cell) {
    return (digest ^ cell.sequence) * 0x9e3779b97f4a7c15u +
           static_cast<uint64_t>(cell.timestamp_us);
  }
  std::string row_;
  uint64_t cells_ = 0;   // of the row, seen so far
  uint64_t digest_ = 0;  // over them
  bool passed_ = false;
};

class ScanStream final : public CellStream {
 public:
  ScanStream(TabletCaller* caller, std::string table, const ReadSpec& read,
             const CallOptions& options)
      : caller_(caller),
        table_(std::move(table)),
        read_(read),
        resumes_(caller->is_remote()),
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
    if (!cells_->Valid()) Settle();
  }

  void NextRow() override {
    if (resumes_) {
      mark_.PassRow(cells_->cell().row);
      course_.Progress();
    }
    cells_->NextRow();
    if (!cells_->Valid()) Settle();
  }

  // Opens tablets until one has a cell.
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
  void Try(const Status& status) {
    if (status.ok()) return;
    cells_.reset();
    status_ = course_.AfterFailure(status, Repeat::kSafe);
    if (status_.ok() && location_ != nullptr) caller_->Invalidate(*location_);
  }

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
  const bool resumes_;  // within a tablet; without a network no stream breaks off
  RowSet left_;         // of the rows: those of the open tablet and of later ones
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
