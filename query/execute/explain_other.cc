// EXPLAIN for all statements except SELECT and those in explain_write.cc: the calls that each
// makes, and what it changes.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "engine/model/change_config.h"
#include "query/analyze/catalog.h"
#include "query/analyze/compile.h"
#include "query/execute/explain.h"
#include "query/execute/import_writer.h"
#include "query/execute/show.h"
#include "query/execute/transaction.h"
#include "query/execute/transfer.h"
#include "query/format/json_value.h"
#include "query/session/query_error.h"
#include "query/syntax/ast_print.h"

namespace sippar::query {
namespace {

// The plan of a statement that makes only a few calls to the master or the tablet servers.
PlanTree Calls(std::string_view statement, std::string title, const std::vector<std::string>& calls,
               std::string_view writes) {
  PlanTree tree(statement, std::move(title));
  tree.Add("calls", calls);
  if (calls.empty()) tree.AddLine("  calls: none");
  tree.Add("writes", writes);
  return tree;
}

struct OtherExplainer {
  const StatementContext& context;

  template <typename Unsupported>
  StatusOr<PlanTree> operator()(const Unsupported&) const {
    return ErrorAt("UNSUPPORTED", {}, "this statement is not supported, so it has no plan", {},
                   StatusCode::kUnimplemented);
  }
  StatusOr<PlanTree> operator()(const syntax::Explain&) const {
    return Calls("EXPLAIN", "explain: plans the statement and shows the plan",
                 {"those that planning needs: schemas and tablets"}, "nothing");
  }

  StatusOr<PlanTree> operator()(const syntax::Tail& tail) const {
    ASSIGN_OR_RETURN(cluster::TableInfo info, FindTable(context, tail.table));
    const bool has_stream = engine::ChangeStreamOf(info.schema).has_value();
    return Calls(
        "TAIL",
        fmt::format("tail table {}: until LIMIT, or until it is interrupted", tail.table.text),
        {"GetTable",
         has_stream ? "ReadChanges for each tablet" : "Read of new cells once a second"},
        "nothing");
  }

  // Statements that begin and end row transactions.
  StatusOr<PlanTree> operator()(const syntax::BeginRow& begin) const {
    RETURN_IF_ERROR(FindSchema(context, begin.table).status());
    ASSIGN_OR_RETURN(std::string row, CompileRowKey(context, begin.row));
    return Calls(
        "BEGIN ROW",
        fmt::format("begin row {} {}: no lock is taken", begin.table.text, QuoteValue(row)), {},
        "nothing until COMMIT");
  }
  StatusOr<PlanTree> operator()(const syntax::Commit&) const {
    const auto& transaction = context.session->transaction;
    if (!transaction) {
      return Calls("COMMIT", "commit: no row transaction is open, which is an error", {},
                   "nothing");
    }
    PlanTree tree = Calls("COMMIT",
                          fmt::format("commit row {} of {}, if its reads still answer the same",
                                      QuoteValue(transaction->row), transaction->table),
                          {"CommitRow"},
                          fmt::format("{} entries of the row", transaction->writes.entries.size()));
    tree.Add("checked_reads", transaction->checks.size());
    return tree;
  }
  StatusOr<PlanTree> operator()(const syntax::Rollback&) const {
    return Calls("ROLLBACK", "rollback: drops what the transaction holds back", {}, "nothing");
  }

