// SPDX-License-Identifier: Apache-2.0
#include "query/parse/select_builder.h"

#include <fmt/format.h>

namespace sippar::query {

using syntax::ReadOptions;

void SelectBuilder::OnlyOnce(bool already, antlr4::ParserRuleContext* context,
                             std::string_view clause) {
  if (!already) return;
  expressions_->Fail("DUPLICATE_CLAUSE", expressions_->SpanOf(context),
                     fmt::format("{} occurs twice", clause));
}

void SelectBuilder::BuildUnnest(SipparParser::UnnestContext* context, syntax::Source* source) {
  source->kind = syntax::Source::kUnnest;
  source->list = expressions_->Build(context->expression());
  if (auto* alias = context->sourceAlias()) source->item = expressions_->Name(*alias->getStop());
  if (context->OFFSET() == nullptr) return;
  // As in a sourceAlias, an AS may come before the name.
  auto* alias = context->offsetAlias();
  source->offset = alias != nullptr ? expressions_->Name(*alias->getStop())
                                    : syntax::Identifier{"offset", source->span};
}

syntax::Source SelectBuilder::BuildUnnestItem(SipparParser::UnnestItemContext* context,
                                              const std::string& table_alias) {
  syntax::Source source;
  source.span = expressions_->SpanOf(context->unnest());
  BuildUnnest(context->unnest(), &source);
  source.keeps_row = context->LEFT() != nullptr;
  // The tree has no alias of the table, so only the builder can see that the two names are equal.
  for (const syntax::Identifier* name : {&source.item, &source.offset}) {
    if (name->empty() || name->text != table_alias) continue;
    expressions_->Fail("DUPLICATE", name->span,
                       fmt::format("name {}: FROM gives it twice", name->text),
                       "another name after AS");
  }
  return source;
}

syntax::Source SelectBuilder::BuildSource(SipparParser::SourceContext* context) {
  syntax::Source source;
  source.span = expressions_->SpanOf(context);
  if (auto* unnest = context->unnest()) {
    BuildUnnest(unnest, &source);
    return source;
  }
  if (context->select() != nullptr) {
    source.kind = context->UNPACK() != nullptr ? syntax::Source::kUnpack : syntax::Source::kSelect;
    source.select = syntax::Box(Build(context->select()));
    return source;
  }
  source.kind = context->CELLS() != nullptr ? syntax::Source::kCells : syntax::Source::kTable;
  source.table = expressions_->Name(context->tableName());
  source.patterns = clauses_->Patterns(context->columnPattern());
  for (auto* arg : context->namedArg()) {
    source.named_args.push_back(
        {expressions_->Name(arg->name()), expressions_->Build(arg->expression())});
  }
  return source;
}

void SelectBuilder::BuildCellsPer(SipparParser::ReadOptionContext* context, ReadOptions* out) {
  // Each unit has a slot of its own because the three limits apply together, versions per column
  // first and cells per row last. Only the same unit twice is an error.
  std::optional<syntax::CellsPer>* slot = context->ROW() != nullptr      ? &out->cells_per_row
                                          : context->FAMILY() != nullptr ? &out->cells_per_family
                                                                         : &out->cells_per_column;
  OnlyOnce(slot->has_value(), context, "CELLS PER");
  *slot = syntax::CellsPer{expressions_->Build(context->expression(0)),
                           clauses_->Optional(context->expression(1))};
}

void SelectBuilder::BuildReadOption(SipparParser::ReadOptionContext* context, ReadOptions* out) {
  // The span is the place of the first option, where the error about a missing FROM points. If the
  // statement has no option, the line of the span stays 0.
  if (out->span.line == 0) out->span = expressions_->SpanOf(context);
  // Flags (WITH DELETES, STRIP VALUES, REVERSE) may be repeated, because that changes nothing. An
  // option with a value may not: one of the two values would be ignored.
  if (context->AS() != nullptr) {
    OnlyOnce(out->as_of.has_value(), context, "AS OF");
    out->as_of = expressions_->Build(context->expression(0));
  } else if (context->VERSIONS() != nullptr) {
    OnlyOnce(out->versions.has_value() || out->versions_all, context, "VERSIONS");
    out->versions_all = context->ALL() != nullptr;
    out->versions = clauses_->Optional(context->expression(0));
  } else if (context->timeRange() != nullptr) {
    OnlyOnce(out->time, context, "TIME");
    out->time = true;
    clauses_->TimeRange(context->timeRange(), &out->time_from, &out->time_to);
  } else if (context->PER() != nullptr) {
    BuildCellsPer(context, out);
  } else if (context->DELETES() != nullptr) {
    out->with_deletes = true;
  } else if (context->STRIP() != nullptr) {
    out->strip_values = true;
  } else if (context->REVERSE() != nullptr) {
    out->reverse = true;
  } else {
    OnlyOnce(out->sample.has_value(), context, "SAMPLE");
    out->sample = expressions_->Build(context->expression(0));
    if (context->PERCENT_() != nullptr) out->sample_unit = ReadOptions::kPercent;
    if (context->ROWS() != nullptr) out->sample_unit = ReadOptions::kRows;
  }
}

syntax::Limit SelectBuilder::BuildLimit(SipparParser::LimitContext* context) {
  syntax::Limit limit;
  limit.span = expressions_->SpanOf(context);
  limit.count = expressions_->Build(context->expression(0));
  if (context->CELLS() != nullptr) limit.unit = syntax::Limit::kCells;
  if (context->BY() != nullptr) {
    limit.unit = syntax::Limit::kBy;
    limit.by = expressions_->Build(context->expression(1));
  }
  if (context->OFFSET() != nullptr)
    // OFFSET is the last expression of the clause. Its index depends on whether BY put one before
    // it, so it is taken from the end.
    limit.offset = expressions_->Build(context->expression().back());
  return limit;
}

syntax::Select SelectBuilder::Build(SipparParser::SelectContext* context) {
  syntax::Select select;
  select.span = expressions_->SpanOf(context);
  // The alias is set before the items are built, although FROM comes after them in the text: a.name
  // in an item is a column of the table only if `a` is known to be its alias.
  SipparParser::SourceAliasContext* alias =
      context->source() == nullptr ? nullptr : context->source()->sourceAlias();
  // The alias is the last token of the rule sourceAlias; an AS may come before it.
  const std::string name = alias == nullptr ? "" : expressions_->Name(*alias->getStop()).text;
  std::string outer = expressions_->NameSource(name);
  select.cells = context->CELLS() != nullptr;
  select.distinct = context->DISTINCT() != nullptr;
  select.items = clauses_->Items(context->selectItem());
  if (context->source() != nullptr) select.from = BuildSource(context->source());
  for (auto* item : context->unnestItem()) select.unnests.push_back(BuildUnnestItem(item, name));
  for (auto* option : context->readOption()) BuildReadOption(option, &select.read);
  // The grammar accepts read options without FROM, so that this message can explain them.
  if (select.read.span.line > 0 && !select.from) {
    expressions_->Fail("SYNTAX", select.read.span, "FROM is missing, and a read option needs it");
  }
  select.where = clauses_->Clause(context->where());
  // Only GROUP BY has expressions directly in the rule `select`; every other clause is a rule of
  // its own. A new clause must be its own rule, too, or its expressions would become group keys.
  for (auto* key : context->expression()) select.group_by.push_back(expressions_->Build(key));
  select.having = clauses_->Clause(context->having());
  for (auto* item : context->orderItem()) {
    select.order_by.push_back({expressions_->Build(item->expression()), item->DESC() != nullptr});
  }
  if (context->limit() != nullptr) select.limit = BuildLimit(context->limit());
  if (auto* after = context->after()) {
    select.after = expressions_->Build(after->expression());
    select.after_row = after->ROW() != nullptr;
  }
  // The alias is known inside this SELECT only. This restores the alias of the SELECT around it.
  (void)expressions_->NameSource(std::move(outer));
  return select;
}

syntax::Tail SelectBuilder::Build(SipparParser::TailContext* context) {
  syntax::Tail tail;
  tail.table = expressions_->Name(context->tableName());
  tail.patterns = clauses_->Patterns(context->columnPattern());
  tail.where = clauses_->Clause(context->where());
  tail.from = clauses_->Clause(context->timeFrom());
  tail.to = clauses_->Clause(context->timeTo());
  if (context->limit() != nullptr) tail.limit = BuildLimit(context->limit());
  return tail;
}

}  // namespace sippar::query
