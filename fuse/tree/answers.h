// Answers: what the query language does for the mount. The tree asks through this interface and
// cli implements it (cli/mount_answers.h), because fuse does not link the language. All calls are
// thread safe. Errors: kInvalidArgument with the reason (a test or a statement that is not valid),
// and those of the client. SPDX-License-Identifier: Apache-2.0
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

// The rows of `range` for which every test is true.
struct RowQuestion {
  std::string table;
  std::optional<int64_t> as_of;
  engine::RowRange range;
  std::vector<std::string> tests;  // as in WHERE of the language
  uint64_t rows_max = 0;           // the first rows only; 0: all
};

// Takes a part of a text. Returns false when it needs no more.
using ByteSink = std::function<bool(std::string_view)>;

class Answers {
 public:
  virtual ~Answers() = default;
  // OK if the last test is valid for the table. Reads no rows.
  [[nodiscard]] virtual Status Check(const RowQuestion& question,
                                     const cluster::CallOptions& call) = 0;
  // The keys of the rows, in order.
  [[nodiscard]] virtual StatusOr<std::vector<std::string>> Keys(
      const RowQuestion& question, const cluster::CallOptions& call) = 0;
  [[nodiscard]] virtual StatusOr<uint64_t> Count(const RowQuestion& question,
                                                 const cluster::CallOptions& call) = 0;
  // Writes whole rows, newest versions, in a format of the language: csv, json, jsonl or tsv.
  [[nodiscard]] virtual Status Print(const RowQuestion& question, std::string_view format,
                                     const cluster::CallOptions& call, const ByteSink& sink) = 0;

  // Names of the saved queries, sorted; their texts.
  [[nodiscard]] virtual StatusOr<std::vector<std::string>> SavedNames() = 0;
  [[nodiscard]] virtual StatusOr<std::string> SavedText(std::string_view name) = 0;
  // Writes the result of a statement, which may only read.
  [[nodiscard]] virtual Status PrintStatement(std::string_view statement, std::string_view format,
                                              const cluster::CallOptions& call,
                                              const ByteSink& sink) = 0;
};

}  // namespace sippar::fuse
