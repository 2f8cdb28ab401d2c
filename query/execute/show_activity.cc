// SHOW of what servers and processes do or have done.
// SPDX-License-Identifier: Apache-2.0
#include "query/analyze/catalog.h"
#include "query/execute/show_relation.h"

namespace sippar::query {

StatusOr<Relation> ShowEvents(const StatementContext& context, const syntax::Show& show) {
  Relation relation{{TextColumn("table"),
                     {"time", ValueType::kTimestamp},
                     TextColumn("start"),
                     TextColumn("end"),
                     TextColumn("kind"),
                     TextColumn("why")},
                    {}};
  if (!show.table.empty()) RETURN_IF_ERROR(FindTable(context, show.table).status());
  ASSIGN_OR_RETURN(std::vector<cluster::TabletEventInfo> events,
                   context.DoAdmin(cluster::calls::TabletEvents{show.table.text}));
  for (const cluster::TabletEventInfo& event : events) {
    relation.rows.push_back({Text(event.table), Value::Timestamp(event.time_us),
                             Text(event.range.start), Text(event.range.limit), Text(event.kind),
                             Text(event.text)});
  }
  return relation;
}

// The names of the metrics come from the servers, so a server of another version may have others.
StatusOr<Relation> ShowMetrics(const StatementContext& context, const syntax::Show&) {
  Relation relation{{TextColumn("name"), NumberColumn("value")}, {}};
  ASSIGN_OR_RETURN(auto metrics, context.DoAdmin(cluster::calls::Metrics{}));
  for (const auto& [name, value] : metrics) {
    relation.rows.push_back({Text(name), Number(value)});
  }
  return relation;
}

StatusOr<Relation> ShowCompactions(const StatementContext& context, const syntax::Show& show) {
  Relation relation{{TextColumn("table"),
                     NumberColumn("tablet"),
                     TextColumn("group"),
                     TextColumn("kind"),
                     TextColumn("reason"),
                     NumberColumn("inputs"),
                     NumberColumn("bytes_in"),
                     NumberColumn("bytes_out"),
                     {"started", ValueType::kTimestamp},
                     {"duration", ValueType::kDuration},
                     TextColumn("status")},
                    {}};
  // FindTable is called only to report an error if the table does not exist.
  if (!show.table.empty()) RETURN_IF_ERROR(FindTable(context, show.table).status());
  ASSIGN_OR_RETURN(std::vector<cluster::CompactionInfo> compactions,
                   context.DoAdmin(cluster::calls::Compactions{}));
  for (const cluster::CompactionInfo& info : compactions) {
    if (!show.table.empty() && info.table != show.table.text) continue;
    relation.rows.push_back(
        {Text(info.table), Number(info.tablet_id), Text(info.group), Text(info.kind),
         Text(info.reason), Number(info.inputs), Number(info.bytes_in), Number(info.bytes_out),
         Value::Timestamp(info.started_us), Value::Duration(info.duration_us), Text(info.status)});
  }
  return relation;
}

StatusOr<Relation> ShowTraces(const StatementContext& context, const syntax::Show& show) {
  Relation relation{{{"time", ValueType::kTimestamp},
                     {"duration", ValueType::kDuration},
                     TextColumn("call"),
                     TextColumn("table"),
                     TextColumn("row"),
                     TextColumn("server"),
                     TextColumn("caller"),
                     TextColumn("outcome")},
                    {}};
  for (const cluster::TraceStage& stage : cluster::kTraceStages) {
    relation.columns.push_back({std::string(stage.name), ValueType::kDuration});
  }
  relation.columns.push_back(NumberColumn("blocks_from_disk"));
  relation.columns.push_back(NumberColumn("cells"));
  relation.columns.push_back(TextColumn("trace"));
  if (!show.table.empty()) RETURN_IF_ERROR(FindTable(context, show.table).status());
  ASSIGN_OR_RETURN(std::vector<cluster::CallTraceInfo> traces,
                   context.DoAdmin(cluster::calls::Traces{show.table.text}));
  for (const cluster::CallTraceInfo& trace : traces) {
    std::vector<Value> row = {Value::Timestamp(trace.start_us),
                              Value::Duration(trace.duration_us),
                              Text(trace.call),
                              Text(trace.table),
                              Text(trace.row),
                              Text(trace.server),
                              Text(trace.caller),
                              Text(trace.outcome)};
    for (const cluster::TraceStage& stage : cluster::kTraceStages) {
      row.push_back(Value::Duration(trace.work.*stage.micros));
    }
    row.push_back(Number(trace.work.blocks_from_disk));
    row.push_back(Number(trace.work.cells_returned));
    row.push_back(Text(trace.trace));
    relation.rows.push_back(std::move(row));
  }
  return relation;
}

StatusOr<Relation> ShowQueries(const StatementContext& context, const syntax::Show& show) {
  Relation relation{{TextColumn("query"),
                     {"started", ValueType::kTimestamp},
                     {"duration", ValueType::kDuration},
                     TextColumn("host"),
                     NumberColumn("pid"),
                     TextColumn("table"),
                     NumberColumn("rows_read"),
                     TextColumn("statement")},
                    {}};
  if (!show.table.empty()) RETURN_IF_ERROR(FindTable(context, show.table).status());
  ASSIGN_OR_RETURN(std::vector<cluster::StatementInfo> statements,
                   context.DoAdmin(cluster::calls::ListStatements{}));
  for (const cluster::StatementInfo& info : statements) {
    if (!show.table.empty() && info.table != show.table.text) continue;
    relation.rows.push_back({Text(info.id), Value::Timestamp(context.now_us - info.elapsed_us),
                             Value::Duration(info.elapsed_us), Text(info.host), Number(info.pid),
                             Text(info.table), Number(info.rows_read), Text(info.text)});
  }
  return relation;
}

}  // namespace sippar::query
