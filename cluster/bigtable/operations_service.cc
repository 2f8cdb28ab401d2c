// SPDX-License-Identifier: Apache-2.0
#include "cluster/bigtable/operations_service.h"

#include <fmt/format.h>

#include <algorithm>

#include "cluster/grpc/status_codes.h"

namespace sippar::cluster {
namespace {

using google::longrunning::Operation;

constexpr size_t kRememberedMax = 1'000;  // operations kept for clients that poll

}  // namespace

Operation OperationsService::Done(const std::string& resource,
                                  const google::protobuf::Message& metadata,
                                  const google::protobuf::Message& response) {
  Operation operation;
  operation.set_done(true);
  operation.mutable_metadata()->PackFrom(metadata);
  operation.mutable_response()->PackFrom(response);
  engine::MutexLock lock(&mutex_);
  operation.set_name(fmt::format("operations/{}/operations/{}", resource, next_id_++));
  done_.push_back(operation);
  if (done_.size() > kRememberedMax) done_.pop_front();
  return operation;
}

grpc::Status OperationsService::Find(const std::string& name, Operation* out) {
  engine::MutexLock lock(&mutex_);
  auto found = std::find_if(done_.begin(), done_.end(), [&name](const Operation& operation) {
    return operation.name() == name;
  });
  if (found == done_.end()) {
    return ToGrpc(NotFound(fmt::format(
        "operation '{}' not found; the server keeps the last {} operations since its start; each "
        "operation is complete when its call returns",
        name.substr(0, 300), kRememberedMax)));
  }
  *out = *found;
  return grpc::Status::OK;
}

grpc::Status OperationsService::GetOperation(
    grpc::ServerContext*, const google::longrunning::GetOperationRequest* request,
    Operation* response) {
  return Find(request->name(), response);
}

grpc::Status OperationsService::WaitOperation(
    grpc::ServerContext*, const google::longrunning::WaitOperationRequest* request,
    Operation* response) {
  return Find(request->name(), response);
}

grpc::Status OperationsService::ListOperations(
    grpc::ServerContext*, const google::longrunning::ListOperationsRequest* request,
    google::longrunning::ListOperationsResponse* response) {
  engine::MutexLock lock(&mutex_);
  for (const Operation& operation : done_) {
    if (operation.name().starts_with(request->name())) *response->add_operations() = operation;
  }
  return grpc::Status::OK;
}

grpc::Status OperationsService::CancelOperation(
    grpc::ServerContext*, const google::longrunning::CancelOperationRequest* request,
    google::protobuf::Empty*) {
  Operation ignored;  // all operations are done; to cancel one is no error
  return Find(request->name(), &ignored);
}

grpc::Status OperationsService::DeleteOperation(
    grpc::ServerContext*, const google::longrunning::DeleteOperationRequest* request,
    google::protobuf::Empty*) {
  engine::MutexLock lock(&mutex_);
  std::erase_if(
      done_, [request](const Operation& operation) { return operation.name() == request->name(); });
  return grpc::Status::OK;
}

}  // namespace sippar::cluster
