// Prepared queries in plain C++ types: what PrepareQuery and ExecuteQuery of the Cloud Bigtable API
// need from a query language. query/api implements it; the program passes it to the API server, so
// that cluster/ does not depend on query/. QueryApi is thread safe.
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
  engine::DataType type;  // complete type, with the types of its parts
};

struct PreparedQuery {
  std::string id;  // encoding of the whole query, which any server can run
  std::vector<QueryColumn> columns;
  int64_t valid_until_us = 0;
};

// The request of one execution of a prepared query.
struct QueryCall {
  std::string table_prefix;  // the prefix that the query was prepared with
  std::string prepared;      // id of the PreparedQuery
  std::map<std::string, engine::Value> params;
  std::string resume_token;  // position at which the execution continues; "": the start
  CancelFlag cancel;
};

// Receives the rows of an execution. The remote reader may use rows only after a resume token has
// followed them, because an execution that continues repeats all rows after its token.
class QueryRows {
 public:
  virtual ~QueryRows() = default;
  // Adds a row. Its first values belong to the columns; the values after these are ignored.
  virtual Status Put(const engine::Row& row) = 0;
  // Returns true if the gathered rows should be sent now: there are enough of them, or they have
  // waited long enough.
  virtual bool IsDue() = 0;
  // Sends the gathered rows. `resume_token` "": no execution can continue after these rows.
  // kCancelled: the reader is gone.
  virtual Status Send(const std::string& resume_token) = 0;
};

class QueryRun {
 public:
  virtual ~QueryRun() = default;
  virtual const std::vector<QueryColumn>& columns() const = 0;
  // Runs the query; to be called once. The last rows are sent with a token.
  [[nodiscard]] virtual Status Run(QueryRows* rows) = 0;
};

class QueryApi {
 public:
  virtual ~QueryApi() = default;
  // The query sees only the tables whose names in the store start with `table_prefix`, and names
  // them without it. kInvalidArgument, kNotFound and kUnimplemented name the place in the text.
  [[nodiscard]] virtual StatusOr<PreparedQuery> Prepare(
      const std::string& table_prefix, const std::string& text,
      const std::map<std::string, engine::DataType>& params) = 0;
  // QueryExpired: the query has expired and must be prepared again.
  [[nodiscard]] virtual StatusOr<std::unique_ptr<QueryRun>> Open(const QueryCall& call) = 0;
};

}  // namespace sippar::cluster
