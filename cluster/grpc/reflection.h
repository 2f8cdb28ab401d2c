// grpc.reflection.v1 and v1alpha over the descriptors that protoc compiled in, so that a tool can
// call the services without their .proto files. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <grpcpp/server_builder.h>

#include <memory>
#include <string>
#include <vector>

namespace sippar::cluster {

class Reflection {
 public:
  // Full names of what it lists; a name it does not list is found, too.
  explicit Reflection(const std::vector<std::string>& services);
  void Register(grpc::ServerBuilder* builder);

 private:
  std::unique_ptr<grpc::Service> v1_;
  std::unique_ptr<grpc::Service> v1alpha_;
};

}  // namespace sippar::cluster
