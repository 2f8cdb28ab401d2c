// SPDX-License-Identifier: Apache-2.0
#include "query/parse/command_builder.h"

#include <cctype>

namespace sippar::query {
namespace {

// The user may write words such as TABLES after SHOW in any case; messages and printed statements
// have them in upper case. Later stages compare them without regard to case.
std::string Upper(std::string text) {
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

}  // namespace

syntax::Show CommandBuilder::Build(SipparParser::ShowContext* context) {
  syntax::Show show;
  auto* what = context->showWhat();
  // CREATE and LOCALITY are keywords, so the grammar does not read them as a name.
  if (what->CREATE() != nullptr) {
    show.what.text = "CREATE TABLE";
  } else if (what->LOCALITY() != nullptr) {
    show.what.text = "LOCALITY GROUPS";
  } else {
    show.what.text = Upper(expressions_->Name(what->name()).text);
  }
  show.what.span = text_->SpanOf(*what->getStart());
  if (what->tableName() != nullptr) show.table = expressions_->Name(what->tableName());
  show.like = clauses_->Optional(context->expression());
  show.where = clauses_->Clause(context->where());
  return show;
}

syntax::Import CommandBuilder::Build(SipparParser::ImportFileContext* context) {
  syntax::Import import_file;
  import_file.table = expressions_->Name(context->tableName());
  import_file.from = expressions_->Build(context->expression());
  if (context->fileFormat() != nullptr) {
    import_file.format = expressions_->Name(context->fileFormat());
  }
  for (auto* item : context->mapItem()) {
    import_file.mapping.push_back(
        {clauses_->Target(item->columnTarget()), expressions_->Build(item->expression())});
  }
  import_file.options = options_->Build(context->optionList());
  return import_file;
}

syntax::Export CommandBuilder::Build(SipparParser::ExportFileContext* context) {
  syntax::Export export_file;
  if (context->tableName() != nullptr) export_file.table = expressions_->Name(context->tableName());
  if (context->select() != nullptr) {
    export_file.select = syntax::Box(selects_->Build(context->select()));
  }
  export_file.to = expressions_->Build(context->expression());
  if (context->fileFormat() != nullptr) {
    export_file.format = expressions_->Name(context->fileFormat());
  }
  export_file.options = options_->Build(context->optionList());
  return export_file;
}

syntax::SetOption CommandBuilder::Build(SipparParser::SetOptionContext* context) {
  syntax::SetOption set;
  set.name = expressions_->Name(context->name());
  if (context->expression() != nullptr) {
    set.value = expressions_->Build(context->expression());
    return set;
  }
  // ON and ALL are keywords, so no expression matches them. The tree has them as names, like OFF.
  set.value.kind = syntax::ExprKind::kName;
  set.value.name = context->ON() != nullptr ? "ON" : "ALL";
  set.value.span = text_->SpanOf(*context->getStop());
  return set;
}

syntax::ResetOption CommandBuilder::Build(SipparParser::ResetOptionContext* context) {
  if (context->name() == nullptr) return {};  // RESET ALL
  return {expressions_->Name(context->name())};
}

syntax::Compact CommandBuilder::Build(SipparParser::CompactContext* context) {
  syntax::Compact compact;
  compact.table = expressions_->Name(context->tableName());
  if (context->groupName() != nullptr) {
    compact.group = expressions_->NameOrString(context->groupName());
  }
  auto* kind = context->MAJOR() != nullptr ? context->MAJOR() : context->MINOR();
  if (kind != nullptr) {
    compact.kind = expressions_->Name(*kind->getSymbol());
    compact.kind.text = Upper(compact.kind.text);
  }
  compact.where = clauses_->Clause(context->where());
  return compact;
}

syntax::MoveTablet CommandBuilder::Build(SipparParser::MoveTabletContext* context) {
  return {expressions_->Name(context->tableName()), expressions_->Build(context->expression(0)),
          expressions_->Build(context->expression(1))};
}

syntax::Balance CommandBuilder::Build(SipparParser::BalanceContext* context) {
  syntax::Balance balance;
  auto* mode = context->balanceMode();
  if (mode == nullptr) return balance;
  balance.mode.text = mode->ON() != nullptr ? "ON" : Upper(expressions_->Name(mode->name()).text);
  balance.mode.span = text_->SpanOf(*mode->getStart());
  return balance;
}

// Builds a statement that the language knows but does not support. The error that refuses the
// statement uses its name, and the printer uses its words.
syntax::Other CommandBuilder::Build(SipparParser::OtherContext* context) {
  syntax::Other other;
  // Collects tokens instead of the text between them, so that comments and blanks are dropped.
  size_t last = context->getStop()->getTokenIndex();
  for (size_t i = context->getStart()->getTokenIndex(); i <= last; ++i) {
    const antlr4::Token& token = *text_->tokens()->get(i);
    if (token.getChannel() != antlr4::Token::DEFAULT_CHANNEL) continue;
    other.words.emplace_back(text_->TextOf(token));
  }
  other.name = Upper(other.words.front());
  other.words.front() = other.name;
  return other;
}

}  // namespace sippar::query
