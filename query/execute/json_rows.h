// Reads records of jsonl: one object on each line. Numbers, booleans and nested values keep the
// text that they have in the file (Exact). {"$base64": "AP8="} stands for bytes, as
// query/format/json_value.h writes them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "query/execute/input_rows.h"

namespace sippar::query {

class JsonRows final : public InputRows {
 public:
  // `base64`: every text of a value is in base64 (jsonl-b64).
  JsonRows(std::unique_ptr<InputFile> file, std::vector<std::string> wanted, bool base64)
      : InputRows(std::move(file), false), base64_(base64) {
    columns_ = std::move(wanted);
  }
  Status Start() override;
  std::string_view Exact(size_t column) const override {
    return column < exact_.size() ? std::string_view(exact_[column]) : std::string_view();
  }

 protected:
  StatusOr<bool> Record(Row* row) override;

 private:
  struct Member {
    std::string name;
    std::string text;  // the value as written in the file
  };
  // Reads the members of the next line that is not blank. False at the end of the file.
  [[nodiscard]] StatusOr<bool> Members(std::vector<Member>* members);
  // Puts the members into the order of columns_; a missing one is NULL.
  [[nodiscard]] Status ToRow(const std::vector<Member>& members, Row* row);

  bool base64_;
  std::vector<std::string> exact_;  // texts that Exact returns, one for each column
};

}  // namespace sippar::query
