// SPDX-License-Identifier: Apache-2.0
#include "cluster/node/joined_calls.h"

#include <unistd.h>

#include <type_traits>
#include <utility>

#include "cluster/api/call_time.h"
#include "cluster/node/joined_streams.h"
#include "cluster/wire/call_failure.h"
#include "engine/base/random.h"

namespace sippar::cluster {
namespace {

constexpr const char* kNoAnswer = "the server left without an answer; reaching the store again";
constexpr const char* kPerhapsDone =
    "the server left without an answer, so whether the change was made is not known; reaching the "
    "store again";

// Makes a call that is safe to repeat: a read, or a write with a request id.
template <typename Call>
auto Repeatedly(JoinedStore* joined, const Call& call, Effect effect = Effect::kNone,
                const CallOptions& options = {})
    -> std::invoke_result_t<Call, std::shared_ptr<Client>> {
  CallCourse course(joined->settings(), options);
  for (bool is_first = true;; is_first = false) {
    StatusOr<JoinedStore::Reached> store = joined->Get();
    if (!store.ok()) {
      if (is_first) return store.status();
      return Annotate(store.status(), effect == Effect::kNone ? kNoAnswer : kPerhapsDone);
    }
    auto answer = call(store->client);
    if (!IsBroken(StatusIn(answer), *store)) return answer;
    RETURN_IF_ERROR(course.AfterFailure(StatusIn(answer), Repeat::kSafe));
  }
}

// Makes a call that is repeated only if it was certainly not begun.
template <typename Call>
auto Once(JoinedStore* joined, const Call& call, const CallOptions& options)
    -> std::invoke_result_t<Call, std::shared_ptr<Client>> {
  CallCourse course(joined->settings(), options);
  for (;;) {
    ASSIGN_OR_RETURN(JoinedStore::Reached store, joined->GetForChange());
    auto answer = call(store.client);
    if (!IsMarked(kNotBegun, StatusIn(answer))) return answer;
    RETURN_IF_ERROR(course.AfterFailure(StatusIn(answer), Repeat::kSafe));
  }
}

// A client id that no other client has. The top bit keeps it apart from epochs of a lock service,
// which are small and serve as client ids, too.
uint64_t NewClientId(engine::Clock* clock) {
  engine::Random wall(static_cast<uint64_t>(clock->NowMicros()));
  engine::Random process(static_cast<uint64_t>(clock->MonotonicNanos()) ^
                         (static_cast<uint64_t>(::getpid()) << 40));
  return (wall.Next() ^ process.Next()) | (uint64_t{1} << 63);
}

}  // namespace

JoinedData::JoinedData(JoinedStore* store, engine::Clock* clock)
    : store_(store), numbers_(NewClientId(clock)) {}

Status JoinedData::Apply(const std::string& table, const RowMutation& mutation) {
  NumberedRequest request(&numbers_);
  RowMutation numbered = mutation;
  // An id that the caller has set, such as an idempotency token, is kept.
  if (numbered.request.IsNone()) numbered.request = request.id();
  return Repeatedly(
      store_, [&](const auto& store) { return store->data()->Apply(table, numbered); },
      Effect::kUnknown);
}

std::optional<uint64_t> JoinedData::LaneOf(const std::string& table, std::string_view row) {
  auto store = store_->Get();
  return store.ok() ? store->client->data()->LaneOf(table, row) : std::nullopt;
}

std::vector<Status> JoinedData::ApplyBatch(const std::string& table,
                                           const std::vector<RowMutation>& batch) {
  std::vector<std::unique_ptr<NumberedRequest>> requests;
  std::vector<RowMutation> numbered = batch;
  for (RowMutation& mutation : numbered) {
    requests.push_back(std::make_unique<NumberedRequest>(&numbers_));
    if (mutation.request.IsNone()) mutation.request = requests.back()->id();
  }
  std::vector<Status> statuses;
  auto apply = [&](const auto& store) -> Status {
    statuses = store->data()->ApplyBatch(table, numbered);
    // The batch is repeated as a whole. The store recognises what it has done by the request ids.
    for (const Status& status : statuses) {
      if (status.code() == StatusCode::kUnavailable) return status;
    }
    return OkStatus();
  };
  Status reached = Repeatedly(store_, apply, Effect::kUnknown);
  // Stays empty only if no try reached the store.
  if (statuses.empty()) statuses.assign(batch.size(), reached);
  return statuses;
}

StatusOr<std::unique_ptr<CellStream>> JoinedData::Read(const std::string& table,
                                                       const ReadSpec& read,
                                                       const CallOptions& options) {
  return ReadJoined(store_, table, read, options);
}

Status JoinedData::Run(const std::string& table, const RowRange& tablet_range,
                       const engine::Program& program, const CallOptions& options,
                       engine::ProgramSink* sink) {
  return RunJoined(store_, table, tablet_range, program, options, sink);
}

StatusOr<engine::RowUpdateResult> JoinedData::Update(const std::string& table,
                                                     const engine::RowUpdate& update) {
  NumberedRequest request(&numbers_);
  engine::RowUpdate numbered = update;
  numbered.request = request.id();
  return Repeatedly(
      store_, [&](const auto& store) { return store->data()->Update(table, numbered); },
      Effect::kUnknown);
}

Status JoinedData::CommitRow(const std::string& table, const RowMutation& mutation,
                             const std::vector<ReadCheck>& checks) {
  NumberedRequest request(&numbers_);
  RowMutation numbered = mutation;
  numbered.request = request.id();
  return Repeatedly(
      store_, [&](const auto& store) { return store->data()->CommitRow(table, numbered, checks); },
      Effect::kUnknown);
}

StatusOr<std::vector<TabletInfo>> JoinedData::Tablets(const std::string& table) {
  return Repeatedly(store_, [&](const auto& store) { return store->data()->Tablets(table); });
}

StatusOr<std::vector<RowRange>> JoinedData::TabletRanges(const std::string& table) {
  return Repeatedly(store_, [&](const auto& store) { return store->data()->TabletRanges(table); });
}

StatusOr<std::unique_ptr<ChangeStream>> JoinedData::ReadChanges(const std::string& table,
                                                                const ChangesRequest& wanted,
                                                                const CallOptions& options) {
  return ReadJoinedChanges(store_, table, wanted, options);
}

// Changes of tables carry no request ids, so they are made only once, on a server that has just
// answered.
void JoinedAdmin::Carry(const AnyCall& call, const CallOptions& options) {
  const CallRule& rule = RuleOf(call);
  const CallTime time(store_->settings().clock, options);
  auto carry = [&](const std::shared_ptr<Client>& store) -> Status {
    store->admin()->Carry(call, time.Left());
    return AnswerOf(call);
  };
  Status made = rule.repeat == Repeat::kSafe ? Repeatedly(store_, carry, rule.effect, options)
                                             : Once(store_, carry, options);
  if (!made.ok()) Refuse(call, made);
}

}  // namespace sippar::cluster
