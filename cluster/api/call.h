// Calls as values. A call is a plain struct of its arguments; it also names the type of its reply,
// and the rule that says whether it may be repeated and how long it may take. A Port takes the
// calls of one interface. A class that only passes calls on, to another process for example,
// implements one function for all of them.
//
//   struct Flush {
//     std::string table;
//
//     using Reply = Done;
//     static constexpr int kFields = 1;  // for the codec, call_codec.h
//     static constexpr CallRule kRule{"Flush"};
//   };
//   Status flushed = admin->Do(calls::Flush{"t"});
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <type_traits>
#include <variant>

#include "cluster/api/call_options.h"
#include "engine/base/status.h"

namespace sippar::cluster {

// Whether a caller may repeat a call that the server may already have carried out.
enum class Repeat : uint8_t {
  kSafe,    // yes: a read, a write with a request id, or a change that is idempotent
  kUnsafe,  // no: it is retried only when it is certain that nothing was done
};

// What a call may have changed if its caller gets no answer. kNone: no content, because the call is
// a read, or only rearranges files, as Flush does. kUnknown: the call is a write, whose outcome is
// then unknown.
enum class Effect : uint8_t { kNone, kUnknown };

// How long a caller waits for the answer before it gives up the call.
enum class TimeLimit : uint8_t {
  kShort,  // seconds: the work does not depend on the amount of data
  kLong,   // minutes: work on the data of one tablet, or on one segment of a log
  kNone,
};

// Returns the limit in microseconds; 0: no limit.
constexpr int64_t MicrosOf(TimeLimit limit) {
  constexpr int64_t kSecond = 1'000'000;
  if (limit == TimeLimit::kNone) return 0;
  return limit == TimeLimit::kShort ? 30 * kSecond : 300 * kSecond;
}

struct CallRule {
  const char* name;  // the call's name on the wire
  Repeat repeat = Repeat::kSafe;
  Effect effect = Effect::kNone;
  TimeLimit limit = TimeLimit::kNone;
};

// The rule of a change that must not be made twice.
constexpr CallRule ChangeRule(const char* name) {
  return {name, Repeat::kUnsafe, Effect::kUnknown, TimeLimit::kNone};
}
// The rule of an idempotent change: a repeated call finds the work done and returns OK.
constexpr CallRule RepeatableChangeRule(const char* name, TimeLimit limit = TimeLimit::kNone) {
  return {name, Repeat::kSafe, Effect::kUnknown, limit};
}
// The rule of a call that only uses state that is at hand and changes nothing durable, so its
// answer takes seconds at most.
constexpr CallRule LookUpRule(const char* name) {
  return {name, Repeat::kSafe, Effect::kNone, TimeLimit::kShort};
}

// The reply of a call that has nothing to report but its success.
struct Done {
  static constexpr int kFields = 0;
};

// What the caller of a call gets: Status for a Done, StatusOr<Reply> otherwise.
template <class Call>
using Answer = std::conditional_t<std::is_same_v<typename Call::Reply, Done>, Status,
                                  StatusOr<typename Call::Reply>>;

// A call in progress: references to its request and to the variable for its answer. Both objects
// belong to the caller, so nothing is copied while the call is passed on.
template <class CallType>
struct Pending {
  using Call = CallType;
  const Call& call;
  Answer<Call>& answer;
};

// A type that lists the types of the calls of one interface.
template <class... Calls>
struct CallList {};
template <class... Some, class... Others>
CallList<Some..., Others...> Join(CallList<Some...>, CallList<Others...>);

// Takes the calls of one interface. Thread safe.
template <class List>
class Port;
template <class... CallTypes>
class Port<CallList<CallTypes...>> {
 public:
  using Calls = CallList<CallTypes...>;
  using AnyCall = std::variant<Pending<CallTypes>...>;

  virtual ~Port() = default;
  // Delivers `call` and sets its answer before this function returns. kCancelled and
  // kDeadlineExceeded: the wait ended because of `options`. The call may have begun or not, and a
  // change may have been made or not.
  virtual void Carry(const AnyCall& call, const CallOptions& options) = 0;

  template <class Call>
  [[nodiscard]] Answer<Call> Do(const Call& call, const CallOptions& options = {}) {
    Answer<Call> answer = Status(StatusCode::kInternal, "");
    Carry(Pending<Call>{call, answer}, options);
    return answer;
  }
};

// The next four functions take a Port::AnyCall of any port. RuleOf returns the rule of its call.
template <class AnyCall>
const CallRule& RuleOf(const AnyCall& any) {
  return std::visit(
      [](const auto& pending) -> const CallRule& {
        return std::remove_reference_t<decltype(pending)>::Call::kRule;
      },
      any);
}

// The status of the call's answer; kInternal until the call is answered.
template <class AnyCall>
const Status& AnswerOf(const AnyCall& any) {
  return std::visit([](const auto& pending) -> const Status& { return StatusIn(pending.answer); },
                    any);
}

// Answers the call with an error.
template <class AnyCall>
void Refuse(const AnyCall& any, const Status& error) {
  std::visit([&](const auto& pending) { pending.answer = error; }, any);
}

// Answers the call with what `perform(call)` returns. For a Port that carries calls out instead of
// passing them on.
template <class AnyCall, class Perform>
void AnswerBy(const AnyCall& any, const Perform& perform) {
  std::visit([&](const auto& pending) { pending.answer = perform(pending.call); }, any);
}

}  // namespace sippar::cluster
