// SPDX-License-Identifier: Apache-2.0
#include "cluster/wire/member_streams.h"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "cluster/net/failure.h"
#include "cluster/wire/call_failure.h"
#include "cluster/wire/cell_batch.h"
#include "cluster/wire/member_call.h"
#include "cluster/wire/program_batch.h"
#include "cluster/wire/stream_messages.h"
#include "engine/base/call_notes.h"

namespace sippar::cluster {
namespace {

constexpr size_t kPieceSize = 1 << 20;  // bytes of a batch in one part
// Longest time without a batch in a change stream. After this time, the server sends an empty
// batch, which tells the reader the stream's position.
constexpr int64_t kBeatUs = 1'000'000;
// Longest time that a read may take on a loop's thread, which also serves other connections. A read
// without this limit could be slow, because a row may have a million deleted cells.
constexpr int64_t kAtOnceUs = 1'000;

const std::string& PlaceOf(const LentTable& table) { return *table; }
const TabletAddress& PlaceOf(const TabletAddress& tablet) { return tablet; }

using Stream = Departure::Stream;
using engine::CpuScope;

// A table's calls are a gateway's work; the servers of the tablets count their own.
engine::CpuCount* CpuOf(DataApi*) { return nullptr; }
engine::CpuCount* CpuOf(TabletService* tablets) { return tablets->cpu(); }

bool IsOfOneRow(const ReadSpec& read) {
  const std::vector<engine::RowRange>& ranges = read.rows.ranges();
  return ranges.size() == 1 && ranges.front().IsSingle();
}

CpuScope::Counting CountingOf(const ReadSpec& read) {
  return IsOfOneRow(read) ? CpuScope::kOneInMany : CpuScope::kEach;
}

// Records in the call's trace what a stream has done.
void Note(const StreamEnd& end) {
  engine::CallNotes* notes = engine::CurrentCallNotes();
  if (notes == nullptr) return;
  notes->stream_end = end.outcome.code();
  notes->blocks_from_disk += end.counters.blocks_from_disk;
  notes->blocks_cached += end.counters.blocks_cached + end.counters.blocks_pinned;
  notes->cells_returned += end.counters.cells_returned;
}

// Decodes the request, calls `work`, and ends the stream with its result. `work` gets the request,
// the options, and a string for a part that is sent together with the end.
template <class Request, class Work>
void Serve(const std::shared_ptr<net::ServerCall>& call, const Stream& stream, const Work& work) {
  if (!stream.begun().ok()) return call->Reply(stream.begun());
  Request request;
  if (Status why; !DecodeValue(call->body(), &request, &why)) {
    // The request could be decoded but has an invalid value: the caller gets the same error as from
    // a local call.
    if (why.code() == StatusCode::kInvalidArgument) return call->Reply(why);
    return call->Reply(
        InvalidArgument("request for a stream cannot be decoded; use the same version of sippar "
                        "for server and client"));
  }
  LastPart last;
  CallOptions options = OptionsOf(call);
  options.counters = &last.end.counters;
  last.end.outcome = net::OfBegunCall(work(request, options, &last.part));
  Note(last.end);
  // The reader of a stream that was cut needs to know that it was cut. So this error is the reply,
  // and not a part of the regular end.
  if (IsMarked(kCut, last.end.outcome)) return call->Reply(last.end.outcome);
  call->Reply(EncodeValue(last));
}

// Finds the place where a read is cut when its process leaves the store: the end of the row that
// the read is in when it first sees the cut.
class RowEnd {
 public:
  explicit RowEnd(const Stream& stream) : stream_(stream) {}
  // True: the read shall end before `cell`, which begins a new row.
  bool IsBefore(const CellView& cell) {
    if (!stream_.is_cut()) [[likely]]
      return false;
    if (row_.empty()) row_.assign(cell.row);
    return cell.row != row_;
  }

