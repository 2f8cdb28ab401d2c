// SPDX-License-Identifier: Apache-2.0
#include "cluster/node/joined_calls.h"

#include <utility>

#include "cluster/wire/call_failure.h"
#include "engine/base/entropy.h"

namespace sippar::cluster {
namespace {

constexpr const char* kNoAnswer =
    "the process that had the store open ended without an answer, and the store cannot be reached "
    "again";
constexpr const char* kPerhapsDone =
    "the process that had the store open ended without an answer, so whether the change was made "
    "is not known, and the store "
    "cannot be reached again";

// Makes a call that is safe to repeat: a read, or a write with a request id. `call` gets the
// store's client, and options whose timeout is the time that is left.
template <typename Call>
Status Repeatedly(JoinedStore* joined, const CallRule& rule, const CallOptions& options,
                  const Call& call) {
  CallCourse course(joined->settings(), options);
  for (bool is_first = true;; is_first = false) {
    ASSIGN_OR_RETURN(CallOptions now, course.OptionsNow());
    StatusOr<JoinedStore::Reached> store = joined->Get(now);
    if (!store.ok()) {
      if (is_first) return store.status();
      return Annotate(store.status(), rule.effect == Effect::kNone ? kNoAnswer : kPerhapsDone);
    }
    ASSIGN_OR_RETURN(now, course.OptionsNow());
    Status outcome = call(store->client.get(), now);
    if (!IsBroken(outcome, *store)) return outcome;
    RETURN_IF_ERROR(course.AfterFailure(outcome, Repeat::kSafe));
  }
}

// Makes a call, and repeats it only if it was certainly not begun.
template <typename Call>
Status Once(JoinedStore* joined, const CallOptions& options, const Call& call) {
  CallCourse course(joined->settings(), options);
  for (;;) {
    ASSIGN_OR_RETURN(CallOptions now, course.OptionsNow());
    ASSIGN_OR_RETURN(JoinedStore::Reached store, joined->GetForChange(now));
    ASSIGN_OR_RETURN(now, course.OptionsNow());
    Status outcome = call(store.client.get(), now);
    if (!IsMarked(kNotBegun, outcome)) return outcome;
    RETURN_IF_ERROR(course.AfterFailure(outcome, Repeat::kSafe));
  }
}

// The status that decides whether the call is repeated. For a batch it is the status of a part that
// got no answer: the batch is repeated as a whole, and the store finds out from the request ids
// which parts it has already done.
template <class Answer>
Status OutcomeOf(const Answer& answer) {
  if constexpr (kHasParts<Answer>) {
    for (size_t i = 0; answer.ok() && i < answer->size(); ++i) {
      const Status& part = StatusIn((*answer)[i]);
      if (part.code() == StatusCode::kUnavailable) return part;
    }
  }
  return StatusIn(answer);
}

// Answers the call with `outcome`, which ended its retries. The parts of a batch that got an answer
// keep it.
template <class Answer>
void Settle(const Status& outcome, Answer* answer) {
  if (outcome == OutcomeOf(*answer)) return;
  if constexpr (kHasParts<Answer>) {
    if (answer->ok()) {
      for (auto& part : **answer) {
        if (StatusIn(part).code() == StatusCode::kUnavailable) part = outcome;
      }
      return;
    }
  }
  *answer = outcome;
}

// Returns a client id that no other client has, on any machine. The clients of a lock service have
// epochs as ids; an epoch is a count and never has the top bit, which all ids from here have.
uint64_t NewClientId() { return engine::Entropy() | (uint64_t{1} << 63); }

}  // namespace

JoinedData::JoinedData(JoinedStore* store) : store_(store), numbers_(NewClientId()) {}

void JoinedData::Carry(const AnyCall& any, const CallOptions& options) {
  auto carry = [&]<class Call>(const Pending<Call>& pending) {
    const NumberedCall<Call> numbered(&numbers_, pending.call);
    const Pending<Call> sent{numbered.call(), pending.answer};
    auto once = [&](Client* store, const CallOptions& now) {
      store->data()->Carry(sent, now);
      return OutcomeOf(sent.answer);
    };
    Settle(Repeatedly(store_, Call::kRule, options, once), &sent.answer);
  };
  std::visit(carry, any);
}

std::optional<uint64_t> JoinedData::BundleOf(const std::string& table, std::string_view row) {
  auto store = store_->Get({});
  return store.ok() ? store->client->data()->BundleOf(table, row) : std::nullopt;
}

// Changes of tables carry no request ids, so they are made only once, on a server that has just
// answered a probe.
void JoinedAdmin::Carry(const AnyCall& call, const CallOptions& options) {
  const CallRule& rule = RuleOf(call);
  auto once = [&](Client* store, const CallOptions& now) {
    store->admin()->Carry(call, now);
    return AnswerOf(call);
  };
  Status outcome = rule.repeat == Repeat::kSafe ? Repeatedly(store_, rule, options, once)
                                                : Once(store_, options, once);
  if (!outcome.ok()) Refuse(call, outcome);
}

}  // namespace sippar::cluster
