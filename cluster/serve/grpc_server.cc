// SPDX-License-Identifier: Apache-2.0
#include "cluster/serve/grpc_server.h"

#include <absl/synchronization/mutex.h>
#include <grpc/support/log.h>
#include <grpc/support/time.h>
#include <grpcpp/resource_quota.h>
#include <grpcpp/server_builder.h>
#include <grpcpp/server_posix.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "cluster/grpc/call_trace.h"
#include "cluster/grpc/request_size.h"
#include "cluster/grpc/status_codes.h"
#include "engine/base/thread.h"

namespace sippar::cluster {
namespace {

// Largest number of threads. Each synchronous call needs one; calls beyond this number fail.
constexpr int kThreadsMax = 512;
// Number of idle threads that are kept, because the start of a thread costs as much as a read.
constexpr int kIdleThreadsMax = 64;
// There is one loop for every four cores, because a loop reads as many calls as about four cores
// can answer.
size_t LoopCount() { return std::max<size_t>(engine::HardwareThreads() / 4, 1); }
// Largest number of concurrent calls of a connection. The client sends a further call only after an
// earlier one has ended, unless the deadline of the further call has passed by then.
constexpr int kCallsOfAConnectionMax = 500;
// Shortest time between two keepalive pings of a client, which may also ping on idle connections.
// gRPC closes a connection whose pings come more often.
constexpr int kPingsMinMs = 1'000;
constexpr size_t kTransportMemory = 1u << 30;  // gRPC's buffers for all calls together

std::vector<std::string> ServiceNames() {
  return {google::bigtable::v2::Bigtable::service_full_name(),
          google::bigtable::admin::v2::BigtableTableAdmin::service_full_name(),
          google::bigtable::admin::v2::BigtableInstanceAdmin::service_full_name(),
          google::longrunning::Operations::service_full_name(),
          grpc::health::v1::Health::service_full_name()};
}

}  // namespace

std::shared_ptr<SlowCalls> SlowCallsOf(Client* client, const ApiServerOptions& options) {
  if (options.on_slow_call == nullptr) return nullptr;
  return std::make_shared<SlowCalls>(client->clock(), options.slow_call_us, options.on_slow_call);
}

GrpcServer::GrpcServer(Client* client, const ApiServerOptions& options,
                       std::shared_ptr<SlowCalls> slow_calls)
    : slow_calls_(std::move(slow_calls)),
      records_(client, options.strict_instances),
      data_(&records_, options.queries),
      reads_(client, &data_),
      writes_(&records_, &data_),
      loops_(LoopCount()),
      table_admin_(&records_, &operations_),
      instance_admin_(&records_, &operations_),
      health_(ServiceNames()),
      reflection_(ServiceNames()) {}

Status GrpcServer::Start() {
  // Debian builds Abseil with deadlock detection: each lock that gRPC takes would then be checked
  // for cycles under one global lock, which serialises all threads.
  absl::SetMutexDeadlockDetectionMode(absl::OnDeadlockCycle::kIgnore);
  // By default gRPC prints a line for each connection that ends. A user who wants to see its log
  // sets GRPC_VERBOSITY.
  if (std::getenv("GRPC_VERBOSITY") == nullptr) gpr_set_log_function([](gpr_log_func_args*) {});
  grpc::ServerBuilder builder;
  // The loops read from all connections. Calls of the methods that the loops do not accept go to
  // gRPC's own threads, which share this one queue.
  builder.SetSyncServerOption(grpc::ServerBuilder::NUM_CQS, 1);
  builder.SetSyncServerOption(grpc::ServerBuilder::MAX_POLLERS, kIdleThreadsMax);
  builder.SetMaxReceiveMessageSize(kRequestSizeMax);
  // Replies are small, except that of ReadModifyWriteRow, which holds what it wrote. The call
  // changes the row before it replies, so gRPC must not refuse the reply for its size.
  builder.SetMaxSendMessageSize(-1);
  builder.AddChannelArgument(GRPC_ARG_MAX_CONCURRENT_STREAMS, kCallsOfAConnectionMax);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1);
  builder.AddChannelArgument(GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS, kPingsMinMs);
  builder.SetResourceQuota(
      grpc::ResourceQuota("sippar").SetMaxThreads(kThreadsMax).Resize(kTransportMemory));
  builder.RegisterService(&data_);
  builder.RegisterService(&table_admin_);
  builder.RegisterService(&instance_admin_);
  builder.RegisterService(&operations_);
  builder.RegisterService(&health_);
  reflection_.Register(&builder);
  for (CallLoop& loop : loops_) loop.Register(&builder);
  unknown_.Register(&builder);
  if (slow_calls_ != nullptr) {
    std::vector<std::unique_ptr<grpc::experimental::ServerInterceptorFactoryInterface>> tracer;
    tracer.push_back(NewCallTracer(slow_calls_));
    builder.experimental().SetInterceptorCreators(std::move(tracer));
  }
  server_ = builder.BuildAndStart();
  if (server_ == nullptr)
    return Unavailable(
        "gRPC server: the gRPC library did not start it and returns no reason; to see the "
        "library's log, set GRPC_VERBOSITY=ERROR in the environment and start again");
  StartLoops();
  return OkStatus();
}

void GrpcServer::StartLoops() {
  for (CallLoop& loop : loops_) {
    reads_.Await(&loop);
    writes_.Await(&loop);
    health_.Await(&loop);
    unknown_.Await(&loop);
    loop.Start([this](bool is_quiet) {
      bool reads_wait = reads_.Look();
      return writes_.Look(is_quiet) || reads_wait;
    });
  }
}

void GrpcServer::AddConnection(int fd) { grpc::AddInsecureChannelFromFd(server_.get(), fd); }

void GrpcServer::Stop(int64_t drain_us) {
  if (server_ == nullptr) return;
  // gRPC's Shutdown waits for running calls, so the endless streams are ended first. The loops stop
  // after Wait, when no further call can come. The threads, which get their work from the loops,
  // stop last.
  health_.Stop();
  data_.EndStreams();
  server_->Shutdown(
      gpr_time_add(gpr_now(GPR_CLOCK_MONOTONIC), gpr_time_from_micros(drain_us, GPR_TIMESPAN)));
  server_->Wait();
  for (CallLoop& loop : loops_) loop.Stop();
  reads_.Stop();
  writes_.Stop();
  server_.reset();
}

}  // namespace sippar::cluster
