// SPDX-License-Identifier: Apache-2.0
#include "cluster/tabletserver/table_stream.h"

#include "engine/base/tablet_scope.h"

namespace sippar::cluster {
namespace {

// Cells between two checks of the clock. The number is small because a slow caller may let much
// time pass between two cells.
constexpr uint32_t kCellsPerCheck = 16;

class TableStream final : public CellStream {
 public:
  TableStream(std::vector<std::shared_ptr<engine::Tablet>> tablets, const ReadSpec& read,
              const CallOptions& options, engine::Clock* clock, engine::ReadForm form)
      : tablets_(std::move(tablets)),
        read_(read),
        form_(form),
        cancel_(options.cancel),
        counters_(options.counters) {
    stop_.cancel = cancel_.get();
    stop_.clock = clock;
    stop_.from_memory = options.from_memory;
    if (options.timeout_us > 0) {
      stop_.deadline_nanos = clock->MonotonicNanos() + options.timeout_us * 1000;
    }
  }

  // Opens tablets until one of them has a cell or all are read.
  void Settle() {
    while (status_.ok() && (cells_ == nullptr || !cells_->Valid())) {
      if (cells_ != nullptr) status_ = cells_->status();
      cells_.reset();
      if (!status_.ok() || next_ >= tablets_.size()) return;
      tablet_id_ = tablets_[next_]->id();
      const engine::TabletScope scope(tablet_id_);
      auto opened = tablets_[next_++]->Read(read_, &stop_, counters_, form_);
      if (!opened.ok()) {
        status_ = opened.status();
        return;
      }
      cells_ = std::move(*opened);
    }
  }

  bool Valid() const override { return status_.ok() && cells_ != nullptr; }
  const CellView& cell() const override { return cells_->cell(); }
  const engine::StoredEntry* entry() const override { return cells_->entry(); }
  Status status() const override { return status_; }

  void Next() override {
    const engine::TabletScope scope(tablet_id_);
    cells_->Next();
    AfterMove();
  }

  void NextRow() override {
    const engine::TabletScope scope(tablet_id_);
    cells_->NextRow();
    AfterMove();
  }

 private:
  void AfterMove() {
    if (++moves_ % kCellsPerCheck == 0) status_ = stop_.Check();
    if (!cells_->Valid()) Settle();
  }

  std::vector<std::shared_ptr<engine::Tablet>> tablets_;
  ReadSpec read_;
  const engine::ReadForm form_;
  const CancelFlag cancel_;
  engine::ReadCounters* const counters_;
  engine::StopSignal stop_;
  uint32_t moves_ = 0;
  size_t next_ = 0;
  uint64_t tablet_id_ = 0;  // of the tablet that `cells_` reads
  std::unique_ptr<CellStream> cells_;
  Status status_;
};

}  // namespace

StatusOr<std::unique_ptr<CellStream>> NewTableStream(
    std::vector<std::shared_ptr<engine::Tablet>> tablets, const ReadSpec& read,
    const CallOptions& options, engine::Clock* clock, engine::ReadForm form) {
  auto stream = std::make_unique<TableStream>(std::move(tablets), read, options, clock, form);
  stream->Settle();
  if (!stream->Valid()) RETURN_IF_ERROR(stream->status());
  return std::unique_ptr<CellStream>(std::move(stream));
}

StatusOr<uint64_t> DigestCells(CellStream* stream) { return engine::DigestCells(stream); }

}  // namespace sippar::cluster
