// The streams of a joined store: when their server leaves or dies, they continue on the next
// server, after what they have already returned.
// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "cluster/client/begin_changes.h"
#include "cluster/client/program_rest.h"
#include "cluster/client/row_mark.h"
#include "cluster/node/joined_calls.h"
#include "cluster/wire/call_failure.h"

namespace sippar::cluster {
namespace {

class JoinedCells final : public CellStream {
 public:
  JoinedCells(JoinedStore* joined, std::string table, const ReadSpec& read,
              const CallOptions& options)
      : joined_(joined),
        table_(std::move(table)),
        left_(read),
        course_(joined->settings(), options) {}

  bool Valid() const override { return cells_ != nullptr && cells_->Valid(); }
  const CellView& cell() const override { return cells_->cell(); }
  Status status() const override { return status_; }

  void Next() override {
    // Only a remote stream can break, so the position is remembered only for a remote stream.
    if (store_.remote != nullptr) mark_.See(cells_->cell());
    cells_->Next();
    if (cells_->Valid()) return;
    Status ended = cells_->status();
    if (IsMarked(kRowIsWhole, ended)) mark_.EndRow();
    Settle(ended);
  }
  void NextRow() override {
    if (store_.remote != nullptr) mark_.PassRow(cells_->cell().row);
    cells_->NextRow();
    if (!cells_->Valid()) Settle(cells_->status());
  }

  Status Open() {
    Settle(Reopen());
    return status_;
  }

 private:
  // Handles the end of the stream. If the stream's server has ended, opens a stream for the rest of
  // the read, and repeats this until a stream has a cell or the rest is empty.
  void Settle(Status ended) {
    while (!ended.ok() || !Valid()) {
      cells_.reset();
      status_ = ended;
      if (!IsBroken(ended, store_)) return;
      left_.rows = mark_.Rest(left_.rows, left_.reverse);
      ended = course_.AfterFailure(ended, Repeat::kSafe);
      if (ended.ok() && !left_.rows.IsEmpty()) ended = Reopen();
    }
    status_ = OkStatus();
  }

  Status Reopen() {
    ASSIGN_OR_RETURN(CallOptions options, course_.OptionsNow());
    store_ = {};  // stays empty if the store cannot be reached
    ASSIGN_OR_RETURN(store_, joined_->Get(options));
    ASSIGN_OR_RETURN(options, course_.OptionsNow());
    ASSIGN_OR_RETURN(cells_, store_.client->data()->Read(table_, left_, options));
    RETURN_IF_ERROR(mark_.SkipSeen(cells_.get()));
    if (cells_->Valid()) course_.Progress();
    return cells_->status();
  }

  JoinedStore* const joined_;
  const std::string table_;
  ReadSpec left_;  // rest of the read when the present stream was opened
  CallCourse course_;
  RowMark mark_;
  JoinedStore::Reached store_;
  std::unique_ptr<CellStream> cells_;
  Status status_;
};

class JoinedChanges final : public ChangeStream {
 public:
  JoinedChanges(JoinedStore* joined, std::string table, ChangesRequest wanted,
                const CallOptions& options)
      : joined_(joined),
        table_(std::move(table)),
        wanted_(std::move(wanted)),
        course_(joined->settings(), options) {}

  StatusOr<ChangeBatch> Next(int64_t wait_us) override {
    for (;;) {
      StatusOr<ChangeBatch> batch = Try(wait_us);
      if (batch.ok()) {
        course_.Progress();
        if (!batch->is_over) wanted_.tokens = {{wanted_.partition, batch->token}};
        return batch;
      }
      if (!IsBroken(batch.status(), store_)) return batch;
      changes_.reset();
      RETURN_IF_ERROR(course_.AfterFailure(batch.status(), Repeat::kSafe));
    }
  }

 private:
  StatusOr<ChangeBatch> Try(int64_t wait_us) {
    if (changes_ == nullptr) {
      ASSIGN_OR_RETURN(CallOptions options, course_.OptionsNow());
      store_ = {};  // stays empty if the store cannot be reached
      ASSIGN_OR_RETURN(store_, joined_->Get(options));
      ASSIGN_OR_RETURN(options, course_.OptionsNow());
      ASSIGN_OR_RETURN(changes_, store_.client->data()->ReadChanges(table_, wanted_, options));
    }
    return changes_->Next(wait_us);
  }

  JoinedStore* const joined_;
  const std::string table_;
  ChangesRequest wanted_;  // request for the changes not returned yet
  CallCourse course_;
  JoinedStore::Reached store_;
  std::unique_ptr<ChangeStream> changes_;
};

}  // namespace

StatusOr<std::unique_ptr<CellStream>> JoinedData::Read(const std::string& table,
                                                       const ReadSpec& read,
                                                       const CallOptions& options) {
  if (options.from_memory) {
    const std::shared_ptr<Client> own = store_->Own();
    if (own == nullptr)
      return Unavailable(
          "row: it cannot be read from memory, for another process serves the store");
    return own->data()->Read(table, read, options);
  }
  auto cells = std::make_unique<JoinedCells>(store_, table, read, options);
  RETURN_IF_ERROR(cells->Open());
  return std::unique_ptr<CellStream>(std::move(cells));
}

Status JoinedData::Run(const std::string& table, const RowRange& tablet_range,
                       const engine::Program& program, const CallOptions& options,
                       engine::ProgramSink* sink) {
  CallCourse course(store_->settings(), options);
  ProgramRest rest(program, sink);
  do {
    ASSIGN_OR_RETURN(CallOptions now, course.OptionsNow());
    ASSIGN_OR_RETURN(JoinedStore::Reached store, store_->Get(now));
    ASSIGN_OR_RETURN(now, course.OptionsNow());
    Status ended =
        rest.End(store.client->data()->Run(table, tablet_range, rest.left(), now, &rest));
    if (!IsBroken(ended, store)) return ended;
    if (rest.GoOn()) course.Progress();
    RETURN_IF_ERROR(course.AfterFailure(ended, Repeat::kSafe));
  } while (!rest.IsEmpty());
  return OkStatus();
}

StatusOr<std::unique_ptr<ChangeStream>> JoinedData::ReadChanges(const std::string& table,
                                                                const ChangesRequest& wanted,
                                                                const CallOptions& options) {
  return BeginChanges(std::make_unique<JoinedChanges>(store_, table, wanted, options));
}

}  // namespace sippar::cluster
