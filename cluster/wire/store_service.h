// Implements sippar.v1.Store: serves cluster/api to Sippar clients in other processes. It only
// translates; a damaged request is kInvalidArgument. Thread safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cluster/client/client.h"
#include "cluster/grpc/call_gate.h"
#include "cluster/grpc/call_watch.h"
#include "cluster/proto/store.grpc.pb.h"
#include "cluster/wire/call_failure.h"

namespace sippar::cluster {

namespace wire = ::sippar::v1;

class StoreService final : public wire::Store::Service {
 public:
  explicit StoreService(Client* client) : client_(client) {}  // must outlive the service
  // Prepares the stop of the server. No call that must not be repeated begins any more, and its
  // caller learns that nothing was done; those that run are finished. Streams may continue for
  // 0.3 s and are then cut, if possible at the end of a row: their readers continue with the next
  // process that opens the store.
  void Leave();
  // Number of calls so far, without streams of changes.
  uint64_t calls_begun() const { return calls_begun_; }

  using Context = grpc::ServerContext;

  grpc::Status Hello(Context* context, const wire::HelloRequest* request,
                     wire::HelloReply* reply) override;

  grpc::Status Call(Context* context, const wire::CallRequest* request,
                    wire::CallReply* reply) override;
  grpc::Status Read(Context* context, const wire::ReadRequest* request,
                    grpc::ServerWriter<wire::ReadReply>* writer) override;
  grpc::Status Run(Context* context, const wire::RunRequest* request,
                   grpc::ServerWriter<wire::RunReply>* writer) override;
  grpc::Status ReadChanges(Context* context, const wire::ChangesRequest* request,
                           grpc::ServerWriter<wire::ChangesReply>* writer) override;

 private:
  // Serves a stream of Read or Run. `work` gets the call's options; what it returns goes into the
  // last message.
  template <class Reply, class Work>
  grpc::Status Stream(Context* context, int64_t timeout_us, grpc::ServerWriter<Reply>* writer,
                      const Work& work);
  // True if a stream ended because this server leaves.
  bool IsCut(const Status& ended, Context* context) const;

  Client* const client_;
  CallWatch watch_;
  CallGate changes_;  // calls of administrators that change something
  CallGate streams_;  // reads and programs
  std::atomic<bool> is_cutting_{false};
  std::atomic<uint64_t> calls_begun_{0};
};

}  // namespace sippar::cluster
