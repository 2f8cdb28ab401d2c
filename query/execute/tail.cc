// SPDX-License-Identifier: Apache-2.0
#include "query/execute/tail.h"

#include <fmt/format.h>

#include <algorithm>
#include <list>
#include <memory>
#include <utility>

#include "engine/model/change_config.h"
#include "engine/program/evaluate.h"
#include "query/analyze/catalog.h"
#include "query/analyze/compile.h"
#include "query/execute/select.h"
#include "query/execute/tail_position.h"
#include "query/execute/transaction.h"
#include "query/session/query_error.h"
#include "query/syntax/ast_print.h"

namespace sippar::query {
namespace {

using cluster::Change;
using engine::MutationEntry;
using engine::RowRange;

// While there are no changes, one round over all parts takes about this long (longer with more than
// 100 parts), so that Ctrl-C ends TAIL soon.
constexpr int64_t kRoundMicros = 100'000;
constexpr int64_t kWaitMicrosMin = 1'000;

// The first kShown columns are shown; WHERE can name the others, too.
constexpr size_t kShown = 6;
const std::vector<ResultColumn>& Columns() {
  static const auto& columns = *new std::vector<ResultColumn>{{"committed", ValueType::kTimestamp},
                                                              {"row", ValueType::kText},
                                                              {"op", ValueType::kText},
                                                              {"column", ValueType::kText},
                                                              {"timestamp", ValueType::kInt64},
                                                              {"value", {}},
                                                              {"family", ValueType::kText},
                                                              {"qualifier", ValueType::kText}};
  return columns;
}

// Decides which entries of a change are shown, and how. Pure except for the evaluator.
class EntryView {
 public:
  [[nodiscard]] Status Prepare(const StatementContext& context, const engine::TableSchema& schema,
                               const syntax::Tail& tail) {
    schema_ = schema;
    std::vector<engine::ColumnPattern> patterns;
    for (const syntax::PatternNode& node : tail.patterns) {
      ASSIGN_OR_RETURN(engine::ColumnPattern pattern, BindPattern(context, schema, node));
      patterns.push_back(std::move(pattern));
    }
    ASSIGN_OR_RETURN(columns_, engine::ColumnMatcher::Compile(patterns));
    if (!tail.where) return OkStatus();
    std::vector<std::string> names;
    std::vector<DataType> types;
    for (const ResultColumn& column : Columns()) {
      names.push_back(column.name);
      types.push_back(column.type);
    }
    RelationScope scope(names, types);
    ExpressionCompiler compiler(context, &scope);
    ASSIGN_OR_RETURN(Expression test, compiler.CompileTest(*tail.where));
    ASSIGN_OR_RETURN(where_, engine::Evaluator::Prepare(test, &context.stop));
    return OkStatus();
  }

  // Appends the rows that show `change`.
  [[nodiscard]] Status Add(const Change& change, std::vector<Row>* rows) const {
    for (const MutationEntry& entry : change.mutation.entries) {
      const bool of_family = entry.kind == MutationEntry::kDeleteFamily;
      const bool wanted = of_family ? columns_->MatchesFamily(entry.family)
                                    : columns_->Matches(entry.family, entry.qualifier);
      if (!wanted) continue;
      Row row = RowOf(change, entry);
      bool pass = true;
      if (where_ != nullptr) {
        Status tested = where_->EvaluateTest(row, nullptr, &pass);
        if (!tested.ok()) return WithQueryCode(tested);
      }
      if (!pass) continue;
      row.resize(kShown);
      rows->push_back(std::move(row));
    }
    return OkStatus();
  }

 private:
  Value ValueOf(const MutationEntry& entry) const {
    const engine::FamilySchema* family = schema_.FindFamily(entry.family);
    if (family != nullptr && engine::IsInt64(family->type)) {
      auto number = engine::DecodeInt64(entry.value);
      if (number.ok()) return Value::Int64(*number);
    }
    return Value::Bytes(entry.value);
  }

  Row RowOf(const Change& change, const MutationEntry& entry) const {
    const bool of_family = entry.kind == MutationEntry::kDeleteFamily;
    const bool sets = entry.kind == MutationEntry::kSet;
    // A deletion is shown with a time only if it deletes one version.
    const bool one =
        sets || (!entry.time.IsAll() && entry.time.limit_us - entry.time.start_us == 1);
    const int64_t time_us = sets ? entry.timestamp_us : entry.time.start_us;
    return {Value::Timestamp(change.commit_us),
            Value::Text(change.mutation.row),
            Value::Text(sets ? "SET" : "DELETE"),
            Value::Text(entry.family + ":" + (of_family ? "*" : entry.qualifier)),
            one ? Value::Int64(time_us) : Value::Null(),
            sets ? ValueOf(entry) : Value::Null(),
            Value::Text(entry.family),
            of_family ? Value::Null() : Value::Text(entry.qualifier)};
  }

  engine::TableSchema schema_;
  std::unique_ptr<engine::ColumnMatcher> columns_;
  std::unique_ptr<engine::Evaluator> where_;
};

// Reads all parts of the table in turn, and follows splits and merges of its tablets.
class TailRun {
 public:
  TailRun(const StatementContext& context, std::string table, const EntryView* view)
      : context_(context), table_(std::move(table)), view_(view) {}

