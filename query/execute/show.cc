// SPDX-License-Identifier: Apache-2.0
#include "query/execute/show.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "engine/program/scalar_function.h"
#include "query/analyze/callable_names.h"
#include "query/analyze/catalog.h"
#include "query/analyze/compile.h"
#include "query/execute/backup_statement.h"
#include "query/execute/select.h"
#include "query/execute/show_relation.h"
#include "query/format/format.h"
#include "query/plan/schema_options.h"
#include "query/session/query_error.h"

namespace sippar::query {
namespace {

std::string Join(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

StatusOr<std::vector<cluster::TableInfo>> Tables(const StatementContext& context,
                                                 const syntax::Show& show) {
  // One call lists all tables. A table that is created during SHOW may be missing. For a table that
  // is dropped during SHOW, the calls after this one may fail.
  if (show.table.empty()) return context.DoAdmin(cluster::calls::ListTables{});
  ASSIGN_OR_RETURN(cluster::TableInfo info, FindTable(context, show.table));
  return std::vector<cluster::TableInfo>{std::move(info)};
}

StatusOr<Relation> ShowTables(const StatementContext& context, const syntax::Show& show) {
  Relation relation{
      {TextColumn("table"), NumberColumn("tablets"), NumberColumn("families"), TextColumn("state")},
      {}};
  ASSIGN_OR_RETURN(std::vector<cluster::TableInfo> tables, Tables(context, show));
  for (const cluster::TableInfo& table : tables) {
    relation.rows.push_back({Text(table.schema.name), Number(table.tablet_count),
                             Number(table.schema.families.size()), Text("online")});
  }
  return relation;
}

StatusOr<Relation> ShowFamilies(const StatementContext& context, const syntax::Show& show) {
  Relation relation{{TextColumn("table"), TextColumn("family"), TextColumn("type"),
                     TextColumn("gc"), TextColumn("locality_group")},
                    {}};
  ASSIGN_OR_RETURN(std::vector<cluster::TableInfo> tables, Tables(context, show));
  for (const cluster::TableInfo& table : tables) {
    for (const engine::FamilySchema& family : table.schema.families) {
      relation.rows.push_back({Text(table.schema.name), Text(family.name),
                               Text(std::string(engine::FamilyTypeName(family.type))),
                               Text(family.gc.Print()),
                               Text(table.schema.GroupOf(family.name).name)});
    }
  }
  return relation;
}

StatusOr<Relation> ShowGroups(const StatementContext& context, const syntax::Show& show) {
  Relation relation{{TextColumn("group"), TextColumn("families"), TextColumn("place"),
                     TextColumn("compression"), TextColumn("block_size"), TextColumn("bloom")},
                    {}};
  ASSIGN_OR_RETURN(std::vector<cluster::TableInfo> tables, Tables(context, show));
  for (const cluster::TableInfo& table : tables) {
    for (const engine::LocalityGroupSchema& group : table.schema.groups) {
      // The default group always exists; without families it stores nothing.
      if (group.families.empty()) continue;
      relation.rows.push_back({Text(group.name), Text(Join(group.families)),
                               Text(group.in_memory ? "memory" : "disk"),
                               Text(PrintCompression(group)), Text(PrintSize(group.block_size)),
                               Text(PrintBloom(group.bloom))});
    }
  }
  return relation;
}

StatusOr<Relation> ShowTablets(const StatementContext& context, const syntax::Show& show) {
  Relation relation{{TextColumn("table"), TextColumn("start"), TextColumn("end"),
                     TextColumn("server"), TextColumn("state"), NumberColumn("size"),
                     NumberColumn("memtable"), NumberColumn("sstables")},
                    {}};
  ASSIGN_OR_RETURN(std::vector<cluster::TableInfo> tables, Tables(context, show));
  for (const cluster::TableInfo& table : tables) {
    ASSIGN_OR_RETURN(std::vector<cluster::TabletInfo> tablets,
                     context.DoData(cluster::calls::ListTablets{table.schema.name}));
    for (const cluster::TabletInfo& tablet : tablets) {
      relation.rows.push_back({Text(table.schema.name), Text(tablet.range.start),
                               Text(tablet.range.limit), Text(tablet.server), Text(tablet.state),
                               Number(tablet.stored_bytes), Number(tablet.memtable_bytes),
                               Number(tablet.sstable_count)});
    }
  }
  return relation;
}

StatusOr<Relation> ShowServers(const StatementContext& context, const syntax::Show&) {
  Relation relation{{TextColumn("server"),
                     TextColumn("state"),
                     TextColumn("address"),
                     NumberColumn("tablets"),
                     NumberColumn("size"),
                     NumberColumn("memtable"),
                     {"reads_per_s", ValueType::kFloat64},
                     {"writes_per_s", ValueType::kFloat64}},
                    {}};
  ASSIGN_OR_RETURN(cluster::ClusterHealth health, context.DoAdmin(cluster::calls::ClusterStatus{}));
  for (const cluster::ServerStatus& server : health.servers) {
    relation.rows.push_back(
        {Text(server.id.ToString()), Text(server.state), Text(server.member.address),
         Number(server.tablets), Number(server.bytes), Number(server.memtable_bytes),
         Value::Float64(server.reads_per_s), Value::Float64(server.writes_per_s)});
  }
  return relation;
}

StatusOr<Relation> ShowBackups(const StatementContext& context, const syntax::Show& show) {
  Relation relation{{TextColumn("backup"),
                     TextColumn("table"),
                     {"started", ValueType::kTimestamp},
                     {"ended", ValueType::kTimestamp},
                     {"expires", ValueType::kTimestamp},
                     NumberColumn("size"),
                     TextColumn("copied_from")},
                    {}};
  ASSIGN_OR_RETURN(std::vector<cluster::BackupInfo> backups,
                   context.DoAdmin(cluster::calls::ListBackups{}));
  for (const cluster::BackupInfo& backup : backups) {
    // The table may have been dropped after the backup, so an unknown name is not an error.
    if (!show.table.empty() && backup.source_table != show.table.text) continue;
    const bool never = backup.expires_us >= kNeverExpiresUs;
    relation.rows.push_back({Text(backup.name), Text(backup.source_table),
                             Value::Timestamp(backup.started_us), Value::Timestamp(backup.ended_us),
                             never ? Value::Null() : Value::Timestamp(backup.expires_us),
                             Number(backup.size_bytes), Text(backup.source_backup)});
  }
  return relation;
}

StatusOr<Relation> ShowSession(const StatementContext& context, const syntax::Show&) {
  Relation relation{
      {TextColumn("name"), TextColumn("value"), TextColumn("default"), TextColumn("meaning")}, {}};
  for (const SettingLine& line : DescribeSettings(context.session->settings)) {
    relation.rows.push_back(
        {Text(line.name), Text(line.value), Text(line.default_value), Text(line.meaning)});
  }
  return relation;
}

StatusOr<Relation> ShowFunctions(const StatementContext&, const syntax::Show&) {
  Relation relation{
      {TextColumn("name"), TextColumn("arguments"), TextColumn("result"), TextColumn("meaning")},
      {}};
  for (const CallInfo& call : AllCalls()) {
    relation.rows.push_back(
        {Text(call.name), Text(PrintSignature(call)), Text(call.result), Text(call.meaning)});
  }
  return relation;
}

StatusOr<Relation> ShowCreateTable(const StatementContext& context, const syntax::Show& show) {
  ASSIGN_OR_RETURN(cluster::TableInfo info, FindTable(context, show.table));
  ASSIGN_OR_RETURN(std::vector<cluster::TabletInfo> tablets,
                   context.DoData(cluster::calls::ListTablets{info.schema.name}));
  std::vector<std::string> splits;
  for (const cluster::TabletInfo& tablet : tablets) {
    // Each tablet but the first begins at a split key. The printed statement therefore creates a
    // table with the tablets that this table has now.
    if (!tablet.range.start.empty()) splits.push_back(tablet.range.start);
  }
  return Relation{{TextColumn(kStatementColumn)}, {{Text(PrintCreateTable(info.schema, splits))}}};
}

using Maker = StatusOr<Relation> (*)(const StatementContext&, const syntax::Show&);
struct Entry {
  std::string_view name;
  Maker make;
  // Calls that EXPLAIN shows. For SHOW … OF table, ShowCalls replaces ListTables by GetTable.
  std::string_view calls;
  bool takes_table = true;  // false: SHOW … OF table is an error
};
// The grammar takes these words as names, not as keywords. So a new SHOW needs only a row here, and
// its word can still name a table or a family.
constexpr std::array<Entry, 14> kShows = {
    {{"TABLES", ShowTables, "ListTables"},
     {"CREATE TABLE", ShowCreateTable, "GetTable, ListTablets"},
     {"FAMILIES", ShowFamilies, "ListTables"},
     {"LOCALITY GROUPS", ShowGroups, "ListTables"},
     {"TABLETS", ShowTablets, "ListTables, ListTablets for each table"},
     {"SERVERS", ShowServers, "ClusterStatus", false},
     {"EVENTS", ShowEvents, "TabletEvents"},
     {"TRACES", ShowTraces, "Traces"},
     {"QUERIES", ShowQueries, "ListStatements"},
     {"COMPACTIONS", ShowCompactions, "Compactions"},
     {"METRICS", ShowMetrics, "Metrics", false},
     {"BACKUPS", ShowBackups, "ListBackups"},
     {"SESSION", ShowSession, "", false},
     {"FUNCTIONS", ShowFunctions, "", false}}};

Status UnknownShow(const syntax::Show& show) {
  // Words that SHOW knows but does not support. Each gets an error with the reason: the error of
  // UnknownName would suggest that the word is misspelled.
  constexpr std::array<std::array<std::string_view, 2>, 2> kRefused = {
      {{"GRANTS", "a store has no users and no rights"},
       {"JOBS", "SHOW COMPACTIONS has the work that runs by itself"}}};
  for (const auto& [word, reason] : kRefused) {
    if (!SameWord(show.what.text, word)) continue;
    return ErrorAt("UNSUPPORTED", show.what.span, fmt::format("SHOW {} is not supported", word),
                   reason, StatusCode::kUnimplemented);
  }
  std::vector<std::string> known;
  for (const Entry& entry : kShows) known.emplace_back(entry.name);
  return UnknownName("SHOW", show.what.text, show.what.span, known);
}

// LIKE tests the first column of texts: a name in most relations, the call in SHOW TRACES, which
// begins with times.
void KeepLike(std::string_view pattern, Relation* relation) {
  const auto first = std::ranges::find_if(relation->columns, [](const ResultColumn& column) {
    return column.type.kind == ValueType::kText;
  });
  const auto at = static_cast<size_t>(first - relation->columns.begin());
  std::erase_if(relation->rows, [&](const Row& row) {
    return !engine::LikeMatches(row[at].bytes(), pattern, true);
  });
}

}  // namespace

StatusOr<std::vector<std::string>> ShowCalls(const syntax::Show& show) {
  for (const Entry& entry : kShows) {
    if (!SameWord(entry.name, show.what.text)) continue;
    std::vector<std::string> calls;
    for (std::string_view rest = entry.calls; !rest.empty();) {
      const size_t comma = std::min(rest.find(", "), rest.size());
      const std::string_view call = rest.substr(0, comma);
      const bool of_table = call == "ListTables" && !show.table.empty();
      calls.emplace_back(of_table ? "GetTable" : call);
      rest.remove_prefix(std::min(comma + 2, rest.size()));
    }
    return calls;
  }
  return UnknownShow(show);
}

Status ExecuteShow(const StatementContext& context, const syntax::Show& show) {
  for (const Entry& entry : kShows) {
    if (!SameWord(entry.name, show.what.text)) continue;
    if (!entry.takes_table && !show.table.empty()) {
      return ErrorAt("BAD_OPTION", show.table.span,
                     fmt::format("SHOW {} is of no table", entry.name),
                     fmt::format("SHOW {}", entry.name));
    }
    Value pattern;
    if (show.like) {
      ASSIGN_OR_RETURN(pattern, CompileConstant(context, *show.like));
      if (!pattern.is_string() && !pattern.is_null()) {
        return ErrorAt(
            "TYPE", show.like->span,
            fmt::format("LIKE takes TEXT or BYTES, not {}", engine::TypeName(pattern.type())));
      }
    }
    ASSIGN_OR_RETURN(Relation relation, entry.make(context, show));
    if (show.like) KeepLike(pattern.bytes(), &relation);
    // LIKE is applied before WHERE, since WHERE may fail on values that LIKE would have left out.
    return GiveRelation(context, relation.columns, std::move(relation.rows), show.where);
  }
  return UnknownShow(show);
}

Status ExecuteDescribe(const StatementContext& context, const syntax::Describe& describe) {
  syntax::Show show;
  show.table = describe.table;
  ASSIGN_OR_RETURN(Relation relation, ShowFamilies(context, show));
  // DESCRIBE is SHOW FAMILIES of one table, without the column that names the table.
  relation.columns.erase(relation.columns.begin());
  for (Row& row : relation.rows) row.erase(row.begin());
  return GiveRelation(context, relation.columns, std::move(relation.rows), {});
}

}  // namespace sippar::query
