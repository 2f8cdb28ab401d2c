// MutateRow, CheckAndMutateRow and ReadModifyWriteRow as calls of DataApi, and their answers.
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
  RowMutation mutation;                       // of MutateRow; no entries: merges of nothing
  std::unique_ptr<engine::RowUpdate> update;  // of the other two
  // Of CheckAndMutateRow: why the list of mutations that is chosen cannot be done.
  Status missing_on_true;
  Status missing_on_false;
  const std::string& row() const { return update == nullptr ? mutation.row : update->row; }
};

// Of calls that came together: what several of them need is looked up once. Not thread safe.
class RowRequests {
 public:
  explicit RowRequests(const InstanceRecords* records) : records_(records) {}

  // Leaves `bytes` empty.
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
  std::map<NamePair, StatusOr<RequestTarget>> targets_;  // by table and view
  std::map<NamePair, Status> profiles_;                  // by instance and app profile
};

// The message that answers a call that was carried out. `result` is not MutateRow's.
grpc::ByteBuffer RowAnswer(RowMethod method, const std::string& row,
                           const engine::RowUpdateResult& result);

}  // namespace sippar::cluster
