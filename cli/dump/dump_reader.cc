// SPDX-License-Identifier: Apache-2.0
#include "cli/dump/dump_reader.h"

#include <absl/strings/escaping.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>

#include "query/execute/transaction.h"

namespace sippar::cli {
namespace {

bool IsFolder(const std::string& path) {
  struct stat info = {};
  return ::stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
}

}  // namespace

DumpReader::DumpReader(query::FileAccess* files, const std::string& path)
    : files_(files), path_(path) {
  if (path == "-" || !IsFolder(path)) return;
  folder_ = path.ends_with('/') ? path : path + "/";
  path_ = folder_ + std::string(kSchemaFile);
}

Status DumpReader::Read(DumpVisitor* visitor) {
  auto file = files_->OpenInput(path_);
  if (!file.ok() && !folder_.empty() && file.status().code() == StatusCode::kNotFound) {
    return NotFound(fmt::format("{}: the folder has no {}, so it is not a complete dump", folder_,
                                kSchemaFile));
  }
  RETURN_IF_ERROR(file.status());
  input_ = std::make_unique<query::ByteInput>(*std::move(file));
  RETURN_IF_ERROR(ReadHead());
  RETURN_IF_ERROR(ReadText(visitor));
  if (done_) return OkStatus();
  return Damaged(fmt::format("it is cut short: its last line is not \\done ({})",
                             last_.empty() ? "no table is complete"
                                           : fmt::format("the last complete table is {}", last_)));
}

Status DumpReader::ReadHead() {
  std::string line;
  ASSIGN_OR_RETURN(bool more, input_->Line(&line));
  if (more && line.starts_with(kDumpHead)) {
    id_ = line.substr(kDumpHead.size());
    return OkStatus();
  }
  if (!more) return Damaged("it is cut short: it is empty");
  constexpr std::string_view kAnyHead = "-- sippar dump ";
  if (line.starts_with(kAnyHead)) {
    return FailedPrecondition(
        fmt::format("{}: a dump of format {}; this program knows up to 1; use a newer sippar",
                    path_, line.substr(kAnyHead.size(), 1)));
  }
  return InvalidArgument(fmt::format(
      "{}: it is not a dump: its first line is not `{}...`; `sippar import` reads other "
      "files",
      path_, kDumpHead));
}

Status DumpReader::ReadText(DumpVisitor* visitor) {
  std::string line;
  for (;;) {
    ASSIGN_OR_RETURN(bool more, input_->Line(&line));
    if (!more) return OkStatus();
    if (done_) return Damaged("lines follow after \\done; is it two dumps in one file?");
    Directive directive;
    bool comment = table_.create.empty() && (line.empty() || line.starts_with("--"));
    if (ParseDirective(line, &directive)) {
      RETURN_IF_ERROR(Follow(directive, visitor));
    } else if (!comment) {
      table_.create += line + "\n";
    }
  }
}

Status DumpReader::Follow(const Directive& directive, DumpVisitor* visitor) {
  const std::vector<std::string>& words = directive.arguments;
  if (directive.word == "done") {
    std::optional<uint64_t> tables = TablesOfDone(directive);
    if (!tables.has_value()) return Damaged("the line \\done is damaged");
    done_ = *tables == tables_;
    if (done_) return OkStatus();
    return Damaged(fmt::format("{} of its {} tables are in it", tables_, *tables));
  }
  if (directive.word == "option" && words.size() == 3) {
    std::string value;
    if (!absl::Base64Unescape(words[2], &value)) return Damaged("the line \\option is damaged");
    table_.options[words[1]] = value;
    return OkStatus();
  }
  if (words.empty()) return Damaged(fmt::format("the line \\{} is damaged", directive.word));
  RETURN_IF_ERROR(BeginTable(directive, visitor));
  if (directive.word == "cells") return ReadCells(input_.get(), /*to_end=*/false, visitor);
  if (directive.word == "file" && words.size() == 2) return ReadCellsFile(words[1], visitor);
  if (directive.word == "end") return End(directive, visitor);
  return Damaged(fmt::format("unknown line \\{}", directive.word));
}

Status DumpReader::BeginTable(const Directive& directive, DumpVisitor* visitor) {
  if (begun_) return OkStatus();
  table_.name = directive.arguments[0];
  if (table_.create.empty()) {
    return Damaged(fmt::format("CREATE TABLE of table {} is missing", table_.name));
  }
  begun_ = true;
  return visitor->Table(table_);
}

// In a dump of one file, the line \end ends the cells (`to_end` is false). In a folder, the cells
// end where their file ends.
Status DumpReader::ReadCells(query::ByteInput* input, bool to_end, DumpVisitor* visitor) {
  std::string line;
  Directive directive;
  for (;;) {
    ASSIGN_OR_RETURN(bool more, input->Line(&line));
    if (!more) return OkStatus();
    if (!to_end && ParseDirective(line, &directive)) {
      return directive.word == "end" ? End(directive, visitor)
                                     : Damaged("the line \\end is missing");
    }
    sum_.Add(line);
    RETURN_IF_ERROR(visitor->Line(line));
  }
}

Status DumpReader::ReadCellsFile(const std::string& name, DumpVisitor* visitor) {
  // A crafted dump must not make the reader open other files of this machine.
  if (name.find('/') != std::string::npos || name.starts_with('.')) {
    return Damaged(fmt::format("file {}: it is not in the folder of the dump", name));
  }
  ASSIGN_OR_RETURN(auto file, files_->OpenInput(folder_ + name));
  query::ByteInput cells(std::move(file), query::ByteInput::Start::kBytes);
  return ReadCells(&cells, /*to_end=*/true, visitor);
}

Status DumpReader::End(const Directive& end, DumpVisitor* visitor) {
  std::optional<CellSum> expected = SumOfEnd(end);
  if (!expected.has_value() || end.arguments[0] != table_.name) {
    return Damaged("the line \\end is damaged");
  }
  if (*expected != sum_) {
    std::string place = folder_.empty() ? path_ : folder_;
    return DataLoss(
        sum_.cells != expected->cells
            ? fmt::format("{}: table {} has {}, and {} were dumped", place, table_.name,
                          query::Plural(sum_.cells, "cell"), expected->cells)
            : fmt::format(
                  "{}: the cells of table {} are damaged: their checksum is not that of the "
                  "cells that were dumped",
                  place, table_.name));
  }
  all_.Add(sum_);
  ++tables_;
  last_ = table_.name;
  RETURN_IF_ERROR(visitor->EndTable(table_, sum_));
  table_ = {};
  begun_ = false;
  sum_ = {};
  return OkStatus();
}

Status DumpReader::Damaged(std::string_view what) const {
  return DataLoss(fmt::format("{}:{}: {}", path_, std::max<uint64_t>(input_->line(), 2) - 1, what));
}

}  // namespace sippar::cli