  bool from_now = false;          // start at the current time of the servers, not at start_us
  uint64_t limit = UINT64_MAX;    // number of rows to show; the last change is still shown whole
  std::optional<int64_t> end_us;  // latest commit time to show; none: no end

  [[nodiscard]] Status Open(const std::vector<TailPart>& parts) {
    for (const TailPart& part : parts) RETURN_IF_ERROR(OpenPart(part, {}));
    return OkStatus();
  }

  [[nodiscard]] Status Run() {
    while (goes_on_ && !open_.empty()) {
      const uint64_t before = seen_;
      const auto share = kRoundMicros / static_cast<int64_t>(open_.size());
      const int64_t wait_us = quiet_ ? std::max(kWaitMicrosMin, share) : 0;
      for (auto part = open_.begin(); part != open_.end() && goes_on_;) {
        RETURN_IF_ERROR(context_.CheckStop());
        bool over = false;
        RETURN_IF_ERROR(ReadPart(&*part, wait_us, &over));
        part = over ? open_.erase(part) : std::next(part);
      }
      RETURN_IF_ERROR(OpenSuccessors());
      quiet_ = seen_ == before;
    }
    return OkStatus();
  }

  std::vector<TailPart> Position() const {
    std::vector<TailPart> parts = ended_;
    std::vector<cluster::ChangeToken> tokens = waiting_;
    for (const Part& part : open_) {
      // A part that was opened after a split or merge has no token of its own before its first
      // batch. Until then, the end tokens of the parts that it replaces give its position.
      if (part.tokens.empty() || !part.at.token.empty()) {
        parts.push_back(part.at);
      } else {
        tokens.insert(tokens.end(), part.tokens.begin(), part.tokens.end());
      }
    }
    for (cluster::ChangeToken& token : tokens) {
      parts.push_back({std::move(token.rows), std::move(token.token), 0});
    }
    return parts;
  }

 private:
  struct Part {
    TailPart at;
    // End tokens of the parts that a split or merge has turned into this part; may be empty.
    std::vector<cluster::ChangeToken> tokens;
    std::unique_ptr<cluster::ChangeStream> stream;
  };

  // Opens `part` at its token or time, or at `tokens` if there are any.
  Status OpenPart(const TailPart& part, std::vector<cluster::ChangeToken> tokens) {
    cluster::ChangesRequest request;
    request.partition = part.rows;
    request.end_us = end_us;
    request.tokens = tokens;
    if (request.tokens.empty() && !part.token.empty()) request.tokens = {{part.rows, part.token}};
    // With from_now no time is sent: this process's clock may be ahead of the server's clock.
    if (request.tokens.empty() && !from_now) request.start_us = part.start_us;
    ASSIGN_OR_RETURN(
        std::unique_ptr<cluster::ChangeStream> stream,
        context_.client()->data()->ReadChanges(table_, request, context_.CallOptions()));
    open_.push_back({part, std::move(tokens), std::move(stream)});
    return OkStatus();
  }

  Status ReadPart(Part* part, int64_t wait_us, bool* over) {
    auto batch = part->stream->Next(wait_us);
    // The tablet's server has stopped; the next call looks for the tablet again.
    if (batch.status().code() == StatusCode::kUnavailable) {
      context_.client()->clock()->SleepMicros(kWaitMicrosMin);
      return OkStatus();
    }
    RETURN_IF_ERROR(batch.status());
    for (const Change& change : batch->changes) {
      ++seen_;
      RETURN_IF_ERROR(Give(change));
      part->at.token = change.token;
      // TAIL has stopped within the batch. A later TAIL that continues at this token reads the rest
      // of the batch again.
      if (!goes_on_) return OkStatus();
    }
    if (!batch->token.empty()) part->at.token = batch->token;
    if (!batch->is_over) return OkStatus();
    *over = true;
    // A part that is over without new partitions was not split or merged: it has reached end_us.
    if (batch->new_partitions.empty()) ended_.push_back(part->at);
    for (cluster::ChangeToken& token : batch->tokens) waiting_.push_back(std::move(token));
    for (RowRange& rows : batch->new_partitions) successors_.push_back(std::move(rows));
    return OkStatus();
  }

  Status Give(const Change& change) {
    std::vector<Row> rows;
    RETURN_IF_ERROR(view_->Add(change, &rows));
    if (rows.empty()) return OkStatus();
    given_ += rows.size();
    GiveRows(context_, std::move(rows), &goes_on_);
    // The rows of a change are shown together even if they exceed the limit: a position from which
    // TAIL can continue is always between two changes.
    if (given_ >= limit) goes_on_ = false;
    return OkStatus();
  }

