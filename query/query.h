// The entry point of the query language: a Session executes statements through a cluster::Client. A
// statement is parsed, analyzed, planned and executed (query/README.md). One thread uses a Session;
// only Cancel, ClearCancel and progress may be called from any thread. A failed Status carries a
// QueryError, or QueryErrorOf makes one of it (session/query_error.h).
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

class StatementReporter;

struct SessionOptions {
  // Opens the files of IMPORT and EXPORT; null: both statements are refused.
  FileAccess* files = nullptr;
  // The flag that ends the running statement, if the owner of the session has one; null: the
  // session makes its own.
  cluster::CancelFlag cancel;
  int64_t timeout_us = 0;  // longest run of a statement; 0: no limit
  // Reports the statements of several sessions of one client (session/statement_reporter.h), which
  // outlives them; null: the session makes its own, and with it a thread.
  StatementReporter* reporter = nullptr;
};

class Session {
 public:
  // `client` outlives the session.
  [[nodiscard]] static std::unique_ptr<Session> New(cluster::Client* client,
                                                    const SessionOptions& options);
  virtual ~Session() = default;

  // Executes the one statement in `text` and passes its rows to `sink`. Spans of errors count from
  // the start of `text`.
  [[nodiscard]] virtual StatusOr<ResultSummary> Execute(std::string_view text,
                                                        ResultSink* sink) = 0;
  // Executes a statement that was parsed from `text`. A result column without an alias is named by
  // the part of `text` from which it was parsed.
  [[nodiscard]] virtual StatusOr<ResultSummary> Execute(const syntax::Statement& statement,
                                                        std::string_view text,
                                                        ResultSink* sink) = 0;

  // A statement and the text that it was parsed from.
  struct Parsed {
    const syntax::Statement* statement = nullptr;
    std::string_view text;
  };
  // Executes INSERT statements for which IsPlainInsert (execute/gathered_rows.h) holds, in order.
  // Their rows are sent together, so that they share a sync of the log. Returns the results in
  // order. Results after the first error may be missing, since no statement is begun after an error
  // is known. The server can refuse a row only after the rows were sent, and rows of later
  // statements may then have been written.
  [[nodiscard]] virtual std::vector<StatusOr<ResultSummary>> ExecuteTogether(
      const std::vector<Parsed>& inserts) = 0;

  // Sets or removes the value that @name has in later statements.
  virtual void SetParameter(const std::string& name, Value value) = 0;
  virtual void RemoveParameter(const std::string& name) = 0;
  virtual const std::map<std::string, Value>& parameters() const = 0;

  // Ends the running statement, or the next one if none runs, with CANCELLED within 200 ms. It only
  // stores to an atomic, so a signal handler may call it.
  virtual void Cancel() = 0;
  // Forgets a Cancel that came while no statement ran.
  virtual void ClearCancel() = 0;
  // The progress of the running statement.
  virtual Progress progress() const = 0;

  // Table and row of the open row transaction, for the prompt: "web 'com.cnn.www'"; "" if none is
  // open.
  virtual std::string transaction() const = 0;
  // Names for completion in the shell; empty if the cluster cannot answer.
  virtual std::vector<std::string> TableNames() = 0;
  virtual std::vector<std::string> FamilyNames(const std::string& table) = 0;
  // The ids of the statements that SHOW QUERIES lists.
  virtual std::vector<std::string> StatementIds() = 0;
};

}  // namespace sippar::query
