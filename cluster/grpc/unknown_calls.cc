// SPDX-License-Identifier: Apache-2.0
#include "cluster/grpc/unknown_calls.h"

#include <fmt/format.h>

#include <memory>

#include "cluster/grpc/status_codes.h"

namespace sippar::cluster {

// One refused call. It has two events: the arrival of the call, and the end of sending the refusal.
struct UnknownCalls::Call final : CallEvent {
  Call(UnknownCalls* of, CallLoop* loop) : calls(of), guest(loop) {}

  void Happened(bool ok) override {
    std::unique_ptr<Call> self(this);
    // `self` deletes the object after the refusal was sent. It also does so if `ok` is false: the
    // server then shuts down, and no call will come.
    if (!ok || is_refused) return;
    calls->Await(guest.loop());
    is_refused = true;
    stream.Finish(
        ToGrpc(Unimplemented(fmt::format("method {} is not supported", context.method()))),
        self.release()->Tag());
  }

  UnknownCalls* const calls;
  const CallLoop::Guest guest;
  grpc::GenericServerContext context;
  grpc::GenericServerAsyncReaderWriter stream{&context};
  bool is_refused = false;
};

void UnknownCalls::Await(CallLoop* loop) {
  auto* call = new Call(this, loop);
  service_.RequestCall(&call->context, &call->stream, loop->queue(), loop->queue(), call->Tag());
}

}  // namespace sippar::cluster
