// SPDX-License-Identifier: Apache-2.0
#include "query/execute/backup_statement.h"

#include <fmt/format.h>

#include <algorithm>

#include "query/analyze/catalog.h"
#include "query/analyze/compile.h"
#include "query/execute/restore_as_of.h"
#include "query/execute/transaction.h"
#include "query/session/query_error.h"

namespace sippar::query {
namespace {

namespace calls = cluster::calls;

// The expiry time from EXPIRE: a duration from now, a time, or NEVER. NEVER is the default, because
// a backup that expires without a request to do so would be missing when it is needed.
StatusOr<int64_t> ExpiryOf(const StatementContext& context,
                           const std::vector<syntax::Option>& options) {
  constexpr std::string_view kValues = "EXPIRE = 30d, TIMESTAMP '2027-01-01T00:00:00Z' or NEVER";
  int64_t expires_us = kNeverExpiresUs;
  for (const syntax::Option& option : options) {
    if (!SameWord(option.name.text, "EXPIRE")) {
      return ErrorAt("UNKNOWN_OPTION", option.name.span,
                     fmt::format("unknown option {}", option.name.text), kValues);
    }
    const Span& span = option.value ? option.value->span : option.name.span;
    const bool is_literal = option.value && option.value->literal;
    const auto type = is_literal ? option.value->literal->type : syntax::Literal::kNull;
    if (option.value && SameWord(option.value->call, "NEVER") && option.value->args.empty()) {
      expires_us = kNeverExpiresUs;
    } else if (type == syntax::Literal::kDuration) {
      const int64_t age_us = option.value->literal->integer;
      expires_us =
          age_us < kNeverExpiresUs - context.now_us ? context.now_us + age_us : kNeverExpiresUs;
    } else if (type == syntax::Literal::kTimestamp || type == syntax::Literal::kDate) {
      syntax::Expr time;
      time.literal = *option.value->literal;
      time.span = span;
      ASSIGN_OR_RETURN(expires_us, CompileTime(context, time));
    } else {
      return ErrorAt("BAD_OPTION", span, "option EXPIRE cannot have this value", kValues);
    }
    if (expires_us <= context.now_us) {
      return ErrorAt(
          "BAD_OPTION", span,
          fmt::format("the expiry {} is not in the future", Value::Timestamp(expires_us).Print()),
          kValues);
    }
  }
  return expires_us;
}

// BAD_NAME unless the name, or each part of a name project/instance/cluster/backup, is a valid
// table name.
Status CheckName(const syntax::Identifier& name) {
  for (std::string_view rest = name.text;;) {
    const size_t slash = std::min(rest.find('/'), rest.size());
    Status valid = engine::ValidateTableName(rest.substr(0, slash));
    if (!valid.ok()) {
      return ErrorAt("BAD_NAME", name.span,
                     fmt::format("backup name {}: the rules of table names apply", name.text),
                     MessageOf(valid));
    }
    if (slash == rest.size()) return OkStatus();
    rest.remove_prefix(slash + 1);
  }
}

std::string PrintExpiry(int64_t expires_us) {
  return expires_us >= kNeverExpiresUs ? "never expires"
                                       : "expires " + Value::Timestamp(expires_us).Print();
}

// The error for a backup that was not found; the hint is the nearest known name.
Status UnknownBackup(const StatementContext& context, const syntax::Identifier& name) {
  std::vector<std::string> known;
  auto backups = context.DoAdmin(calls::ListBackups{});
  if (backups.ok()) {
    for (const cluster::BackupInfo& backup : *backups) known.push_back(backup.name);
  }
  const std::string nearest = NearestWord(name.text, known);
  return ErrorAt(
      "UNKNOWN_BACKUP", name.span, fmt::format("backup {} not found", name.text),
      nearest.empty() ? "SHOW BACKUPS lists them" : fmt::format("did you mean {}?", nearest),
      StatusCode::kNotFound);
}

}  // namespace

Status ExecuteBackup(const StatementContext& context, const syntax::Backup& backup) {
  RETURN_IF_ERROR(CheckNoTransaction(context, "BACKUP TABLE"));
  ASSIGN_OR_RETURN(cluster::TableInfo table, FindTable(context, backup.table));
  RETURN_IF_ERROR(CheckName(backup.name));
  ASSIGN_OR_RETURN(int64_t expires_us, ExpiryOf(context, backup.options));
  auto made = context.DoAdmin(calls::CreateBackup{backup.name.text, table.schema.name, expires_us});
  if (made.status().code() == StatusCode::kAlreadyExists) {
    return ErrorAt("BACKUP_EXISTS", backup.name.span,
                   fmt::format("backup {} already exists", backup.name.text),
                   fmt::format("DROP BACKUP {} first, or choose another name", backup.name.text),
                   StatusCode::kAlreadyExists);
  }
  RETURN_IF_ERROR(made.status());
  context.summary->tag = fmt::format("backup {} of table {} made, {}", made->name,
                                     made->source_table, PrintExpiry(made->expires_us));
  return OkStatus();
}

Status ExecuteRestore(const StatementContext& context, const syntax::Restore& restore) {
  RETURN_IF_ERROR(CheckNoTransaction(context, "RESTORE TABLE"));
  Status valid = engine::ValidateTableName(restore.table.text);
  if (!valid.ok()) return ErrorAt("BAD_NAME", restore.table.span, MessageOf(valid));
  auto backup = context.DoAdmin(calls::GetBackup{restore.backup.text});
  if (backup.status().code() == StatusCode::kNotFound) {
    return UnknownBackup(context, restore.backup);
  }
  RETURN_IF_ERROR(backup.status());
  std::string with;
  Status status;
  if (restore.as_of) {
    auto changes = RestoreAsOf(context, restore, *backup);
    status = changes.status();
    if (changes.ok()) with = fmt::format(", with {}", Plural(*changes, "later change"));
  } else {
    status =
        HintIfInterrupted(context.DoAdmin(calls::RestoreTable{backup->name, restore.table.text}),
                          std::string(kRestoreMayGoOn));
  }
  if (status.code() == StatusCode::kAlreadyExists) {
    return ErrorAt("TABLE_EXISTS", restore.table.span,
                   fmt::format("table {} already exists", restore.table.text),
                   "DROP TABLE it first, or restore under another name",
                   StatusCode::kAlreadyExists);
  }
  RETURN_IF_ERROR(status);
  ASSIGN_OR_RETURN(cluster::TableInfo info, context.DoAdmin(calls::GetTable{restore.table.text}));
  context.summary->tag =
      fmt::format("table {} restored from backup {} of table {}{}: {}", info.schema.name,
                  backup->name, backup->source_table, with, Plural(info.tablet_count, "tablet"));
  return OkStatus();
}

Status ExecuteAlterBackup(const StatementContext& context, const syntax::AlterBackup& alter) {
  RETURN_IF_ERROR(CheckNoTransaction(context, "ALTER BACKUP"));
  ASSIGN_OR_RETURN(int64_t expires_us, ExpiryOf(context, alter.options));
  auto changed = context.DoAdmin(calls::SetBackupExpiry{alter.name.text, expires_us});
  if (changed.status().code() == StatusCode::kNotFound) return UnknownBackup(context, alter.name);
  RETURN_IF_ERROR(changed.status());
  context.summary->tag =
      fmt::format("backup {} {}", changed->name, PrintExpiry(changed->expires_us));
  return OkStatus();
}

Status ExecuteDropBackup(const StatementContext& context, const syntax::DropBackup& drop) {
  RETURN_IF_ERROR(CheckNoTransaction(context, "DROP BACKUP"));
  Status status = context.DoAdmin(calls::DeleteBackup{drop.name.text});
  if (status.code() == StatusCode::kNotFound) {
    if (!drop.if_exists) return UnknownBackup(context, drop.name);
    context.summary->tag = fmt::format("backup {} not found, skipped", drop.name.text);
    return OkStatus();
  }
  RETURN_IF_ERROR(status);
  context.summary->tag = fmt::format("backup {} dropped", drop.name.text);
  return OkStatus();
}

}  // namespace sippar::query
