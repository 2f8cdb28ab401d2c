// SPDX-License-Identifier: Apache-2.0
#include "cli/dump/dump_table.h"

#include <algorithm>

#include "query/format/cell_line.h"

namespace sippar::cli {
namespace {

constexpr size_t kChunkBytes = 1 << 20;  // bytes of lines that are gathered before they are written
constexpr int64_t kTickUs = 50'000;

}  // namespace

StatusOr<CellSum> TableDump::Run(size_t jobs, const std::function<Status()>& tick) {
  progress_->tablets += ranges_.size();
  size_t count = std::max<size_t>(std::min(jobs, ranges_.size()), 1);
  {
    engine::MutexLock lock(&mutex_);
    working_ = count;
  }
  std::vector<engine::Thread> threads;
  for (size_t i = 0; i < count; ++i) threads.emplace_back("dump", [this] { Work(); });
  Status ticked;
  for (bool working = true; working;) {
    if (ticked.ok()) ticked = tick();
    if (!ticked.ok()) *cancel_ = true;
    engine::MutexLock lock(&mutex_);
    if (working_ > 0) ended_.WaitFor(&mutex_, kTickUs);
    working = working_ > 0;
  }
  threads.clear();
  RETURN_IF_ERROR(ticked);
  engine::MutexLock lock(&mutex_);
  RETURN_IF_ERROR(status_);
  return sum_;
}

void TableDump::Work() {
  for (;;) {
    size_t piece = 0;
    {
      engine::MutexLock lock(&mutex_);
      if (next_ == ranges_.size() || !status_.ok() || *cancel_) break;
      piece = next_++;
    }
    StatusOr<CellSum> sum = DumpPiece(piece);
    engine::MutexLock lock(&mutex_);
    if (sum.ok()) {
      sum_.Add(*sum);
      ++progress_->tablets_done;
    } else if (status_.ok()) {
      status_ = sum.status();
      *cancel_ = true;
    }
  }
  engine::MutexLock lock(&mutex_);
  --working_;
  ended_.NotifyAll();
}

StatusOr<CellSum> TableDump::DumpPiece(size_t piece) {
  cluster::ReadSpec read;
  read.rows = engine::RowSet(ranges_[piece]);
  cluster::CallOptions options;
  options.cancel = cancel_;
  ASSIGN_OR_RETURN(auto cells, client_->data()->Read(schema_.name, read, options));
  CellSum sum;
  uint64_t shown = 0;  // cells already counted in progress_
  std::string lines, family;
  bool known = false;
  for (; cells->Valid(); cells->Next()) {
    const engine::CellView& cell = cells->cell();
    if (cell.family != family) {
      family = cell.family;
      // A family that was added after the schema was read is not part of this dump.
      known = schema_.FindFamily(family) != nullptr;
    }
    if (!known) continue;
    size_t begin = lines.size();
    query::AppendCellLine(cell, terminal_, &lines);
    sum.Add(std::string_view(lines).substr(begin, lines.size() - begin - 1));
    if (lines.size() < kChunkBytes) continue;
    RETURN_IF_ERROR(output_->Cells(piece, lines));
    progress_->cells += sum.cells - shown;
    shown = sum.cells;
    lines.clear();
  }
  RETURN_IF_ERROR(cells->status());
  RETURN_IF_ERROR(output_->Cells(piece, lines));
  RETURN_IF_ERROR(output_->EndPiece(piece));
  progress_->cells += sum.cells - shown;
  return sum;
}

}  // namespace sippar::cli