  // Opens each new partition once all parts that it replaces have been read up to their split or
  // merge. After a merge, one of these parts may be finished while TAIL still reads the other.
  Status OpenSuccessors() {
    if (!goes_on_) return OkStatus();
    std::vector<RowRange> later;
    for (const RowRange& rows : std::exchange(successors_, {})) {
      if (std::find(later.begin(), later.end(), rows) != later.end()) continue;
      engine::RowSet covered;
      std::vector<cluster::ChangeToken> tokens;
      for (const cluster::ChangeToken& token : waiting_) {
        if (engine::Intersect(token.rows, rows).IsEmpty()) continue;
        covered.Add(token.rows);
        tokens.push_back(token);
      }
      // Both parts of a merge report the same new partition. It has no waiting tokens if TAIL has
      // already opened it for the other report.
      if (tokens.empty()) continue;
      if (!(covered.Intersection(engine::RowSet(rows)) == engine::RowSet(rows))) {
        later.push_back(rows);
        continue;
      }
      std::erase_if(waiting_, [&](const cluster::ChangeToken& token) {
        return !engine::Intersect(token.rows, rows).IsEmpty();
      });
      RETURN_IF_ERROR(OpenPart({rows, "", 0}, std::move(tokens)));
    }
    successors_.insert(successors_.end(), later.begin(), later.end());
    return OkStatus();
  }

  const StatementContext& context_;
  const std::string table_;
  const EntryView* view_;
  std::list<Part> open_;
  std::vector<TailPart> ended_;  // parts read up to the end time
  // Positions at the ends of parts that were split or merged.
  std::vector<cluster::ChangeToken> waiting_;
  std::vector<RowRange> successors_;  // new partitions that continue at waiting_
  uint64_t seen_ = 0;
  uint64_t given_ = 0;
  bool goes_on_ = true;
  bool quiet_ = false;  // no part had a change in the last round
};

StatusOr<std::vector<TailPart>> StoredParts(const Value& text, uint64_t table_id,
                                            const Span& span) {
  std::optional<TailPosition> position = DecodeTailPosition(text.bytes());
  if (position && position->table_id == table_id) return std::move(position->parts);
  return ErrorAt("TOKEN_MISMATCH", span,
                 position ? "this is a position in the changes of another table"
                          : "this is not a position in the changes of a table",
                 "FROM 'position' continues after the last TAIL, FROM time at a time");
}

// Where the statement begins: at a stored position, at a time, or now.
StatusOr<std::vector<TailPart>> StartOf(const StatementContext& context, const syntax::Tail& tail,
                                        const cluster::TableInfo& info) {
  int64_t start_us = context.now_us;
  if (tail.from) {
    ASSIGN_OR_RETURN(Value from, CompileConstant(context, *tail.from));
    if (from.is_string()) return StoredParts(from, info.table_id, tail.from->span);
    ASSIGN_OR_RETURN(start_us, CompileTime(context, *tail.from));
  }
  ASSIGN_OR_RETURN(std::vector<RowRange> tablets,
                   context.DoData(cluster::calls::TabletRanges{info.schema.name}));
  std::vector<TailPart> parts;
  for (RowRange& rows : tablets) parts.push_back({std::move(rows), "", start_us});
  return parts;
}

Status PlanEnd(const StatementContext& context, const syntax::Tail& tail, TailRun* run) {
  run->from_now = !tail.from;
  if (tail.to) {
    ASSIGN_OR_RETURN(run->end_us, CompileTime(context, *tail.to));
  }
  if (!tail.limit) return OkStatus();
  if (tail.limit->unit == syntax::Limit::kBy || tail.limit->offset) {
    return ErrorAt("SYNTAX", tail.limit->span, "TAIL takes LIMIT n alone, without BY and OFFSET");
  }
  ASSIGN_OR_RETURN(run->limit, CompileCount(context, tail.limit->count, "LIMIT", 1));
  return OkStatus();
}

}  // namespace

Status ExecuteTail(const StatementContext& context, const syntax::Tail& tail) {
  RETURN_IF_ERROR(CheckNoTransaction(context, "TAIL"));
  ASSIGN_OR_RETURN(cluster::TableInfo info, FindTable(context, tail.table));
  if (!engine::ChangeStreamOf(info.schema)) {
    return ErrorAt("NO_CHANGE_STREAM", tail.table.span,
                   fmt::format("table {} keeps no changes", info.schema.name),
                   fmt::format("ALTER TABLE {} SET (CHANGE_STREAM = 1d) keeps them from then on",
                               QuoteName(info.schema.name)),
                   StatusCode::kFailedPrecondition);
  }
  EntryView view;
  RETURN_IF_ERROR(view.Prepare(context, info.schema, tail));
  TailRun run(context, info.schema.name, &view);
  RETURN_IF_ERROR(PlanEnd(context, tail, &run));
  ASSIGN_OR_RETURN(std::vector<TailPart> start, StartOf(context, tail, info));
  RETURN_IF_ERROR(run.Open(start));
  context.summary->kind = ResultKind::kRows;
  context.sink->Begin({Columns().begin(), Columns().begin() + kShown});
  RETURN_IF_ERROR(run.Run());
  context.summary->next =
      fmt::format("FROM '{}'", EncodeTailPosition({info.table_id, run.Position()}));
  return OkStatus();
}

}  // namespace sippar::query
