// A model of the data calls of the Cloud Bigtable API, by their definition, on a std::map and on
// the protos themselves; tests compare the server with it. Times are explicit microseconds;
// garbage-collection rules act at once.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "cluster/proto/bigtable.pb.h"
#include "engine/model/cell.h"
#include "engine/read/row_filter.h"
#include "tests/support/filter_model.h"

namespace sippar::cluster {

class ApiModel {
 public:
  // `versions`: the families and the number of versions that each keeps; 0: all.
  explicit ApiModel(std::map<std::string, size_t> versions) : versions_(std::move(versions)) {}

  using Mutations = google::protobuf::RepeatedPtrField<google::bigtable::v2::Mutation>;
  // Returns false and changes nothing if a mutation names a family that the table lacks.
  bool Mutate(const std::string& row, const Mutations& mutations);
  // True if `predicate` outputs a cell of the row.
  bool Matches(const std::string& row, const engine::RowFilter& predicate, bool* is_open) const;
  // Returns false and changes nothing if an increment finds a value that does not have 8 bytes.
  // `out` receives a line "family:qualifier@time=value" for the newest cell of each column.
  bool Modify(const google::bigtable::v2::ReadModifyWriteRowRequest& request, int64_t now_us,
              std::string* out);
  void DropRows(const std::string& prefix);
  std::vector<std::string> RowNames() const;
  std::vector<engine::Cell> Row(const std::string& row) const;

 private:
  using Versions = std::map<int64_t, std::string, std::greater<>>;  // newest first
  using Columns = std::map<std::pair<std::string, std::string>, Versions>;

  bool MutateColumns(const google::bigtable::v2::Mutation& mutation, Columns* columns) const;
  bool ModifyColumns(const google::bigtable::v2::ReadModifyWriteRule& rule, int64_t now_us,
                     Columns* columns) const;
  void Put(const std::string& row, Columns columns);
  void Collect(const std::string& family, Versions* versions) const;

  const std::map<std::string, size_t> versions_;
  std::map<std::string, Columns> rows_;
};

// Prints one row of an answer: cells in their order, copies of a cell in a fixed order.
std::string PrintRow(const std::string& row, std::vector<engine::ModelCell> cells);

}  // namespace sippar::cluster
