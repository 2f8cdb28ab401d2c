// SPDX-License-Identifier: Apache-2.0
#include "cluster/serve/gateway.h"

#include <utility>

namespace sippar::cluster {

Gateway::Gateway(Client* client, const ApiServerOptions& options, WireServerOptions wire)
    : client_(client),
      options_(options),
      slow_calls_(SlowCallsOf(client, options)),
      wire_options_(std::move(wire)) {
  wire_options_.listen = "";
  wire_options_.slow_calls = slow_calls_;
}

Status Gateway::StartGrpc() {
  engine::MutexLock lock(&mutex_);
  return BeginGrpc();
}

Status Gateway::BeginGrpc() {
  if (grpc_ != nullptr) return OkStatus();
  auto grpc = std::make_unique<GrpcServer>(client_, options_, slow_calls_);
  RETURN_IF_ERROR(grpc->Start());
  grpc_ = std::move(grpc);
  return OkStatus();
}

// If the protocol's server does not start, the connection is closed, and its caller tries again.
void Gateway::Serve(Protocol protocol, std::unique_ptr<net::Socket> connection) {
  engine::MutexLock lock(&mutex_);
  if (is_stopped_) return;
  if (protocol == Protocol::kGrpc) {
    if (BeginGrpc().ok()) grpc_->AddConnection(connection->Release());
    return;
  }
  if (wire_ == nullptr) {
    auto started = WireServer::Start(client_, wire_options_);
    if (!started.ok()) return;
    wire_ = *std::move(started);
  }
  wire_->Serve(std::move(connection));
}

uint64_t Gateway::wire_calls() {
  engine::MutexLock lock(&mutex_);
  return wire_ == nullptr ? 0 : wire_->calls_begun();
}

void Gateway::Stop(int64_t drain_us) {
  std::unique_ptr<GrpcServer> grpc;
  std::unique_ptr<WireServer> wire;
  {
    engine::MutexLock lock(&mutex_);
    is_stopped_ = true;
    grpc.swap(grpc_);
    wire.swap(wire_);
  }
  engine::Thread wire_stop;
  if (wire != nullptr) {
    wire_stop = engine::Thread("wire-stop", [&] { wire->Stop(drain_us); });
  }
  if (grpc != nullptr) grpc->Stop(drain_us);
}

}  // namespace sippar::cluster
