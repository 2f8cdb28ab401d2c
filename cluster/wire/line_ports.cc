// LineData and LineTablets, which send calls on rows and tablets over a line and open its streams.
// SPDX-License-Identifier: Apache-2.0
#include "cluster/wire/line_ports.h"

#include "cluster/api/call_time.h"
#include "cluster/wire/line_streams.h"
#include "cluster/wire/stream_messages.h"
#include "cluster/wire/write_parts.h"

namespace sippar::cluster {
namespace {

// Makes the calls of interface `Port`. A large batch of writes is sent in several calls.
template <class Port>
class RowSender {
 public:
  RowSender(Line* line, Method method, const CallOptions& options)
      : line_(line), method_(method), time_(line->clock(), options) {}

  void Carry(const typename Port::AnyCall& any) const {
    AnswerBy(any, [this](const auto& asked) { return this->Perform(asked); });
  }

 private:
  template <class Call>
  Answer<Call> Perform(const Call& asked) const {
    if constexpr (requires { asked.batch; }) {
      return SendInParts(asked, time_, [this](const Call& part, const CallOptions& left) {
        return Send(part, left);
      });
    } else {
      if constexpr (requires { asked.mutation; }) RETURN_IF_ERROR(CheckEntries(*asked.mutation));
      return Send(asked, time_.Left());
    }
  }

  template <class Call>
  Answer<Call> Send(const Call& call, const CallOptions& options) const {
    Answer<Call> answer = Status(StatusCode::kInternal, "");
    TakeReply(line_->Call(method_, Call::kRule, EncodeValue(call), options),
              typename Port::AnyCall(Pending<Call>{call, answer}));
    return answer;
  }

  Line* const line_;
  const Method method_;
  const CallTime time_;
};

// Opens a read of a table or a tablet. A server of an earlier version cannot decode a read of a
// part of each value and answers kInvalidArgument; it is asked for whole values instead.
template <class To>
StatusOr<std::unique_ptr<CellStream>> ReadFrom(Line* line, Method method, const To& to,
                                               const ReadSpec& read, const CallOptions& options) {
  auto cells = ReadOverLine(line, method, EncodeValue(ReadRequest<To>{to, read}), options);
  if (cells.status().code() != StatusCode::kInvalidArgument || read.value_part.IsAll()) [[likely]]
    return cells;
  ReadSpec whole = read;
  whole.value_part = {};
  return ReadOverLine(line, method, EncodeValue(ReadRequest<To>{to, whole}), options);
}

}  // namespace

void LineData::Carry(const AnyCall& call, const CallOptions& options) {
  RowSender<DataApi>(line_.get(), Method::kData, options).Carry(call);
}

StatusOr<std::unique_ptr<CellStream>> LineData::Read(const std::string& table, const ReadSpec& read,
                                                     const CallOptions& options) {
  if (options.from_memory) return Unavailable("row: it is read from another process");
  return ReadFrom<LentTable>(line_.get(), Method::kReadTable, table, read, options);
}

Status LineData::Run(const std::string& table, const RowRange& tablet_range,
                     const engine::Program& program, const CallOptions& options,
                     engine::ProgramSink* sink) {
  const RunRequest<LentTable> request{table, tablet_range, program};
  return RunOverLine(line_.get(), Method::kRunTable, EncodeValue(request), options, sink);
}

StatusOr<std::unique_ptr<ChangeStream>> LineData::ReadChanges(const std::string& table,
                                                              const ChangesRequest& wanted,
                                                              const CallOptions& options) {
  const ChangesCall<LentTable> request{table, wanted};
  return ChangesOverLine(line_.get(), Method::kTableChanges, EncodeValue(request), options);
}

void LineTablets::Carry(const AnyCall& call, const CallOptions& options) {
  RowSender<TabletService>(line_.get(), Method::kTablets, options).Carry(call);
}

StatusOr<std::unique_ptr<CellStream>> LineTablets::Read(const TabletAddress& tablet,
                                                        const ReadSpec& read,
                                                        const CallOptions& options) {
  return ReadFrom(line_.get(), Method::kReadTablet, tablet, read, options);
}

Status LineTablets::Run(const TabletAddress& tablet, const engine::Program& program,
                        const CallOptions& options, engine::ProgramSink* sink) {
  const RunRequest<TabletAddress> request{tablet, std::nullopt, program};
  return RunOverLine(line_.get(), Method::kRunTablet, EncodeValue(request), options, sink);
}

StatusOr<std::unique_ptr<ChangeStream>> LineTablets::ReadChanges(const TabletAddress& tablet,
                                                                 const ChangesRequest& wanted,
                                                                 const CallOptions& options) {
  const ChangesCall<TabletAddress> request{tablet, wanted};
  return ChangesOverLine(line_.get(), Method::kTabletChanges, EncodeValue(request), options);
}

}  // namespace sippar::cluster
