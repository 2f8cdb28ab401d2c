// SPDX-License-Identifier: Apache-2.0
#include "cluster/grpc/reflection.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/descriptor.pb.h>
#include <grpcpp/support/sync_stream.h>

#include <set>

#include "cluster/proto/reflection_v1.grpc.pb.h"
#include "cluster/proto/reflection_v1alpha.grpc.pb.h"

namespace sippar::cluster {
namespace {

namespace v1 = grpc::reflection::v1;
namespace v1alpha = grpc::reflection::v1alpha;
using google::protobuf::DescriptorPool;
using google::protobuf::FileDescriptor;

// Adds a file, then all files that it imports, each of them once. Clients expect the requested file
// first.
template <typename Response>
void AddFile(const FileDescriptor& file, std::set<std::string>* given, Response* response) {
  if (!given->insert(file.name()).second) return;
  google::protobuf::FileDescriptorProto proto;
  file.CopyTo(&proto);
  response->mutable_file_descriptor_response()->add_file_descriptor_proto(
      proto.SerializeAsString());
  for (int i = 0; i < file.dependency_count(); ++i) {
    AddFile(*file.dependency(i), given, response);
  }
}

// Serves one version of the protocol. Both versions have the same messages and fields.
template <typename Service, typename Request, typename Response>
class Version final : public Service {
 public:
  explicit Version(const std::vector<std::string>& services) : services_(services) {}

  grpc::Status ServerReflectionInfo(grpc::ServerContext*,
                                    grpc::ServerReaderWriter<Response, Request>* stream) override {
    for (Request request; stream->Read(&request);) {
      Response response;
      response.set_valid_host(request.host());
      *response.mutable_original_request() = request;
      Answer(request, &response);
      if (!stream->Write(response)) break;
    }
    return grpc::Status::OK;
  }

 private:
  void Answer(const Request& request, Response* response) const {
    const DescriptorPool* pool = DescriptorPool::generated_pool();
    switch (request.message_request_case()) {
      case Request::kListServices:
        for (const std::string& name : services_) {
          response->mutable_list_services_response()->add_service()->set_name(name);
        }
        return;
      case Request::kFileByFilename:
        return AnswerFile(pool->FindFileByName(request.file_by_filename()),
                          "file " + request.file_by_filename(), response);
      case Request::kFileContainingSymbol:
        return AnswerFile(pool->FindFileContainingSymbol(request.file_containing_symbol()),
                          "symbol " + request.file_containing_symbol(), response);
      case Request::kAllExtensionNumbersOfType:
        if (pool->FindMessageTypeByName(request.all_extension_numbers_of_type()) != nullptr) {
          response->mutable_all_extension_numbers_response()->set_base_type_name(
              request.all_extension_numbers_of_type());
          return;  // an empty list: our messages have no extensions
        }
        return AnswerFile(nullptr, "type " + request.all_extension_numbers_of_type(), response);
      case Request::kFileContainingExtension:
        return AnswerFile(
            nullptr, "an extension of " + request.file_containing_extension().containing_type(),
            response);
      case Request::MESSAGE_REQUEST_NOT_SET:
        break;
    }
    SetError(grpc::StatusCode::INVALID_ARGUMENT, "message_request is missing", response);
  }

  static void AnswerFile(const FileDescriptor* file, const std::string& what, Response* response) {
    if (file == nullptr) {
      return SetError(grpc::StatusCode::NOT_FOUND, what + " is not known to this server", response);
    }
    std::set<std::string> given;
    AddFile(*file, &given, response);
  }

  static void SetError(grpc::StatusCode code, const std::string& message, Response* response) {
    response->mutable_error_response()->set_error_code(code);
    response->mutable_error_response()->set_error_message(message);
  }

  const std::vector<std::string> services_;
};

}  // namespace

Reflection::Reflection(const std::vector<std::string>& services) {
  std::vector<std::string> names = services;
  names.emplace_back(v1::ServerReflection::service_full_name());
  names.emplace_back(v1alpha::ServerReflection::service_full_name());
  v1_ = std::make_unique<Version<v1::ServerReflection::Service, v1::ServerReflectionRequest,
                                 v1::ServerReflectionResponse>>(names);
  v1alpha_ =
      std::make_unique<Version<v1alpha::ServerReflection::Service, v1alpha::ServerReflectionRequest,
                               v1alpha::ServerReflectionResponse>>(names);
}

void Reflection::Register(grpc::ServerBuilder* builder) {
  builder->RegisterService(v1_.get());
  builder->RegisterService(v1alpha_.get());
}

}  // namespace sippar::cluster
