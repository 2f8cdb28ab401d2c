// The one door of the query language: a Session executes statements on a client. Life of a query:
// parse -> analyze -> plan -> execute (query/README.md). A Session belongs to one thread; Cancel
// and progress may be called from any. Errors carry a QueryError (session/query_error.h).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/client/client.h"
#include "engine/base/status.h"
#include "query/session/file_access.h"
#include "query/session/result.h"
#include "query/syntax/ast.h"

namespace sippar::query {

struct SessionOptions {
  FileAccess* files = nullptr;  // for IMPORT and EXPORT; null: they are refused
};

class Session {
 public:
  // `client` outlives the session.
  [[nodiscard]] static std::unique_ptr<Session> New(cluster::Client* client,
                                                    const SessionOptions& options);
  virtual ~Session() = default;

  // One statement. Rows go to `sink`. Spans of errors count from the start of `text`.
  [[nodiscard]] virtual StatusOr<ResultSummary> Execute(std::string_view text,
                                                        ResultSink* sink) = 0;
  // A statement that was parsed from `text` (which gives result columns their names).
  [[nodiscard]] virtual StatusOr<ResultSummary> Execute(const syntax::Statement& statement,
                                                        std::string_view text,
                                                        ResultSink* sink) = 0;

  // Values of @name in later statements.
  virtual void SetParameter(const std::string& name, Value value) = 0;
  virtual void RemoveParameter(const std::string& name) = 0;
  virtual const std::map<std::string, Value>& parameters() const = 0;

  // Ends the statement that runs now, or else the next one, with CANCELLED, soon. Only stores to an
  // atomic: may be called from a signal handler.
  virtual void Cancel() = 0;
  virtual void ClearCancel() = 0;         // forgets a Cancel that came when nothing ran
  virtual Progress progress() const = 0;  // of the statement that runs now; thread safe

  // The open row transaction, for the prompt: "web 'com.cnn.www'"; "" when there is none.
  virtual std::string transaction() const = 0;
  // For completion; empty when the store cannot answer.
  virtual std::vector<std::string> TableNames() = 0;
  virtual std::vector<std::string> FamilyNames(const std::string& table) = 0;
};

}  // namespace sippar::query
