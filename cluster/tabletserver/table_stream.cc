// Stream over tablets. SPDX-License-Identifier: Apache-2.0
#include "cluster/tabletserver/table_stream.h"

#include <fmt/format.h>

namespace sippar::cluster {
namespace {

constexpr uint32_t kCellsPerDeadlineCheck = 256;

class TableStream final : public CellStream {
 public:
  TableStream(std::vector<std::shared_ptr<engine::Tablet>> tablets, const ReadSpec& read,
              const CallOptions& options, engine::Clock* clock)
      : tablets_(std::move(tablets)), read_(read), options_(options), clock_(clock) {
    if (options_.timeout_us > 0) {
      deadline_nanos_ = clock_->MonotonicNanos() + options_.timeout_us * 1000;
    }
  }

  // Opens tablets until one has a cell.
  void Settle() {
    while (status_.ok() && (cells_ == nullptr || !cells_->Valid())) {
      if (cells_ != nullptr) status_ = cells_->status();
      cells_.reset();
      if (!status_.ok() || next_ >= tablets_.size()) return;
      auto opened = tablets_[next_++]->Read(read_);
      if (!opened.ok()) {
        status_ = opened.status();
        return;
      }
      cells_ = std::move(*opened);
    }
  }

  bool Valid() const override { return status_.ok() && cells_ != nullptr; }
  const CellView& cell() const override { return cells_->cell(); }
  Status status() const override { return status_; }

  void Next() override {
    cells_->Next();
    AfterMove();
  }

  void NextRow() override {
    cells_->NextRow();
    AfterMove();
  }

 private:
  void AfterMove() {
    if (options_.cancel != nullptr && options_.cancel->load(std::memory_order_relaxed)) {
      status_ = Cancelled("the read was cancelled");
    } else if (deadline_nanos_ != 0 && ++moves_ % kCellsPerDeadlineCheck == 0 &&
               clock_->MonotonicNanos() > deadline_nanos_) {
      status_ = DeadlineExceeded(
          fmt::format("the read took longer than {} ms", options_.timeout_us / 1000));
    }
    if (!cells_->Valid()) Settle();
  }

  std::vector<std::shared_ptr<engine::Tablet>> tablets_;
  ReadSpec read_;
  CallOptions options_;
  engine::Clock* clock_;
  int64_t deadline_nanos_ = 0;
  uint32_t moves_ = 0;
  size_t next_ = 0;
  std::unique_ptr<CellStream> cells_;
  Status status_;
};

}  // namespace

StatusOr<std::unique_ptr<CellStream>> NewTableStream(
    std::vector<std::shared_ptr<engine::Tablet>> tablets, const ReadSpec& read,
    const CallOptions& options, engine::Clock* clock) {
  auto stream = std::make_unique<TableStream>(std::move(tablets), read, options, clock);
  stream->Settle();
  if (!stream->Valid()) RETURN_IF_ERROR(stream->status());
  return std::unique_ptr<CellStream>(std::move(stream));
}

}  // namespace sippar::cluster