  // Statements that change schemas.
  StatusOr<PlanTree> operator()(const syntax::CreateTable& create) const {
    std::vector<std::string> calls;
    if (!create.like.empty()) {
      RETURN_IF_ERROR(FindTable(context, create.like).status());
      calls.emplace_back("GetTable");
    }
    calls.emplace_back("CreateTable");
    PlanTree tree = Calls("CREATE TABLE", fmt::format("create table {}", create.table.text), calls,
                          "the schema, and a METADATA record for each tablet");
    tree.Add("tablets", create.split_at.size() + 1);
    return tree;
  }
  StatusOr<PlanTree> operator()(const syntax::AlterTable& alter) const {
    ASSIGN_OR_RETURN(cluster::TableInfo info, FindTable(context, alter.table));
    PlanTree tree =
        Calls("ALTER TABLE", fmt::format("alter table {}: all actions at once", info.schema.name),
              {"GetTable", "AlterTable"}, "the schema; no cell is rewritten");
    tree.Add("actions", alter.actions.size());
    return tree;
  }
  StatusOr<PlanTree> operator()(const syntax::DropTable& drop) const {
    if (!drop.if_exists) RETURN_IF_ERROR(FindTable(context, drop.table).status());
    return Calls("DROP TABLE", fmt::format("drop table {}", drop.table.text),
                 {"GetTable", "DropTable"}, "removes the table's records and files");
  }

  // Statements that show tables and the state of the cluster.
  StatusOr<PlanTree> operator()(const syntax::Show& show) const {
    ASSIGN_OR_RETURN(const std::vector<std::string>& calls, ShowCalls(show));
    return Calls("SHOW", fmt::format("show {}", show.what.text), calls, "nothing");
  }
  StatusOr<PlanTree> operator()(const syntax::Describe& describe) const {
    RETURN_IF_ERROR(FindTable(context, describe.table).status());
    return Calls("DESCRIBE", fmt::format("describe table {}", describe.table.text), {"GetTable"},
                 "nothing");
  }

  // Statements that read or write files.
  StatusOr<PlanTree> operator()(const syntax::Import& import) const {
    ASSIGN_OR_RETURN(std::shared_ptr<const engine::TableSchema> schema,
                     FindSchema(context, import.table));
    ASSIGN_OR_RETURN(TransferOptions options, PlanTransferOptions(import));
    ASSIGN_OR_RETURN(std::string path, TransferPath(context, import.from));
    ASSIGN_OR_RETURN(std::string format, TransferFormat(import.format, path, import.from.span));
    PlanTree tree("IMPORT",
                  fmt::format("import into {}: in batches of {} rows or {} MiB", schema->name,
                              ImportBatchRows(options.jobs), ImportBatchBytes(options.jobs) >> 20));
    tree.AddJson("table", JsonText(schema->name));
    tree.Add("file", path);
    tree.Add("format", format);
    tree.AddJson("skip", fmt::format("{}", options.skip));
    tree.AddJson("calls", "null", fmt::format("up to {} for each batch and tablet", options.jobs));
    return tree;
  }
  StatusOr<PlanTree> operator()(const syntax::Export& statement) const {
    RETURN_IF_ERROR(PlanTransferOptions(statement).status());
    ASSIGN_OR_RETURN(std::string path, TransferPath(context, statement.to));
    ASSIGN_OR_RETURN(std::string format, TransferFormat(statement.format, path, statement.to.span));
    PlanTree tree("EXPORT", "export: the file appears under its name when it is whole");
    tree.Add("file", path);
    tree.Add("format", format);
    ASSIGN_OR_RETURN(SelectPlan plan, PlanSelect(context, ExportedRows(statement)));
    ASSIGN_OR_RETURN(PlanTree select, ExplainSelectPlan(context, plan));
    tree.Add("from", select);
    return tree;
  }

  // Statements that change settings of the session.
  StatusOr<PlanTree> operator()(const syntax::SetOption& set) const {
    return Calls("SET", fmt::format("set {}", set.name.text), {}, "a setting of this session");
  }
  StatusOr<PlanTree> operator()(const syntax::ResetOption&) const {
    return Calls("RESET", "reset", {}, "settings of this session");
  }

