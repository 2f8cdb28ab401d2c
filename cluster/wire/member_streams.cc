// SPDX-License-Identifier: Apache-2.0
#include "cluster/wire/member_streams.h"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "cluster/net/failure.h"
#include "cluster/wire/cell_batch.h"
#include "cluster/wire/member_call.h"
#include "cluster/wire/program_batch.h"
#include "cluster/wire/stream_messages.h"

namespace sippar::cluster {
namespace {

constexpr size_t kPieceSize = 1 << 20;  // bytes of a batch in one part
// Longest silence of a change stream: its reader learns how far it is without changes.
constexpr int64_t kBeatUs = 1'000'000;

const std::string& PlaceOf(const LentTable& table) { return *table; }
const TabletAddress& PlaceOf(const TabletAddress& tablet) { return tablet; }

// Decodes the request, has `work` done, and ends the stream with what it returns. `work` gets the
// request, the options and the place for a part that is sent with the end.
template <class Request, class Work>
void Serve(const std::shared_ptr<net::ServerCall>& call, const Work& work) {
  Request request;
  if (Status why; !DecodeValue(call->body(), &request, &why)) {
    // Whole bytes with a value that is not allowed: the caller is told as if it had asked here.
    if (why.code() == StatusCode::kInvalidArgument) return call->Reply(why);
    return call->Reply(InvalidArgument(
        "request for a stream cannot be decoded; use the same sippar for server and client"));
  }
  LastPart last;
  CallOptions options = OptionsOf(call);
  options.counters = &last.end.counters;
  last.end.outcome = net::OfBegunCall(work(request, options, &last.part));
  call->Reply(EncodeValue(last));
}

Status SendCells(net::ServerCall* call, CellStream* cells, std::string* last) {
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
  for (; cells->Valid(); cells->Next()) {
    if (!packer.Add(cells->cell())) return sent;
  }
  is_at_end = true;
  const Status& outcome = cells->status();
  static_cast<void>(packer.Flush(/*ends_row=*/outcome.ok()));  // into `last`
  return outcome;
}

template <class To, class Interface>
void ReadFrom(Interface* port, const std::shared_ptr<net::ServerCall>& call) {
  using Request = ReadRequest<To>;
  Serve<Request>(
      call, [&](const Request& request, const CallOptions& options, std::string* last) -> Status {
        ASSIGN_OR_RETURN(std::unique_ptr<CellStream> cells,
                         port->Read(PlaceOf(request.to), *request.read, options));
        return SendCells(call.get(), cells.get(), last);
      });
}

// Sends batches in pieces, because one row may have a value of any size.
class PieceSink final : public engine::ProgramSink {
 public:
  explicit PieceSink(net::ServerCall* call) : call_(call) {}

  bool Emit(engine::ProgramBatch batch) override {
    const std::string bytes = EncodeBatch(batch);
    for (size_t at = 0; at < bytes.size() && sent_.ok(); at += kPieceSize) {
      sent_ = call_->Write(
          EncodePart({bytes.substr(at, kPieceSize), /*is_marked=*/at + kPieceSize < bytes.size()}));
    }
    return sent_.ok();
  }
  // Why the run was ended, if it was.
  const Status& sent() const { return sent_; }

 private:
  net::ServerCall* const call_;
  Status sent_;
};

Status RunOn(DataApi* data, const RunRequest<LentTable>& request, const CallOptions& options,
             engine::ProgramSink* sink) {
  if (!request.tablet_range.has_value()) return InvalidArgument("run on a table: it has no range");
  return data->Run(*request.to, *request.tablet_range, *request.program, options, sink);
}

Status RunOn(TabletService* tablets, const RunRequest<TabletAddress>& request,
             const CallOptions& options, engine::ProgramSink* sink) {
  return tablets->Run(request.to, *request.program, options, sink);
}

template <class To, class Interface>
void RunFrom(Interface* port, const std::shared_ptr<net::ServerCall>& call) {
  using Request = RunRequest<To>;
  Serve<Request>(call, [&](const Request& request, const CallOptions& options, std::string*) {
    PieceSink sink(call.get());
    Status ended = RunOn(port, request, options, &sink);
    return sink.sent().ok() ? ended : sink.sent();
  });
}

template <class To, class Interface>
void ChangesFrom(Interface* port, const std::shared_ptr<net::ServerCall>& call) {
  using Request = ChangesCall<To>;
  Serve<Request>(
      call, [&](const Request& request, const CallOptions& options, std::string*) -> Status {
        RETURN_IF_ERROR(call->MarkEndless());
        ASSIGN_OR_RETURN(
            std::unique_ptr<ChangeStream> stream,
            port->ReadChanges(PlaceOf(request.to), request.wanted, {.cancel = options.cancel}));
        // The first batch is sent at once, even if empty: the caller waits for it to learn whether
        // the request is valid.
        for (int64_t wait_us = 0;; wait_us = kBeatUs) {
          ASSIGN_OR_RETURN(ChangeBatch batch, stream->Next(wait_us));
          RETURN_IF_ERROR(call->Write(EncodePart({EncodeValue(batch), false})));
          if (batch.is_over || batch.is_elsewhere) return OkStatus();
        }
      });
}

}  // namespace

void ServeRead(DataApi* data, const std::shared_ptr<net::ServerCall>& call) {
  ReadFrom<LentTable>(data, call);
}
void ServeRead(TabletService* tablets, const std::shared_ptr<net::ServerCall>& call) {
  ReadFrom<TabletAddress>(tablets, call);
}
void ServeRun(DataApi* data, const std::shared_ptr<net::ServerCall>& call) {
  RunFrom<LentTable>(data, call);
}
void ServeRun(TabletService* tablets, const std::shared_ptr<net::ServerCall>& call) {
  RunFrom<TabletAddress>(tablets, call);
}
void ServeChanges(DataApi* data, const std::shared_ptr<net::ServerCall>& call) {
  ChangesFrom<LentTable>(data, call);
}
void ServeChanges(TabletService* tablets, const std::shared_ptr<net::ServerCall>& call) {
  ChangesFrom<TabletAddress>(tablets, call);
}

}  // namespace sippar::cluster
