// The gRPC server. SPDX-License-Identifier: Apache-2.0
#include "cluster/rpc/grpc_server.h"

#include <fmt/format.h>
#include <grpc/support/time.h>
#include <grpcpp/resource_quota.h>
#include <grpcpp/server_builder.h>
#include <grpcpp/server_posix.h>

#include "cluster/rpc/call_trace.h"
#include "cluster/rpc/request_size.h"
#include "cluster/rpc/status_codes.h"

namespace sippar::cluster {
namespace {

constexpr int kThreadsMax = 512;               // each call has one; more are refused at once
constexpr size_t kTransportMemory = 1u << 30;  // of gRPC, for all calls together

// Calls nobody else has: their name tells a client's author what is missing.
class UnknownCalls final : public grpc::CallbackGenericService {
 public:
  grpc::ServerGenericBidiReactor* CreateReactor(
      grpc::GenericCallbackServerContext* context) override {
    class Refusal final : public grpc::ServerGenericBidiReactor {
     public:
      explicit Refusal(const std::string& method) {
        Finish(ToGrpc(Unimplemented(fmt::format("{} is not there yet", method))));
      }
      void OnDone() override { delete this; }
    };
    return new Refusal(context->method());
  }
};

}  // namespace

GrpcServer::GrpcServer(Client* client, const ApiServerOptions& options)
    : options_(options),
      records_(client, options.strict_instances),
      data_(&records_, options.queries),
      table_admin_(&records_, &operations_),
      instance_admin_(&records_, &operations_),
      store_(client),
      unknown_(std::make_unique<UnknownCalls>()) {}

Status GrpcServer::Start(const std::string& listen) {
  grpc::ServerBuilder builder;
  builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);  // two servers on a port: an error
  if (!listen.empty()) {
    builder.AddListeningPort(listen, grpc::InsecureServerCredentials(), &port_);
  }
  builder.SetMaxReceiveMessageSize(kRequestSizeMax);
  // Ours are small but for what one row gives: of a ReadModifyWriteRow, of a RETURNING.
  builder.SetMaxSendMessageSize(-1);
  builder.SetResourceQuota(
      grpc::ResourceQuota("sippar").SetMaxThreads(kThreadsMax).Resize(kTransportMemory));
  builder.RegisterService(&data_);
  builder.RegisterService(&table_admin_);
  builder.RegisterService(&instance_admin_);
  builder.RegisterService(&operations_);
  builder.RegisterService(&store_);
  builder.RegisterCallbackGenericService(unknown_.get());
  if (options_.on_slow_call != nullptr) {
    std::vector<std::unique_ptr<grpc::experimental::ServerInterceptorFactoryInterface>> tracer;
    tracer.push_back(NewCallTracer(records_.client()->clock(), &options_));
    builder.experimental().SetInterceptorCreators(std::move(tracer));
  }
  server_ = builder.BuildAndStart();
  if (server_ != nullptr && (listen.empty() || port_ != 0)) return OkStatus();
  server_.reset();
  return Unavailable(fmt::format("cannot listen on {}: is another server there?", listen));
}

void GrpcServer::AddConnection(int fd) { grpc::AddInsecureChannelFromFd(server_.get(), fd); }

void GrpcServer::Stop(int64_t drain_us) {
  if (server_ == nullptr) return;
  data_.EndStreams();
  store_.EndStreams();
  server_->Shutdown(
      gpr_time_add(gpr_now(GPR_CLOCK_MONOTONIC), gpr_time_from_micros(drain_us, GPR_TIMESPAN)));
  server_->Wait();
  server_.reset();
}

}  // namespace sippar::cluster
