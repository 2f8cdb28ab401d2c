// Implements grpc.reflection.v1 and v1alpha from the descriptors that protoc compiled in, so that
// tools can call the services without their .proto files.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <grpcpp/server_builder.h>

#include <memory>
#include <string>
#include <vector>

namespace sippar::cluster {

class Reflection {
 public:
  // `services`: full names of the services to list. Other compiled-in names are found as well, but
  // not listed.
  explicit Reflection(const std::vector<std::string>& services);
  void Register(grpc::ServerBuilder* builder);

 private:
  std::unique_ptr<grpc::Service> v1_;
  std::unique_ptr<grpc::Service> v1alpha_;
};

}  // namespace sippar::cluster
