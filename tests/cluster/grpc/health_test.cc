// The health check and reflection services, as tools use them.
// SPDX-License-Identifier: Apache-2.0
#include <google/protobuf/descriptor.h>
#include <google/protobuf/descriptor.pb.h>
#include <google/protobuf/descriptor_database.h>

#include <set>

#include "cluster/proto/health.grpc.pb.h"
#include "cluster/proto/reflection_v1.grpc.pb.h"
#include "cluster/proto/reflection_v1alpha.grpc.pb.h"
#include "engine/base/thread.h"
#include "tests/cluster/serve/api_fixture.h"

namespace sippar::cluster {
namespace {

using grpc::health::v1::Health;
using grpc::health::v1::HealthCheckRequest;
using grpc::health::v1::HealthCheckResponse;
namespace v1 = grpc::reflection::v1;
namespace v1alpha = grpc::reflection::v1alpha;

constexpr const char* kDataService = "google.bigtable.v2.Bigtable";

class HealthTest : public ApiTest {
 protected:
  std::unique_ptr<Health::Stub> health_ = Health::NewStub(channel_);
};

TEST_F(HealthTest, F_A11_TheServerAndItsServicesServe) {
  HealthCheckRequest request;
  HealthCheckResponse response;
  for (const char* service : {"", kDataService, "google.bigtable.admin.v2.BigtableTableAdmin"}) {
    request.set_service(service);
    ASSERT_TRUE(Call(health_.get(), &Health::Stub::Check, request, &response).ok()) << service;
    EXPECT_EQ(response.status(), HealthCheckResponse::SERVING);
  }
  request.set_service("no.such.Service");
  EXPECT_EQ(Call(health_.get(), &Health::Stub::Check, request, &response).error_code(),
            grpc::StatusCode::NOT_FOUND);
}

TEST_F(HealthTest, F_A11_AWatcherIsToldThatTheServerStops) {
  HealthCheckRequest request, unknown;
  unknown.set_service("no.such.Service");
  HealthCheckResponse response;
  grpc::ClientContext context, other_context, gone_context;
  auto watch = health_->Watch(&context, request);
  ASSERT_TRUE(watch->Read(&response));
  EXPECT_EQ(response.status(), HealthCheckResponse::SERVING);
  auto other = health_->Watch(&other_context, unknown);
  ASSERT_TRUE(other->Read(&response));
  EXPECT_EQ(response.status(), HealthCheckResponse::SERVICE_UNKNOWN);
  // A watcher that disconnects is dropped and delays no other.
  auto gone = health_->Watch(&gone_context, request);
  ASSERT_TRUE(gone->Read(&response));
  gone_context.TryCancel();
  EXPECT_FALSE(gone->Read(&response));
  EXPECT_EQ(gone->Finish().error_code(), grpc::StatusCode::CANCELLED);
  // The server's loop does its other work while watchers wait.
  CreateTable();
  EXPECT_TRUE(Set("r", "f", "q", 0, "v").ok());
  EXPECT_EQ(Read().rows.size(), 1u);

  engine::Thread stop("stop", [this] { server_->Stop(30'000'000); });
  ASSERT_TRUE(watch->Read(&response));
  EXPECT_EQ(response.status(), HealthCheckResponse::NOT_SERVING);
  EXPECT_FALSE(watch->Read(&response));
  EXPECT_TRUE(watch->Finish().ok());
  ASSERT_TRUE(other->Read(&response));
  EXPECT_FALSE(other->Read(&response));
  stop.Join();
}

// Reads the answers like a tool that has no .proto file.
template <typename Stub, typename Request, typename Response>
void CheckReflection(Stub* stub) {
  grpc::ClientContext context;
  auto stream = stub->ServerReflectionInfo(&context);
  Request request;
  Response response;
  auto ask = [&] { return stream->Write(request) && stream->Read(&response); };
  request.set_list_services("");
  ASSERT_TRUE(ask());
  std::set<std::string> names;
  for (const auto& service : response.list_services_response().service()) {
    names.insert(service.name());
  }
  EXPECT_TRUE(names.contains(kDataService));
  EXPECT_TRUE(names.contains("google.bigtable.admin.v2.BigtableInstanceAdmin"));
  EXPECT_TRUE(names.contains("grpc.health.v1.Health"));
  EXPECT_TRUE(names.contains("grpc.reflection.v1.ServerReflection"));

  request.set_file_containing_symbol(kDataService);
  ASSERT_TRUE(ask());
  // A copy, because the next answer overwrites `response`.
  const auto files = response.file_descriptor_response().file_descriptor_proto();
  google::protobuf::SimpleDescriptorDatabase database;
  google::protobuf::FileDescriptorProto file;
  for (const std::string& bytes : files) {
    ASSERT_TRUE(file.ParseFromString(bytes));
    ASSERT_TRUE(database.Add(file));
  }
  google::protobuf::DescriptorPool pool(&database);
  const auto* service = pool.FindServiceByName(kDataService);
  ASSERT_NE(service, nullptr);
  EXPECT_NE(service->FindMethodByName("ReadRows")->input_type()->FindFieldByName("rows_limit"),
            nullptr);
  request.set_file_by_filename(service->file()->name());
  ASSERT_TRUE(ask());
  EXPECT_EQ(response.file_descriptor_response().file_descriptor_proto_size(), files.size());
  request.set_file_containing_symbol("no.such.Symbol");
  ASSERT_TRUE(ask());
  EXPECT_EQ(response.error_response().error_code(), grpc::StatusCode::NOT_FOUND);
  EXPECT_TRUE(stream->WritesDone());
  EXPECT_FALSE(stream->Read(&response));
  EXPECT_TRUE(stream->Finish().ok());
}

TEST_F(HealthTest, F_A11_ToolsFindServicesAndMessages) {
  auto newer = v1::ServerReflection::NewStub(channel_);
  CheckReflection<v1::ServerReflection::Stub, v1::ServerReflectionRequest,
                  v1::ServerReflectionResponse>(newer.get());
  auto older = v1alpha::ServerReflection::NewStub(channel_);
  CheckReflection<v1alpha::ServerReflection::Stub, v1alpha::ServerReflectionRequest,
                  v1alpha::ServerReflectionResponse>(older.get());
}

}  // namespace
}  // namespace sippar::cluster
