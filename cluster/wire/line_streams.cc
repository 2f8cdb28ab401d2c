// SPDX-License-Identifier: Apache-2.0
#include "cluster/wire/line_streams.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "cluster/wire/call_failure.h"
#include "cluster/wire/cell_batch.h"
#include "cluster/wire/program_batch.h"
#include "cluster/wire/stream_messages.h"

namespace sippar::cluster {
namespace {

constexpr int64_t kEverUs = 3'600'000'000;

Status Damaged(std::string_view what) {
  return Internal(
      fmt::format("the server's answer cannot be decoded ({}); use the same version of sippar for "
                  "server and client",
                  what));
}

// The next part, decoded; nullopt: the stream has ended.
StatusOr<std::optional<Part>> NextPart(PartStream* parts) {
  ASSIGN_OR_RETURN(std::optional<std::string> bytes, parts->Next());
  if (!bytes.has_value()) return std::optional<Part>();
  ASSIGN_OR_RETURN(Part part, DecodePart(*std::move(bytes)));
  return std::optional<Part>(std::move(part));
}

class LineCells final : public CellStream {
 public:
  LineCells(std::unique_ptr<PartStream> parts, engine::ReadCounters* counters)
      : parts_(std::move(parts)), counters_(counters) {
    Next();
  }

  bool Valid() const override { return is_valid_; }
  const CellView& cell() const override { return cells_.cell(); }
  Status status() const override { return status_; }

  void Next() override {
    for (;;) {
      auto found = cells_.Next();
      is_valid_ = found.ok() && *found;
      if (is_valid_) [[likely]]
        return;
      if (!found.ok()) return End(found.status());
      auto part = NextPart(parts_.get());
      if (!part.ok()) return Break(part.status());
      if (!part->has_value()) return TakeEnd();
      ends_row_ = (*part)->is_marked;
      cells_.Take(std::move((*part)->bytes));
    }
  }

  void NextRow() override {
    // A copy, because Next invalidates the views of the cell.
    const std::string row(cell().row);
    while (is_valid_ && cell().row == row) Next();
  }

 private:
  void TakeEnd() {
    if (counters_ != nullptr) counters_->Add(parts_->end().counters);
    const Status& outcome = parts_->end().outcome;
    End(outcome.ok() && cells_.is_within_cell() ? Damaged("it ends within a cell") : outcome);
  }
  // Ends the stream with the error `why`: it broke off before the server's last message.
  void Break(Status why) {
    if (ends_row_) MarkFailure(kRowIsWhole, &why);
    End(why);
  }
  void End(const Status& status) {
    is_valid_ = false;
    status_ = status;
  }

  const std::unique_ptr<PartStream> parts_;
  engine::ReadCounters* const counters_;
  CellUnpacker cells_;
  bool is_valid_ = false;
  bool ends_row_ = false;  // the last part ended at the end of a row
  Status status_;
};

class LineChanges final : public ChangeStream {
 public:
  LineChanges(std::unique_ptr<PartStream> parts, engine::Clock* clock)
      : parts_(std::move(parts)), clock_(clock) {}

  // Waits at most `wait_us` for the server to say whether the request is valid.
  Status Open(int64_t wait_us) {
    ASSIGN_OR_RETURN(bool has_come, Take(wait_us));
    return has_come
               ? OkStatus()
               : DeadlineExceeded("change stream: its server did not begin in time; try again");
  }

  StatusOr<ChangeBatch> Next(int64_t wait_us) override {
    const int64_t until_nanos = clock_->MonotonicNanos() + wait_us * 1000;
    // The server sends batches without changes to show that it is alive. Only their positions are
    // kept.
    while (ahead_.changes.empty() && !ahead_.is_over && !ahead_.is_elsewhere) {
      ASSIGN_OR_RETURN(bool has_come, Take((until_nanos - clock_->MonotonicNanos()) / 1000));
      if (!has_come) break;
    }
    ChangeBatch batch = std::exchange(ahead_, {});
    ahead_.token = batch.token;
    ahead_.low_watermark_us = batch.low_watermark_us;
    return batch;
  }

 private:
  // Takes the next batch into ahead_. False: none came within `wait_us`.
  StatusOr<bool> Take(int64_t wait_us) {
    if (!parts_->Await(wait_us)) return false;
    ASSIGN_OR_RETURN(std::optional<Part> part, NextPart(parts_.get()));
    if (!part.has_value()) {
      RETURN_IF_ERROR(parts_->end().outcome);
      return Damaged("a change stream ends without an end mark");
    }
    ahead_ = {};
    if (!DecodeValue(part->bytes, &ahead_)) return Damaged("changes");
    return true;
  }

  const std::unique_ptr<PartStream> parts_;
  engine::Clock* const clock_;
  ChangeBatch ahead_;  // next batch to return; a batch without changes has only a position
};

}  // namespace

StatusOr<std::unique_ptr<CellStream>> ReadOverLine(Line* line, Method method, std::string request,
                                                   const CallOptions& options) {
  ASSIGN_OR_RETURN(std::unique_ptr<PartStream> parts,
                   line->Open(method, std::move(request), options));
  auto cells = std::make_unique<LineCells>(std::move(parts), options.counters);
  if (!cells->Valid()) RETURN_IF_ERROR(cells->status());
  return std::unique_ptr<CellStream>(std::move(cells));
}

Status RunOverLine(Line* line, Method method, std::string request, const CallOptions& options,
                   engine::ProgramSink* sink) {
  ASSIGN_OR_RETURN(std::unique_ptr<PartStream> parts,
                   line->Open(method, std::move(request), options));
  std::string pieces;
  for (;;) {
    ASSIGN_OR_RETURN(std::optional<Part> part, NextPart(parts.get()));
    if (!part.has_value()) break;
    // A batch may come in several parts; only the last one makes it complete.
    pieces += part->bytes;
    if (part->is_marked) continue;
    auto batch = DecodeBatch(pieces);
    if (!batch.ok()) return Damaged(MessageOf(batch.status()));
    pieces.clear();
    if (!sink->Emit(*std::move(batch))) return OkStatus();
  }
  if (options.counters != nullptr) options.counters->Add(parts->end().counters);
  const Status& outcome = parts->end().outcome;
  return outcome.ok() && !pieces.empty() ? Damaged("it ends within a batch") : outcome;
}

StatusOr<std::unique_ptr<ChangeStream>> ChangesOverLine(Line* line, Method method,
                                                        std::string request,
                                                        const CallOptions& options) {
  // A stream of changes may never end by itself, so the timeout limits only the wait for its
  // beginning.
  ASSIGN_OR_RETURN(std::unique_ptr<PartStream> parts,
                   line->Open(method, std::move(request), {.cancel = options.cancel}));
  auto changes = std::make_unique<LineChanges>(std::move(parts), line->clock());
  RETURN_IF_ERROR(changes->Open(options.timeout_us > 0 ? options.timeout_us : kEverUs));
  return std::unique_ptr<ChangeStream>(std::move(changes));
}

}  // namespace sippar::cluster
