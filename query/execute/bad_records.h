// The records that IMPORT could not import. They are shown in the result and, with ON_ERROR =
// FILE('f'), written to a file.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "query/format/format.h"
#include "query/session/file_access.h"

namespace sippar::query {

class BadRecords {
 public:
  // Opens the file, which gets the columns line, reason and record. The file's name decides between
  // csv, tsv and jsonl; the default is csv. The file appears at Close. If Open is not called, no
  // file is written.
  [[nodiscard]] Status Open(FileAccess* files, const std::string& path);
  [[nodiscard]] Status Add(uint64_t line, const Status& reason, std::string record);
  [[nodiscard]] Status Close();

  uint64_t count() const { return count_; }
  // Returns "3 skipped (lines 4, 5, …)", and after it ", written to bad.csv" if there is a file.
  std::string Summary() const;
  // The first bad records with their reasons: "people.csv:4: 1 field where 2 are expected".
  std::vector<std::string> Reasons(const std::string& path) const;

 private:
  static constexpr size_t kShown = 10;
  struct First {
    uint64_t line;
    std::string reason;
  };
  std::string path_;
  std::unique_ptr<OutputFile> file_;
  std::unique_ptr<ResultFormatter> formatter_;
  std::vector<First> first_;
  uint64_t count_ = 0;
};

}  // namespace sippar::query