  // Statements on tablets.
  StatusOr<PlanTree> operator()(const syntax::Compact& compact) const {
    RETURN_IF_ERROR(FindTable(context, compact.table).status());
    return Calls("COMPACT TABLE",
                 fmt::format("compact table {}, and wait for the end", compact.table.text),
                 {"GetTable", SameWord(compact.kind.text, "MINOR") ? "Flush" : "Compact"},
                 "one SSTable for each locality group of each tablet, in place of those before");
  }
  StatusOr<PlanTree> operator()(const syntax::Flush& flush) const {
    RETURN_IF_ERROR(FindTable(context, flush.table).status());
    return Calls("FLUSH TABLE", fmt::format("flush table {}", flush.table.text),
                 {"GetTable", "Flush"}, "an SSTable for each memtable that holds cells");
  }
  StatusOr<PlanTree> operator()(const syntax::SplitTable& split) const {
    RETURN_IF_ERROR(FindTable(context, split.table).status());
    return Calls("SPLIT TABLE", fmt::format("split table {}", split.table.text),
                 {"GetTable", fmt::format("Split, {} times", split.at.size()), "GetTable"},
                 "METADATA records; the SSTables are shared until they are compacted");
  }
  StatusOr<PlanTree> operator()(const syntax::MergeTablets& merge) const {
    RETURN_IF_ERROR(FindTable(context, merge.table).status());
    return Calls("MERGE TABLETS", fmt::format("merge tablets of {}", merge.table.text),
                 {"GetTable", "Merge", "GetTable"}, "METADATA records");
  }
  StatusOr<PlanTree> operator()(const syntax::MoveTablet& move) const {
    RETURN_IF_ERROR(FindTable(context, move.table).status());
    return Calls("MOVE TABLET", fmt::format("move a tablet of {}", move.table.text),
                 {"GetTable", "MoveTablet"}, "a METADATA record, and the memtable as an SSTable");
  }
  StatusOr<PlanTree> operator()(const syntax::Balance& balance) const {
    const bool now = balance.mode.empty() || balance.mode.text == "NOW";
    return Calls("BALANCE", "balance", {now ? "BalanceNow" : "SetBalancing"},
                 now ? "METADATA records of the tablets that move" : "a setting of the master");
  }

  StatusOr<PlanTree> operator()(const syntax::Cancel& cancel) const {
    RETURN_IF_ERROR(CompileConstant(context, cancel.id).status());
    return Calls("CANCEL", "cancel a statement, and wait for its end",
                 {"CancelStatement, until the statement has ended"},
                 "nothing; an INSERT that is ended keeps what it has written");
  }

  // Statements on backups.
  StatusOr<PlanTree> operator()(const syntax::Backup& backup) const {
    RETURN_IF_ERROR(FindTable(context, backup.table).status());
    return Calls("BACKUP TABLE",
                 fmt::format("backup table {} as {}", backup.table.text, backup.name.text),
                 {"GetTable", "CreateBackup, which flushes the table"},
                 "a file that names the table's SSTables; none is copied");
  }
  StatusOr<PlanTree> operator()(const syntax::Restore& restore) const {
    const std::string what =
        fmt::format("restore table {} from backup {}", restore.table.text, restore.backup.text);
    if (restore.as_of) {
      return Calls("RESTORE TABLE", what + " with later changes",
                   {"GetBackup", "GetBackupChanges", "RestoreTable", "ReadChanges", "ApplyRows",
                    "CreateBackup", "RestoreTable", "DeleteBackup", "DropTable", "GetTable"},
                   "the changes are written to a table of another name, which appears as the new "
                   "table when it has all of them");
    }
    return Calls("RESTORE TABLE", what, {"GetBackup", "RestoreTable", "GetTable"},
                 "a new table that shares the backup's SSTables; none is copied");
  }
  StatusOr<PlanTree> operator()(const syntax::AlterBackup& alter) const {
    return Calls("ALTER BACKUP", fmt::format("alter backup {}", alter.name.text),
                 {"SetBackupExpiry"}, "the backup's file");
  }
  StatusOr<PlanTree> operator()(const syntax::DropBackup& drop) const {
    return Calls("DROP BACKUP", fmt::format("drop backup {}", drop.name.text), {"DeleteBackup"},
                 "removes the backup's file, later the SSTables that nothing else names");
  }
};

}  // namespace

StatusOr<PlanTree> ExplainOther(const StatementContext& context,
                                const syntax::Statement& statement) {
  return std::visit(OtherExplainer{context}, statement.node);
}

}  // namespace sippar::query
