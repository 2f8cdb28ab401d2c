// Implements google.longrunning.Operations. Every operation of the admin services is done when
// their call returns. The last 1000 are kept in memory for clients that poll. Thread safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <string>

#include "cluster/proto/operations.grpc.pb.h"
#include "engine/base/thread.h"

namespace sippar::cluster {

class OperationsService final : public google::longrunning::Operations::Service {
 public:
  // Makes an operation that has succeeded, and keeps it under a name that contains `resource`.
  google::longrunning::Operation Done(const std::string& resource,
                                      const google::protobuf::Message& metadata,
                                      const google::protobuf::Message& response);

  grpc::Status GetOperation(grpc::ServerContext* context,
                            const google::longrunning::GetOperationRequest* request,
                            google::longrunning::Operation* response) override;
  grpc::Status WaitOperation(grpc::ServerContext* context,
                             const google::longrunning::WaitOperationRequest* request,
                             google::longrunning::Operation* response) override;
  grpc::Status ListOperations(grpc::ServerContext* context,
                              const google::longrunning::ListOperationsRequest* request,
                              google::longrunning::ListOperationsResponse* response) override;
  grpc::Status CancelOperation(grpc::ServerContext* context,
                               const google::longrunning::CancelOperationRequest* request,
                               google::protobuf::Empty* response) override;
  grpc::Status DeleteOperation(grpc::ServerContext* context,
                               const google::longrunning::DeleteOperationRequest* request,
                               google::protobuf::Empty* response) override;

 private:
  grpc::Status Find(const std::string& name, google::longrunning::Operation* out);

  engine::Mutex mutex_;
  uint64_t next_id_ GUARDED_BY(mutex_) = 1;
  std::deque<google::longrunning::Operation> done_ GUARDED_BY(mutex_);  // oldest first
};

}  // namespace sippar::cluster
