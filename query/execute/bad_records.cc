// SPDX-License-Identifier: Apache-2.0
#include "query/execute/bad_records.h"

#include <fmt/format.h>

#include <algorithm>

#include "query/session/query_error.h"

namespace sippar::query {

using engine::Row;
using engine::Value;

Status BadRecords::Open(FileAccess* files, const std::string& path) {
  path_ = path;
  std::string format = "csv";
  for (std::string_view packed : {".zst", ".gz"}) {
    std::string_view plain = path;
    if (plain.ends_with(packed)) plain.remove_suffix(packed.size());
    for (std::string_view known : {"tsv", "jsonl"}) {
      if (plain.ends_with(known)) format = known;
    }
  }
  ASSIGN_OR_RETURN(formatter_, NewFormatter(format, {}));
  ASSIGN_OR_RETURN(file_, files->OpenOutput(path));
  std::string head;
  RETURN_IF_ERROR(formatter_->Begin({"line", "reason", "record"}, &head));
  return file_->Write(head);
}

Status BadRecords::Add(uint64_t line, const Status& reason, std::string record) {
  ++count_;
  std::string message = QueryErrorOf(reason).message;
  if (first_.size() < kShown) first_.push_back({line, message});
  if (file_ == nullptr) return OkStatus();
  std::string text;
  formatter_->Add({Value::Int64(static_cast<int64_t>(line)), Value::Text(std::move(message)),
                   Value::Text(std::move(record))},
                  &text);
  return file_->Write(text);
}

Status BadRecords::Close() {
  if (file_ == nullptr) return OkStatus();
  std::string foot;
  formatter_->End({}, &foot);
  RETURN_IF_ERROR(file_->Write(foot));
  return file_->Close();
}

std::string BadRecords::Summary() const {
  std::string lines;
  for (const First& bad : first_) lines += fmt::format("{}{}", lines.empty() ? "" : ", ", bad.line);
  if (count_ > first_.size()) lines += ", …";
  std::string text = fmt::format("{} skipped (lines {})", count_, lines);
  return file_ == nullptr ? text : fmt::format("{}, written to {}", text, path_);
}

std::vector<std::string> BadRecords::Reasons(const std::string& path) const {
  std::vector<std::string> reasons;
  for (const First& bad : first_) {
    reasons.push_back(fmt::format("{}:{}: {}", path, bad.line, bad.reason));
  }
  if (count_ > first_.size()) {
    reasons.push_back(fmt::format("… and {} more records", count_ - first_.size()));
  }
  return reasons;
}

}  // namespace sippar::query
