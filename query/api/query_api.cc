// A prepared query is analyzed when it is prepared and again at each execution, because the server
// keeps nothing in between.
// SPDX-License-Identifier: Apache-2.0
#include "query/api/query_api.h"

#include <fmt/format.h>

#include <optional>

#include "engine/base/checksum.h"
#include "query/analyze/compile.h"
#include "query/api/api_select.h"
#include "query/execute/select.h"
#include "query/session/query_error.h"
#include "query/session/statement_reporter.h"
#include "query/syntax/named_table.h"

namespace sippar::query {
namespace {

constexpr uint64_t kRowsPerLook = 64;  // rows between two looks at the cancel flag

using cluster::PreparedQuery;
using cluster::QueryCall;
using cluster::QueryColumn;
using cluster::QueryRows;

constexpr int64_t kValidMicros = int64_t{3'600} * 1'000'000;  // a prepared query lives one hour

struct Analysis {
  std::vector<QueryColumn> columns;
  bool can_go_on = false;
};

// Plans with samples for the parameters: the columns that Prepare reports must not depend on
// values.
StatusOr<Analysis> Analyze(cluster::Client* client, const PreparedToken& query,
                           const syntax::Select& select) {
  SessionState session;
  SetUpSession(client, query.table_prefix, SampleParams(query.params), &session);
  StatementContext context;
  context.session = &session;
  context.text = query.text;
  context.now_us = client->clock()->NowMicros();
  context.stop = {session.cancel.get(), client->clock()};
  ASSIGN_OR_RETURN(SelectPlan plan, PlanSelect(context, select));
  Analysis analysis;
  ASSIGN_OR_RETURN(analysis.columns, ColumnsOf(plan));
  analysis.can_go_on = CanGoOn(plan);
  return analysis;
}

// One execution. It sends rows in batches; a batch that ends with a complete row of the table
// carries a token from which the client can resume.
class SelectRun final : public cluster::QueryRun, public ResultSink {
 public:
  // `reporter` outlives the run.
  SelectRun(StatementReporter* reporter, PreparedToken query, std::vector<QueryColumn> columns,
            ResumeToken place)
      : reporter_(reporter),
        query_(std::move(query)),
        columns_(std::move(columns)),
        place_(std::move(place)) {}

  Status Plan(cluster::Client* client, const QueryCall& call, syntax::Select select,
              bool can_go_on) {
    SetUpSession(client, query_.table_prefix, call.params, &session_);
    if (call.cancel != nullptr) session_.cancel = call.cancel;
    context_.session = &session_;
    context_.text = query_.text;
    // A resumed execution keeps the NOW() of its first part, so that both parts use the same time.
    context_.now_us = place_.now_us;
    context_.stop = {session_.cancel.get(), client->clock()};
    context_.sink = this;
    context_.summary = &summary_;
    table_ = query_.table_prefix + std::string(syntax::NamedTable(select));
    if (place_.done) return OkStatus();
    if (place_.given > 0) RETURN_IF_ERROR(GoOn(context_, place_, &select));
    if (can_go_on) key_at_ = AddKey(&select, columns_.size());
    ASSIGN_OR_RETURN(plan_, PlanSelect(context_, select));
    return OkStatus();
  }

  const std::vector<QueryColumn>& columns() const override { return columns_; }

  Status Run(QueryRows* rows) override {
    rows_ = rows;
    if (!place_.done) {
      std::string next;
      StatementReporter::Scope reported(
          reporter_, {query_.text, table_, session_.cancel, &session_.rows_read});
      Status status = reported.End(RunSelect(
          context_, plan_, [this](const std::vector<Row>& batch) { return Take(batch); }, &next));
      // A failure to send rows is not an error of the query, so it is returned without a place in
      // the text.
      if (sent_.ok() && !status.ok()) {
        return WithPlace(LineIn(query_.text, WithQueryCode(status)));
      }
      RETURN_IF_ERROR(sent_);
    }
    place_.done = true;
    return rows_->Send(place_.Encode());
  }

  void Begin(const std::vector<ResultColumn>&) override {}
  bool Rows(std::vector<Row>) override { return true; }
  // Sends a batch that is due even if the scan finds no further row for a long time. In the cell
  // view more cells of the last row may follow, so the batch gets no token.
  void OnProgress(const Progress&) override {
    bool is_row_end = plan_.program.source == engine::Program::kRows;
    if (sent_.ok() && rows_->IsDue()) sent_ = Send(is_row_end);
  }

 private:
  StatusOr<bool> Take(const std::vector<Row>& batch) {
    for (const Row& row : batch) {
      RETURN_IF_ERROR(sent_);
      // A batch of small rows takes a slow client seconds.
      if (place_.given % kRowsPerLook == 0) RETURN_IF_ERROR(context_.CheckStop());
      // A new key shows that the previous row of the table was delivered completely. The token of a
      // batch sent now names that row.
      bool is_row_end = key_at_ && row[*key_at_].bytes() != place_.row;
      if (rows_->IsDue()) RETURN_IF_ERROR(Send(is_row_end));
      sent_ = rows_->Put(row);
      if (key_at_) place_.row = row[*key_at_].bytes();
      ++place_.given;
    }
    RETURN_IF_ERROR(sent_);
    return true;
  }

  // `is_row_end`: the table's row that was sent last is complete. If it is not, the batch gets no
  // token, since a resumed execution would skip the rest of that row.
  Status Send(bool is_row_end) { return rows_->Send(key_at_ && is_row_end ? place_.Encode() : ""); }

  StatementReporter* const reporter_;
  const PreparedToken query_;
  const std::vector<QueryColumn> columns_;
  ResumeToken place_;
  std::string table_;  // its name in the store
  SessionState session_;
  StatementContext context_;
  ResultSummary summary_;
  SelectPlan plan_;
  std::optional<size_t> key_at_;  // index of the row key in a row; nullopt: the run cannot resume
  QueryRows* rows_ = nullptr;
  Status sent_;
};

class ClientQueryApi final : public cluster::QueryApi {
 public:
  explicit ClientQueryApi(cluster::Client* client) : client_(client), reporter_(client) {}

  StatusOr<PreparedQuery> Prepare(const std::string& table_prefix, const std::string& text,
                                  const ParamTypes& params) override {
    PreparedToken query{table_prefix, text, params, 0,
                        client_->clock()->NowMicros() + kValidMicros};
    auto select = ParseSelect(text);
    if (!select.ok()) return WithPlace(select.status());
    auto analysis = Analyze(client_, query, *select);
    if (!analysis.ok()) return WithPlace(analysis.status());
    query.columns_hash = HashColumns(analysis->columns);
    return PreparedQuery{query.Encode(), std::move(analysis->columns), query.valid_until_us};
  }

  StatusOr<std::unique_ptr<cluster::QueryRun>> Open(const QueryCall& call) override {
    PreparedToken query;
    if (!PreparedToken::Decode(call.prepared, &query)) {
      return InvalidArgument(
          "prepared_query: PrepareQuery did not return this query; prepare it again");
    }
    if (query.table_prefix != call.table_prefix) {
      return InvalidArgument(
          "prepared_query: it was prepared for another instance; prepare it again");
    }
    RETURN_IF_ERROR(CheckParams(query.params, call.params));
    ASSIGN_OR_RETURN(ResumeToken place, PlaceOf(call, query));
    auto select = ParseSelect(query.text);
    if (!select.ok()) return WithPlace(select.status());
    auto analysis = Analyze(client_, query, *select);
    if (!analysis.ok()) return WithPlace(analysis.status());
    // The client decodes rows by the columns that Prepare reported; other columns would be read as
    // garbage.
    if (HashColumns(analysis->columns) != query.columns_hash) {
      std::string_view text =
          "the result columns have changed since PrepareQuery, because families were altered";
      if (place.given > 0)
        return InvalidArgument(fmt::format(
            "resume_token: {}; prepare the query again and execute it without the token", text));
      return QueryExpired(fmt::format("prepared_query: {}; prepare it again", text));
    }
    auto run = std::make_unique<SelectRun>(&reporter_, std::move(query),
                                           std::move(analysis->columns), std::move(place));
    Status planned = run->Plan(client_, call, *std::move(select), analysis->can_go_on);
    if (!planned.ok()) return WithPlace(planned);
    return std::unique_ptr<cluster::QueryRun>(std::move(run));
  }

 private:
  // Where the execution begins. An expired query refuses only new executions: an execution that has
  // begun may still resume.
  StatusOr<ResumeToken> PlaceOf(const QueryCall& call, const PreparedToken& query) const {
    uint64_t prepared_hash = engine::Hash(call.prepared);
    int64_t now_us = client_->clock()->NowMicros();
    ResumeToken place;
    if (!call.resume_token.empty()) {
      if (ResumeToken::Decode(call.resume_token, &place) && place.prepared_hash == prepared_hash) {
        return place;
      }
      return InvalidArgument(
          "resume_token: it does not belong to an execution of this query; execute the query "
          "without it");
    }
    if (now_us >= query.valid_until_us) {
      return QueryExpired("prepared_query: it has expired; prepare it again");
    }
    place.prepared_hash = prepared_hash;
    place.now_us = now_us;
    return place;
  }

  cluster::Client* client_;
  StatementReporter reporter_;
};

}  // namespace

std::unique_ptr<cluster::QueryApi> NewQueryApi(cluster::Client* client) {
  return std::make_unique<ClientQueryApi>(client);
}

}  // namespace sippar::query
