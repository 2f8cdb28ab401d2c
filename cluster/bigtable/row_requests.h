// Converts requests of MutateRow, CheckAndMutateRow and ReadModifyWriteRow to arguments of DataApi,
// and its results to replies.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <grpcpp/support/byte_buffer.h>

#include <map>
#include <memory>
#include <string>
#include <utility>

#include "cluster/api/data_api.h"
#include "cluster/bigtable/find_table.h"
#include "cluster/bigtable/instance_records.h"
#include "cluster/proto/bigtable.pb.h"

namespace sippar::cluster {

enum class RowMethod { kMutate, kCheckAndMutate, kReadModifyWrite };

struct RowRequest {
  std::string table;
  RowMutation mutation;  // for MutateRow; without entries there is nothing to do
  std::unique_ptr<engine::RowUpdate> update;  // for the other two methods; else null
  // For CheckAndMutateRow: each list of mutations has an error to return if the predicate chooses
  // this list. It is OK unless the list names a family that the table lacks.
  Status missing_on_true;
  Status missing_on_false;
  const std::string& row() const { return update == nullptr ? mutation.row : update->row; }
};

// Converts the requests of one batch. Tables and app profiles that several of them name are looked
// up once. Not thread safe.
class RowRequests {
 public:
  explicit RowRequests(const InstanceRecords* records) : records_(records) {}

  // Parses and converts one request, and leaves `bytes` empty.
  [[nodiscard]] StatusOr<RowRequest> Prepare(RowMethod method, grpc::ByteBuffer* bytes);

 private:
  using NamePair = std::pair<std::string, std::string>;

  template <typename Request>
  StatusOr<const RequestTarget*> Find(const Request& request);
  template <typename Request>
  Status CheckTransactions(const RequestTarget& target, const Request& request);
  StatusOr<RowRequest> Mutate(google::bigtable::v2::MutateRowRequest* request);
  StatusOr<RowRequest> CheckAndMutate(google::bigtable::v2::CheckAndMutateRowRequest* request);
  StatusOr<RowRequest> ReadModifyWrite(
      const google::bigtable::v2::ReadModifyWriteRowRequest& request);

  const InstanceRecords* const records_;
  std::map<NamePair, StatusOr<RequestTarget>> targets_;  // keyed by table and view
  std::map<NamePair, Status> profiles_;                  // keyed by instance and app profile
};

// Makes the reply to a call that succeeded. `result` is ignored for MutateRow.
grpc::ByteBuffer RowAnswer(RowMethod method, const std::string& row,
                           const engine::RowUpdateResult& result);

}  // namespace sippar::cluster