 private:
  const Stream& stream_;
  std::string row_;
};

Status SendCells(net::ServerCall* call, const Stream& stream, CellStream* cells,
                 std::string* last) {
  Status sent;
  bool is_at_end = false;
  CellPacker packer([&](std::string bytes, bool ends_row) {
    std::string part = EncodePart({std::move(bytes), ends_row});
    if (is_at_end) {
      *last = std::move(part);
    } else {
      sent = call->Write(std::move(part));
    }
    return sent.ok();
  });
  RowEnd row_end(stream);
  for (; cells->Valid(); cells->Next()) {
    if (row_end.IsBefore(cells->cell())) {
      return packer.Flush(/*ends_row=*/true) ? Stream::Cut() : sent;
    }
    if (!packer.Add(cells->cell())) return sent;
  }
  is_at_end = true;
  const Status& outcome = cells->status();
  // Cannot fail: the packer's callback now puts the message into `last` and does not send it.
  static_cast<void>(packer.Flush(/*ends_row=*/outcome.ok()));
  return outcome;
}

template <class To, class Interface>
void ReadFrom(Interface* port, const std::shared_ptr<net::ServerCall>& call, Departure* departure) {
  using Request = ReadRequest<To>;
  const Stream stream(departure, call, Stream::kEnds);
  Serve<Request>(
      call, stream,
      [&](const Request& request, const CallOptions& options, std::string* last) -> Status {
        const CpuScope cpu(CpuOf(port), CountingOf(*request.read));
        ASSIGN_OR_RETURN(std::unique_ptr<CellStream> cells,
                         port->Read(PlaceOf(request.to), *request.read, options));
        return SendCells(call.get(), stream, cells.get(), last);
      });
}

template <class To, class Interface>
bool ReadAtOnce(Interface* port, const std::shared_ptr<net::ServerCall>& call,
                Departure* departure) {
  using Request = ReadRequest<To>;
  Request request;
  if (Status why; !DecodeValue(call->body(), &request, &why)) return false;
  if (!IsOfOneRow(*request.read) || call->IsOver()) return false;
  const CpuScope cpu(CpuOf(port), CpuScope::kOneInMany);
  const Stream stream(departure, call, Stream::kEnds);
  if (!stream.begun().ok() || stream.is_cut()) return false;
  LastPart last;
  CallOptions options;
  options.timeout_us = kAtOnceUs;
  options.from_memory = true;
  options.counters = &last.end.counters;
  auto cells = port->Read(PlaceOf(request.to), *request.read, options);
  if (!cells.ok()) return false;
  bool fits = true;
  CellPacker packer([&](std::string bytes, bool ends_row) {
    fits = last.part.empty();
    last.part = EncodePart({std::move(bytes), ends_row});
    return fits;
  });
  for (; (*cells)->Valid(); (*cells)->Next()) {
    if (!packer.Add((*cells)->cell())) return false;
  }
  if (!(*cells)->status().ok()) return false;
  static_cast<void>(packer.Flush(/*ends_row=*/true));  // the result is in `fits`
  if (!fits) return false;
  cells->reset();  // destroys the read, which adds its counters to last.end
  Note(last.end);
  call->Reply(EncodeValue(last));
  return true;
}

// Sends batches in pieces, because one row may have a value of any size.
class PieceSink final : public engine::ProgramSink {
 public:
  // `may_end`: the run may be cut after a finished row; its reader then gets the other rows from
  // another process.
  PieceSink(net::ServerCall* call, const Stream& stream, bool may_end)
      : call_(call), stream_(stream), may_end_(may_end) {}

  bool Emit(engine::ProgramBatch batch) override {
    const bool has_row_end = !batch.last_row.empty();
    const std::string bytes = EncodeBatch(batch);
    for (size_t at = 0; at < bytes.size() && sent_.ok(); at += kPieceSize) {
      sent_ = call_->Write(
          EncodePart({bytes.substr(at, kPieceSize), /*is_marked=*/at + kPieceSize < bytes.size()}));
    }
    if (sent_.ok() && may_end_ && has_row_end && stream_.is_cut()) sent_ = Stream::Cut();
    return sent_.ok();
  }
  // The error that ended the run, because the stream broke off or was cut; OK: there is none.
  const Status& sent() const { return sent_; }

