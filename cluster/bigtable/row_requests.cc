// SPDX-License-Identifier: Apache-2.0
#include "cluster/bigtable/row_requests.h"

#include <fmt/format.h>

#include "cluster/bigtable/data_convert.h"
#include "cluster/bigtable/filter_convert.h"
#include "cluster/client/row_operations.h"
#include "cluster/grpc/raw_message.h"
#include "cluster/grpc/request_size.h"

namespace sippar::cluster {

namespace v2 = google::bigtable::v2;

namespace {

// Converts one list of mutations of CheckAndMutateRow. If the list names a family that the table
// lacks, this is an error only if the predicate chooses this list. So the list is then emptied, so
// that nothing can be written, and the error goes to `missing`.
StatusOr<RowMutation> BranchFromProto(const v2::CheckAndMutateRowRequest& request,
                                      Mutations* mutations, const TableRules& rules,
                                      Status* missing) {
  bool is_on_true = mutations == &request.true_mutations();
  auto branch = MutationFromProto(request.row_key(), mutations, rules);
  if (branch.ok()) return branch;
  Status status = Annotate(branch.status(), is_on_true ? "true_mutations" : "false_mutations");
  if (status.code() != StatusCode::kNotFound) return status;
  *missing = std::move(status);
  return RowMutation(request.row_key());
}

}  // namespace

template <typename Request>
StatusOr<const RequestTarget*> RowRequests::Find(const Request& request) {
  NamePair name{request.table_name(), request.authorized_view_name()};
  auto known = targets_.find(name);
  if (known == targets_.end()) {
    known = targets_.emplace(std::move(name), TargetOf(records_->client(), request)).first;
  }
  RETURN_IF_ERROR(known->second.status());
  return &*known->second;
}

template <typename Request>
Status RowRequests::CheckTransactions(const RequestTarget& target, const Request& request) {
  NamePair name{target.instance.ToString(), request.app_profile_id()};
  auto known = profiles_.find(name);
  if (known == profiles_.end()) {
    Status may = records_->CheckTransactions(target.instance, request.app_profile_id());
    known = profiles_.emplace(std::move(name), std::move(may)).first;
  }
  return known->second;
}

StatusOr<RowRequest> RowRequests::Mutate(v2::MutateRowRequest* request) {
  ASSIGN_OR_RETURN(const RequestTarget* target, Find(*request));
  if (request->mutations().empty()) return InvalidArgument("No mutations provided");
  RowRequest row{target->table, {}, nullptr, {}, {}};
  ASSIGN_OR_RETURN(row.mutation, MutationFromProto(request->row_key(), request->mutable_mutations(),
                                                   target->rules));
  RETURN_IF_ERROR(target->CheckWrite(row.mutation));
  RETURN_IF_ERROR(SetRequest(request->idempotency(), &row.mutation));
  return row;
}

StatusOr<RowRequest> RowRequests::CheckAndMutate(v2::CheckAndMutateRowRequest* request) {
  ASSIGN_OR_RETURN(const RequestTarget* target, Find(*request));
  RETURN_IF_ERROR(CheckTransactions(*target, *request));
  if (request->true_mutations().empty() && request->false_mutations().empty()) {
    return InvalidArgument("No mutations provided (true_mutations or false_mutations)");
  }
  CheckedRow checked;
  checked.seed = static_cast<uint64_t>(records_->client()->clock()->MonotonicNanos());
  ASSIGN_OR_RETURN(checked.predicate, FilterFromProto(request->predicate_filter()));
  RowRequest row{target->table, {}, nullptr, {}, {}};
  ASSIGN_OR_RETURN(checked.on_true, BranchFromProto(*request, request->mutable_true_mutations(),
                                                    target->rules, &row.missing_on_true));
  ASSIGN_OR_RETURN(checked.on_false, BranchFromProto(*request, request->mutable_false_mutations(),
                                                     target->rules, &row.missing_on_false));
  // Both lists are checked, whichever will be written: what a view refuses must not depend on the
  // row's cells, or callers could learn about cells outside the view.
  RETURN_IF_ERROR(target->CheckWrite(checked.on_true));
  RETURN_IF_ERROR(target->CheckWrite(checked.on_false));
  checked.view = target->view.get();
  row.update = std::make_unique<engine::RowUpdate>(
      CheckAndMutateOf(std::move(checked), target->rules.schema->FamilyNames()));
  return row;
}

StatusOr<RowRequest> RowRequests::ReadModifyWrite(const v2::ReadModifyWriteRowRequest& request) {
  ASSIGN_OR_RETURN(const RequestTarget* target, Find(request));
  RETURN_IF_ERROR(CheckTransactions(*target, request));
  RETURN_IF_ERROR(CheckRowKey(request.row_key()));
  ASSIGN_OR_RETURN(std::vector<engine::ModifyRule> rules,
                   RulesFromProto(request.rules(), target->rules));
  if (target->view) RETURN_IF_ERROR(target->view->CheckRow(request.row_key()));
  for (const engine::ModifyRule& rule : rules) {
    if (target->view) RETURN_IF_ERROR(target->view->CheckColumn(rule.family, rule.qualifier));
  }
  auto update = engine::ReadModifyWriteOf(request.row_key(), std::move(rules));
  return RowRequest{
      target->table, {}, std::make_unique<engine::RowUpdate>(std::move(update)), {}, {}};
}

StatusOr<RowRequest> RowRequests::Prepare(RowMethod method, grpc::ByteBuffer* bytes) {
  auto prepare = [bytes](auto request, auto convert) -> StatusOr<RowRequest> {
    RETURN_IF_ERROR(FromBytes(bytes, &request));
    GiveBackPieces(request);
    return convert(&request);
  };
  switch (method) {
    case RowMethod::kMutate:
      return prepare(v2::MutateRowRequest(), [this](auto* request) { return Mutate(request); });
    case RowMethod::kCheckAndMutate:
      return prepare(v2::CheckAndMutateRowRequest(),
                     [this](auto* request) { return CheckAndMutate(request); });
    case RowMethod::kReadModifyWrite:
      return prepare(v2::ReadModifyWriteRowRequest(),
                     [this](auto* request) { return ReadModifyWrite(*request); });
  }
  return Internal(fmt::format("row request of unknown method {}; this is a bug in sippar",
                              static_cast<int>(method)));
}

grpc::ByteBuffer RowAnswer(RowMethod method, const std::string& row,
                           const engine::RowUpdateResult& result) {
  if (method == RowMethod::kMutate) return ToBytes(v2::MutateRowResponse());
  if (method == RowMethod::kCheckAndMutate) {
    v2::CheckAndMutateRowResponse response;
    response.set_predicate_matched(result.matched);
    return ToBytes(response);
  }
  v2::ReadModifyWriteRowResponse response;
  RowToProto(row, result.cells, response.mutable_row());
  return ToBytes(response);
}

}  // namespace sippar::cluster
