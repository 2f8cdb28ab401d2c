// Answers: the services of the query language that the mount needs. The tree calls this interface
// and cli implements it (cli/mount_answers.h), because fuse does not link the language. All calls
// are thread safe. Errors: kInvalidArgument with the reason (a test or a statement is not valid),
// kNotFound (no such saved query), kInternal (the saved queries cannot be read), and the errors of
// the client.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/api/call_options.h"
#include "engine/base/status.h"
#include "engine/model/row_set.h"

namespace sippar::fuse {

// A question for the rows of `range` for which every test is true.
struct RowQuestion {
  std::string table;
  std::optional<int64_t> as_of;
  engine::RowRange range;
  std::vector<std::string> tests;  // conditions as in WHERE of the query language
  // Greatest number of rows in the answer, which begins with the first row; 0: no limit.
  uint64_t rows_max = 0;
};

// Receives a part of a text. Returns false when it needs no more.
using ByteSink = std::function<bool(std::string_view)>;

class Answers {
 public:
  virtual ~Answers() = default;
  // Returns OK if the last test of the question is valid for the table. Reads no rows.
  [[nodiscard]] virtual Status Check(const RowQuestion& question,
                                     const cluster::CallOptions& call) = 0;
  // Returns the keys of the rows, in order.
  [[nodiscard]] virtual StatusOr<std::vector<std::string>> Keys(
      const RowQuestion& question, const cluster::CallOptions& call) = 0;
  [[nodiscard]] virtual StatusOr<uint64_t> Count(const RowQuestion& question,
                                                 const cluster::CallOptions& call) = 0;
  // Writes whole rows with their newest versions, in a format of the language: csv, json, jsonl or
  // tsv.
  [[nodiscard]] virtual Status Print(const RowQuestion& question, std::string_view format,
                                     const cluster::CallOptions& call, const ByteSink& sink) = 0;

  // SavedNames returns the sorted names of the saved queries, SavedText the text of one of them.
  [[nodiscard]] virtual StatusOr<std::vector<std::string>> SavedNames() = 0;
  [[nodiscard]] virtual StatusOr<std::string> SavedText(std::string_view name) = 0;
  // Writes the result of a statement. Statements that write are rejected. The caller adds the name
  // of the saved query to an error.
  [[nodiscard]] virtual Status PrintStatement(std::string_view statement, std::string_view format,
                                              const cluster::CallOptions& call,
                                              const ByteSink& sink) = 0;
};

}  // namespace sippar::fuse
