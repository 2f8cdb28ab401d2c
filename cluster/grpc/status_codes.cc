// SPDX-License-Identifier: Apache-2.0
#include "cluster/grpc/status_codes.h"

#include "engine/base/printable.h"

namespace sippar::cluster {
namespace {

constexpr int32_t kRetryNanos = 200'000'000;  // time that a refused caller is told to wait
constexpr size_t kMessageSizeMax = 1'000;     // clients accept 8 KiB for all headers together

std::string Text(const Status& status) {
  return engine::PrintableBytes(MessageOf(status).substr(0, kMessageSizeMax));
}

}  // namespace

grpc::Status ToGrpc(const Status& status) {
  if (status.ok()) return grpc::Status::OK;
  return {static_cast<grpc::StatusCode>(status.code()), Text(status)};
}

void ToProto(const Status& status, google::rpc::Status* out) {
  out->set_code(static_cast<int>(status.code()));
  if (!status.ok()) out->set_message(Text(status));
}

grpc::Status Overloaded(const std::string& what) {
  google::rpc::RetryInfo retry;
  retry.mutable_retry_delay()->set_nanos(kRetryNanos);
  google::rpc::Status details;
  details.set_code(grpc::StatusCode::UNAVAILABLE);
  details.set_message(what);
  details.add_details()->PackFrom(retry);
  return {grpc::StatusCode::UNAVAILABLE, what, details.SerializeAsString()};
}

}  // namespace sippar::cluster
