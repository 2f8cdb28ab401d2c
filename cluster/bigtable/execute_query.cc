// SPDX-License-Identifier: Apache-2.0
#include "cluster/bigtable/execute_query.h"

#include "cluster/bigtable/query_batches.h"
#include "cluster/bigtable/query_convert.h"
#include "cluster/bigtable/resource_names.h"
#include "cluster/grpc/status_codes.h"
#include "cluster/proto/status.pb.h"

namespace sippar::cluster {
namespace {

namespace v2 = google::bigtable::v2;

StatusOr<std::unique_ptr<QueryRun>> OpenQuery(const InstanceRecords& records, QueryApi* queries,
                                              const v2::ExecuteQueryRequest& request,
                                              const CancelFlag& cancel) {
  ASSIGN_OR_RETURN(InstanceName instance, InstanceName::Parse(request.instance_name()));
  RETURN_IF_ERROR(records.CheckExists(instance));
  QueryCall call;
  call.table_prefix = instance.table_prefix();
  call.prepared = request.prepared_query();
  call.resume_token = request.resume_token();
  call.cancel = cancel;
  for (const auto& [name, proto] : request.params()) {
    auto value = ValueFromProto(proto);
    if (!value.ok()) return Annotate(value.status(), "params: @" + name);
    call.params.emplace(name, *std::move(value));
  }
  return queries->Open(call);
}

// Clients prepare the query again when they find this detail in the error.
grpc::Status Expired(const Status& status) {
  google::rpc::PreconditionFailure failure;
  failure.add_violations()->set_type("PREPARED_QUERY_EXPIRED");
  google::rpc::Status detail;
  ToProto(status, &detail);
  detail.add_details()->PackFrom(failure);
  grpc::Status plain = ToGrpc(status);
  return {plain.error_code(), plain.error_message(), detail.SerializeAsString()};
}

Status NoQueryLanguage() {
  return Unimplemented(
      "queries are not supported by this server, which runs without the query language; send the "
      "query to the HOST:PORT of a `sippar serve`");
}

}  // namespace

Status PrepareQuery(const InstanceRecords& records, QueryApi* queries,
                    const v2::PrepareQueryRequest& request, v2::PrepareQueryResponse* response) {
  if (queries == nullptr) return NoQueryLanguage();
  ASSIGN_OR_RETURN(InstanceName instance, InstanceName::Parse(request.instance_name()));
  RETURN_IF_ERROR(records.CheckExists(instance));
  std::map<std::string, engine::DataType> params;
  for (const auto& [name, proto] : request.param_types()) {
    auto type = TypeFromProto(proto);
    if (!type.ok()) return Annotate(type.status(), "param_types: @" + name);
    params.emplace(name, *std::move(type));
  }
  ASSIGN_OR_RETURN(PreparedQuery query,
                   queries->Prepare(instance.table_prefix(), request.query(), params));
  response->set_prepared_query(query.id);
  ColumnsToProto(query.columns, response->mutable_metadata());
  response->mutable_valid_until()->set_seconds(query.valid_until_us / 1'000'000);
  return OkStatus();
}

grpc::Status ExecuteQuery(const InstanceRecords& records, QueryApi* queries,
                          const v2::ExecuteQueryRequest& request, const CancelFlag& cancel,
                          QueryWriter* writer) {
  if (queries == nullptr) return ToGrpc(NoQueryLanguage());
  auto run = OpenQuery(records, queries, request, cancel);
  if (HasCause(run.status(), Cause::kQueryExpired)) return Expired(run.status());
  if (!run.ok()) return ToGrpc(run.status());
  QueryBatches batches(
      (*run)->columns(), records.client()->clock(),
      [writer](const v2::ExecuteQueryResponse& response) { return writer->Write(response); });
  return ToGrpc((*run)->Run(&batches));
}

}  // namespace sippar::cluster
