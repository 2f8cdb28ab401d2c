// Prepared queries in plain C++ types: what the data service of the Cloud Bigtable API asks of a
// query language. Implemented in query/api, handed to the server by who starts it. Thread safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cluster/api/data_api.h"
#include "engine/program/data_type.h"

namespace sippar::cluster {

struct QueryColumn {
  std::string name;
  engine::DataType type;  // known, with all its parts
};

struct PreparedQuery {
  std::string id;  // all that any server needs to run it
  std::vector<QueryColumn> columns;
  int64_t valid_until_us = 0;
};

// One execution of a prepared query.
struct QueryCall {
  std::string table_prefix;  // as it was prepared
  std::string prepared;      // PreparedQuery::id
  std::map<std::string, engine::Value> params;
  std::string resume_token;  // of the execution to go on with; "": from the start
  CancelFlag cancel;
};

// Takes the rows of an execution. Rows count for the caller's side only once a token follows them.
class QueryRows {
 public:
  virtual ~QueryRows() = default;
  // Its first values are the columns'.
  virtual Status Put(const engine::Row& row) = 0;
  // Enough has gathered, or waited long enough, to be sent.
  virtual bool IsDue() = 0;
  // Sends what has gathered. `resume_token` "": an execution cannot go on behind these rows.
  // kCancelled: the reader is gone.
  virtual Status Send(const std::string& resume_token) = 0;
};

class QueryRun {
 public:
  virtual ~QueryRun() = default;
  virtual const std::vector<QueryColumn>& columns() const = 0;
  // Once. The last rows are sent with a token.
  [[nodiscard]] virtual Status Run(QueryRows* rows) = 0;
};

class QueryApi {
 public:
  virtual ~QueryApi() = default;
  // `table_prefix` stands before the names of tables in the store; the query reaches no others.
  // kInvalidArgument, kNotFound, kUnimplemented say where in the text.
  [[nodiscard]] virtual StatusOr<PreparedQuery> Prepare(
      const std::string& table_prefix, const std::string& text,
      const std::map<std::string, engine::DataType>& params) = 0;
  // kFailedPrecondition: it has expired, prepare it again.
  [[nodiscard]] virtual StatusOr<std::unique_ptr<QueryRun>> Open(const QueryCall& call) = 0;
};

}  // namespace sippar::cluster
