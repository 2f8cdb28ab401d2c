// A server over a store in memory, and stubs that call it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <grpcpp/create_channel.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "cluster/client/client.h"
#include "cluster/proto/bigtable.grpc.pb.h"
#include "cluster/proto/instance_admin.grpc.pb.h"
#include "cluster/proto/operations.grpc.pb.h"
#include "cluster/proto/table_admin.grpc.pb.h"
#include "cluster/serve/api_server.h"
#include "engine/fs/memory_file_system.h"
#include "query/api/query_api.h"

namespace sippar::cluster {

namespace v2 = google::bigtable::v2;
namespace admin = google::bigtable::admin::v2;

inline constexpr const char* kInstance = "projects/p/instances/i";
inline constexpr const char* kTable = "projects/p/instances/i/tables/t";

// A cell that ReadRows returned, assembled from its chunks by the rules of client libraries.
struct ReadCell {
  std::string row, family, qualifier;
  int64_t time_us = 0;
  std::string value;
  std::vector<std::string> labels;
};

struct ReadResult {
  grpc::Status status;
  std::vector<ReadCell> cells;
  std::vector<std::string> rows;
  std::vector<std::string> scanned;
  std::vector<v2::RequestStats> stats;
  size_t messages = 0;
  size_t message_size_max = 0;
  std::string Print() const;  // prints lines "row family:qualifier@time=value[label]"
};

// A clock whose date stands still; each reading of the monotonic time advances it by `step_nanos`.
class StepClock final : public engine::Clock {
 public:
  int64_t NowMicros() override { return now_us; }
  int64_t MonotonicNanos() override { return nanos_ += step_nanos; }
  // Sleeps briefly in real time, too, so that other threads can make progress.
  void SleepMicros(int64_t micros) override {
    engine::Clock::System()->SleepMicros(std::min<int64_t>(micros, 20'000));
    nanos_ += micros * 1000;
  }
  std::atomic<int64_t> step_nanos = 1000;
  std::atomic<int64_t> now_us = 1'700'000'000'123'456;

 private:
  std::atomic<int64_t> nanos_{1};
};

class ApiTest : public testing::Test {
 protected:
  ApiTest();
  // Serves another client from now on.
  void Serve(std::unique_ptr<Client> client, bool strict = false);

  // Creates table "t" with families f, g and (counters) n, split at `split_keys`.
  void CreateTable(const std::vector<std::string>& split_keys = {},
                   admin::Table::TimestampGranularity granularity = admin::Table::MILLIS);
  grpc::Status Set(const std::string& row, const std::string& family, const std::string& qualifier,
                   int64_t time_us, const std::string& value);
  // Reads, and checks the rules of chunks.
  ReadResult Read(v2::ReadRowsRequest request, const std::string& features = "");
  ReadResult Read() { return Read(v2::ReadRowsRequest()); }

  engine::MemoryFileSystem fs_;
  StepClock clock_;
  std::unique_ptr<Client> client_;
  std::unique_ptr<QueryApi> queries_;
  std::unique_ptr<ApiServer> server_;
  std::shared_ptr<grpc::Channel> channel_;
  std::unique_ptr<v2::Bigtable::Stub> data_;
  std::unique_ptr<admin::BigtableTableAdmin::Stub> admin_;
  std::unique_ptr<admin::BigtableInstanceAdmin::Stub> instances_;
  std::unique_ptr<google::longrunning::Operations::Stub> operations_;
};

// Calls `method` of `stub`; without `reply` the reply is dropped.
template <typename Stub, typename Request, typename Reply>
grpc::Status Call(Stub* stub,
                  grpc::Status (Stub::*method)(grpc::ClientContext*, const Request&, Reply*),
                  const Request& request, Reply* reply = nullptr) {
  grpc::ClientContext context;
  Reply dropped;
  return (stub->*method)(&context, request, reply == nullptr ? &dropped : reply);
}

}  // namespace sippar::cluster
