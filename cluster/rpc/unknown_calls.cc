// Refusing unknown calls. SPDX-License-Identifier: Apache-2.0
#include "cluster/rpc/unknown_calls.h"

#include <fmt/format.h>

#include "cluster/rpc/status_codes.h"

namespace sippar::cluster {

struct UnknownCalls::Call {
  grpc::GenericServerContext context;
  grpc::GenericServerAsyncReaderWriter stream{&context};
  bool is_refused = false;
};

void UnknownCalls::Register(grpc::ServerBuilder* builder) {
  builder->RegisterAsyncGenericService(&service_);
  // Its thread sleeps; who looks after the connections of all calls looks after those of these.
  queue_ = builder->AddCompletionQueue(/*is_frequently_polled=*/false);
}

void UnknownCalls::Start() {
  Await();
  thread_ = engine::Thread("unknown-calls", [this] { Run(); });
}

void UnknownCalls::Stop() {
  queue_->Shutdown();
  thread_.Join();
}

void UnknownCalls::Await() {
  auto* call = new Call;
  service_.RequestCall(&call->context, &call->stream, queue_.get(), queue_.get(), call);
}

void UnknownCalls::Run() {
  void* tag = nullptr;
  bool ok = false;
  while (queue_->Next(&tag, &ok)) {
    std::unique_ptr<Call> call(static_cast<Call*>(tag));
    if (!ok || call->is_refused) continue;  // the server ends, or the refusal was sent
    Await();  // the next; the queue is not shut down as long as this call is there
    call->is_refused = true;
    grpc::Status status =
        ToGrpc(Unimplemented(fmt::format("{} is not there yet", call->context.method())));
    call->stream.Finish(status, call.release());
  }
}

}  // namespace sippar::cluster
