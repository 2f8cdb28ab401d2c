// One connection of a client to sippar.v1.Store. The store's own errors travel inside the reply
// messages, so an error status of gRPC always means that no answer came. Thread safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>

#include <atomic>
#include <memory>
#include <string>
#include <utility>

#include "cluster/api/call.h"
#include "cluster/grpc/call_trace.h"
#include "cluster/proto/store.grpc.pb.h"
#include "cluster/wire/call_failure.h"

namespace sippar::cluster {

namespace wire = ::sippar::v1;

void SetTimeout(grpc::ClientContext* context, int64_t timeout_us);  // 0: no timeout

class StoreConnection {
 public:
  // `target` is the user's name for the server, which error messages use.
  StoreConnection(std::shared_ptr<grpc::Channel> channel, std::string target)
      : channel_(std::move(channel)),
        stub_(wire::Store::NewStub(channel_)),
        target_(std::move(target)) {}

  wire::Store::Stub* stub() const { return stub_.get(); }
  // True after a call got no answer: the server is gone, or cannot be distinguished from one that
  // is.
  bool is_lost() const { return is_lost_.load(); }

  // Converts gRPC's error of a call that the caller has not cancelled, and records the loss of the
  // connection.
  [[nodiscard]] Status Failed(const grpc::Status& status, Effect effect);

  [[nodiscard]] Status Hello(int64_t timeout_us, wire::HelloReply* reply);
  // Carries a call that is encoded by call_codec.h, and returns the encoded reply.
  [[nodiscard]] StatusOr<std::string> Carry(const CallRule& rule, std::string call,
                                            const CallOptions& options);

 private:
  // Makes the call; sends its cancellation on as soon as the caller cancels.
  grpc::Status Call(grpc::ClientContext* context, const wire::CallRequest& request,
                    const CallOptions& options, wire::CallReply* reply);

  std::shared_ptr<grpc::Channel> channel_;
  std::unique_ptr<wire::Store::Stub> stub_;
  const std::string target_;
  std::atomic<bool> is_lost_{false};
};

}  // namespace sippar::cluster
