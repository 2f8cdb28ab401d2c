// The calls that are values, and Leave. SPDX-License-Identifier: Apache-2.0
#include <grpc/support/time.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "cluster/grpc/call_trace.h"
#include "cluster/wire/store_service.h"
#include "cluster/wire/stream_end.h"

namespace sippar::cluster {
namespace {

constexpr size_t kReplySizeMax = 1 << 30;   // protobuf allows less than 2 GiB
constexpr int64_t kStreamsUs = 300'000;     // time for streams to end by themselves
constexpr int64_t kCutUs = 200'000;         // further time for them to reach the end of a row
constexpr int64_t kChangesUs = 30'000'000;  // time for running changes, as kCallTimeoutUs
// A client that has just probed this server may now send a change. The wait lets that change arrive
// at the shut gate, which says that nothing was done. If it found the connection closed instead,
// its outcome would be unknown.
constexpr int64_t kLateUs = 20'000;

// The time until the caller stops to wait; 0: it waits for ever.
int64_t TimeLeftUs(const grpc::ServerContext& context) {
  const gpr_timespec deadline = gpr_convert_clock_type(context.raw_deadline(), GPR_CLOCK_MONOTONIC);
  if (gpr_time_cmp(deadline, gpr_inf_future(GPR_CLOCK_MONOTONIC)) == 0) return 0;
  const gpr_timespec left = gpr_time_sub(deadline, gpr_now(GPR_CLOCK_MONOTONIC));
  return std::max<int64_t>(static_cast<int64_t>(gpr_timespec_to_micros(left)), 1);
}

// gRPC's status is OK: the outcome is in the reply, so that the client can distinguish an error of
// the store from a missing answer.
grpc::Status Reply(StatusOr<std::string> answer, wire::CallReply* reply) {
  reply->set_outcome(EncodeValue(answer.status()));
  if (answer.ok()) reply->set_reply(*std::move(answer));
  return grpc::Status::OK;
}

}  // namespace

void StoreService::Leave() {
  // Without any call there is nothing to wait for: no client has connected.
  if (is_cutting_ || calls_begun_ == 0) return;
  changes_.Shut();
  streams_.Shut();
  client_->clock()->SleepMicros(kLateUs);
  bool is_quiet = streams_.WaitUntilQuiet(kStreamsUs);
  is_cutting_ = true;
  if (!is_quiet) streams_.WaitUntilQuiet(kCutUs);
  // Some streams never come to the end of a row in time: a row may be long, a read may find nothing
  // for long, and change streams have no end. These are cancelled where they are.
  watch_.CancelEndless();
  changes_.WaitUntilQuiet(kChangesUs);
}

grpc::Status StoreService::Hello(Context*, const wire::HelloRequest*, wire::HelloReply* reply) {
  ++calls_begun_;
  reply->set_version(kStoreVersion);
  return grpc::Status::OK;
}

grpc::Status StoreService::Call(Context* context, const wire::CallRequest* request,
                                wire::CallReply* reply) {
  ++calls_begun_;
  CallOptions options{nullptr, TimeLeftUs(*context)};
  if (const CallRule* rule = FindRule(DataApi::Calls(), request->name()); rule != nullptr) {
    NameCall(rule->name);
    return Reply(DoNamed(client_->data(), rule->name, request->call(), options, kReplySizeMax),
                 reply);
  }
  static constexpr CallRule kUnknown{"unknown"};
  const CallRule* known = FindRule(AdminApi::Calls(), request->name());
  const CallRule& rule = known == nullptr ? kUnknown : *known;
  NameCall(rule.name);
  // A change begins only while Leave would still wait for its end, so it is either finished or not
  // begun. Writes of rows need no gate: they are safe to repeat.
  std::optional<CallGate::Pass> pass;
  if (rule.effect == Effect::kUnknown) pass.emplace(&changes_);
  if (pass.has_value() && !pass->is_open()) {
    return {grpc::StatusCode::UNAVAILABLE, "the server leaves the store", kNotBegun};
  }
  // Only long calls are worth the watch. A change is not cancelled when its caller goes: the master
  // carries it out all the same, and what this process holds for it must be held until it ends.
  std::optional<CallWatch::Scope> scope;
  if (rule.limit == TimeLimit::kNone && rule.effect == Effect::kNone) {
    options.cancel = scope.emplace(&watch_, context).cancel();
  }
  return Reply(DoNamed(client_->admin(), request->name(), request->call(), options, kReplySizeMax),
               reply);
}

}  // namespace sippar::cluster
