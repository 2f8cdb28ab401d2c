// The data calls of the Cloud Bigtable API by their definition, on a std::map and on the protos
// themselves: what the server is compared with. Times are microseconds and given; GC rules act at
// once. SPDX-License-Identifier: Apache-2.0
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
  // `versions`: families, and how many versions each keeps; 0 is all.
  explicit ApiModel(std::map<std::string, size_t> versions) : versions_(std::move(versions)) {}

  using Mutations = google::protobuf::RepeatedPtrField<google::bigtable::v2::Mutation>;
  // False, and nothing is changed, when one of them names no family of the table.
  bool Mutate(const std::string& row, const Mutations& mutations);
  // Does `predicate` give a cell of the row?
  bool Matches(const std::string& row, const engine::RowFilter& predicate, bool* is_open) const;
  // False, and nothing is changed, when an increment meets what has not 8 bytes. `out`: lines as
  // Print gives them, of the newest cells.
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

// One row of an answer: cells in their order, copies of a cell in one order.
std::string PrintRow(const std::string& row, std::vector<engine::ModelCell> cells);

}  // namespace sippar::cluster