 private:
  net::ServerCall* const call_;
  const Stream& stream_;
  const bool may_end_;
  Status sent_;
};

Status RunOn(DataApi* data, const RunRequest<LentTable>& request, const CallOptions& options,
             engine::ProgramSink* sink) {
  if (!request.tablet_range.has_value())
    return InvalidArgument(
        "request to run a program on a table: its range of rows is missing; use the same version "
        "of sippar for server and client");
  return data->Run(*request.to, *request.tablet_range, *request.program, options, sink);
}

Status RunOn(TabletService* tablets, const RunRequest<TabletAddress>& request,
             const CallOptions& options, engine::ProgramSink* sink) {
  return tablets->Run(request.to, *request.program, options, sink);
}

template <class To, class Interface>
void RunFrom(Interface* port, const std::shared_ptr<net::ServerCall>& call, Departure* departure) {
  using Request = RunRequest<To>;
  const Stream stream(departure, call, Stream::kEnds);
  Serve<Request>(
      call, stream, [&](const Request& request, const CallOptions& options, std::string*) {
        const CpuScope cpu(CpuOf(port), CountingOf(request.program->read));
        // Results that depend on all rows cannot be continued by another process, so such a run is
        // not cut at the end of a row; it ends, or Departure ends it.
        const bool in_order = !request.program->aggregate && request.program->order_by.empty();
        PieceSink sink(call.get(), stream, in_order);
        Status ended = RunOn(port, request, options, &sink);
        return sink.sent().ok() ? ended : sink.sent();
      });
}

template <class To, class Interface>
void ChangesFrom(Interface* port, const std::shared_ptr<net::ServerCall>& call,
                 Departure* departure) {
  using Request = ChangesCall<To>;
  const Stream stream(departure, call, Stream::kEndless);
  Serve<Request>(call, stream,
                 [&](const Request& request, const CallOptions& options, std::string*) -> Status {
                   const CpuScope cpu(CpuOf(port), CpuScope::kEach);
                   ASSIGN_OR_RETURN(std::unique_ptr<ChangeStream> changes,
                                    port->ReadChanges(PlaceOf(request.to), request.wanted,
                                                      {.cancel = options.cancel}));
                   // The first batch is sent at once, even if empty: the caller waits for it to
                   // learn whether the request is valid.
                   for (int64_t wait_us = 0;; wait_us = kBeatUs) {
                     ASSIGN_OR_RETURN(ChangeBatch batch, changes->Next(wait_us));
                     RETURN_IF_ERROR(call->Write(EncodePart({EncodeValue(batch), false})));
                     if (batch.is_over || batch.is_elsewhere) return OkStatus();
                   }
                 });
}

}  // namespace

void ServeRead(DataApi* data, const std::shared_ptr<net::ServerCall>& call, Departure* departure) {
  ReadFrom<LentTable>(data, call, departure);
}
void ServeRead(TabletService* tablets, const std::shared_ptr<net::ServerCall>& call,
               Departure* departure) {
  ReadFrom<TabletAddress>(tablets, call, departure);
}
bool ServeReadAtOnce(DataApi* data, const std::shared_ptr<net::ServerCall>& call,
                     Departure* departure) {
  return ReadAtOnce<LentTable>(data, call, departure);
}
bool ServeReadAtOnce(TabletService* tablets, const std::shared_ptr<net::ServerCall>& call,
                     Departure* departure) {
  return ReadAtOnce<TabletAddress>(tablets, call, departure);
}
void ServeRun(DataApi* data, const std::shared_ptr<net::ServerCall>& call, Departure* departure) {
  RunFrom<LentTable>(data, call, departure);
}
void ServeRun(TabletService* tablets, const std::shared_ptr<net::ServerCall>& call,
              Departure* departure) {
  RunFrom<TabletAddress>(tablets, call, departure);
}
void ServeChanges(DataApi* data, const std::shared_ptr<net::ServerCall>& call,
                  Departure* departure) {
  ChangesFrom<LentTable>(data, call, departure);
}
void ServeChanges(TabletService* tablets, const std::shared_ptr<net::ServerCall>& call,
                  Departure* departure) {
  ChangesFrom<TabletAddress>(tablets, call, departure);
}

}  // namespace sippar::cluster
