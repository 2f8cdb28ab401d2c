// SPDX-License-Identifier: Apache-2.0
#include "cluster/grpc/health_service.h"

#include <grpcpp/support/async_stream.h>

namespace sippar::cluster {

using grpc::health::v1::HealthCheckRequest;
using grpc::health::v1::HealthCheckResponse;

// One Watch call. Its own events are the arrival of the call, the end of sending the state, and the
// end of sending the final status. With the tag `over`, gRPC reports that the call is over. The
// object deletes itself after the final status was sent and the call is over, in either order.
struct HealthService::Watcher final : CallEvent {
  struct Over final : CallEvent {
    explicit Over(Watcher* of) : watcher(of) {}
    void Happened(bool) override { watcher->BeOver(); }
    Watcher* const watcher;
  };

  Watcher(HealthService* of, CallLoop* loop) : health(of), guest(loop) {}

  void Happened(bool ok) override {
    bool is_done = false;
    {
      engine::MutexLock lock(&health->mutex_);
      if (!has_come && ok) {
        health->Await(guest.loop());
        health->watchers_.push_back(this);
      }
      // No call came before the server's shutdown. gRPC does not report `over` for it.
      is_done = !has_come && !ok;
      has_come = true;
      is_busy = false;
      if (!is_done) Advance();
      is_done = is_done || LeaveIfDone();
    }
    if (is_done) delete this;
  }

  void BeOver() {
    bool is_done = false;
    {
      engine::MutexLock lock(&health->mutex_);
      is_over = true;
      if (has_come) Advance();
      is_done = LeaveIfDone();
    }
    if (is_done) delete this;
  }

  // Sends the next message or the end of the call, if there is one to send. gRPC allows only one
  // such operation at a time.
  void Advance() REQUIRES(health->mutex_) {
    if (is_busy || is_ended || (is_told && !is_over && !health->is_stopping_)) return;
    is_busy = true;
    HealthCheckResponse response;
    if (is_over) {
      is_ended = true;
      stream.Finish(grpc::Status::CANCELLED, Tag());
    } else if (health->is_stopping_) {
      is_ended = true;
      response.set_status(HealthCheckResponse::NOT_SERVING);
      stream.WriteAndFinish(response, {}, grpc::Status::OK, Tag());
    } else {
      is_told = true;
      bool is_known = health->services_.contains(request.service());
      response.set_status(is_known ? HealthCheckResponse::SERVING
                                   : HealthCheckResponse::SERVICE_UNKNOWN);
      stream.Write(response, Tag());
    }
  }

  bool LeaveIfDone() REQUIRES(health->mutex_) {
    if (!is_ended || is_busy || !is_over) return false;
    std::erase(health->watchers_, this);
    return true;
  }

  HealthService* const health;
  const CallLoop::Guest guest;
  Over over{this};
  grpc::ServerContext context;
  HealthCheckRequest request;
  grpc::ServerAsyncWriter<HealthCheckResponse> stream{&context};
  bool has_come = false;
  bool is_told = false;
  bool is_busy = false;
  bool is_ended = false;
  bool is_over = false;
};

HealthService::HealthService(const std::vector<std::string>& services)
    : services_(services.begin(), services.end()) {
  services_.insert("");
}

grpc::Status HealthService::Check(grpc::ServerContext*, const HealthCheckRequest* request,
                                  HealthCheckResponse* response) {
  if (!services_.contains(request->service())) {
    return {grpc::StatusCode::NOT_FOUND,
            "service '" + request->service() + "' is not served by this server"};
  }
  engine::MutexLock lock(&mutex_);
  response->set_status(is_stopping_ ? HealthCheckResponse::NOT_SERVING
                                    : HealthCheckResponse::SERVING);
  return grpc::Status::OK;
}

void HealthService::Await(CallLoop* loop) {
  auto* watcher = new Watcher(this, loop);
  watcher->context.AsyncNotifyWhenDone(watcher->over.Tag());
  RequestWatch(&watcher->context, &watcher->request, &watcher->stream, loop->queue(), loop->queue(),
               watcher->Tag());
}

void HealthService::Stop() {
  engine::MutexLock lock(&mutex_);
  is_stopping_ = true;
  for (Watcher* watcher : watchers_) watcher->Advance();
}

}  // namespace sippar::cluster
