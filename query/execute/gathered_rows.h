// Collects the rows of consecutive INSERT statements, which are sent in one call and share one sync
// of the log. While SessionState::gathered points to an object of this class, a RowWriter passes
// its rows to that object instead of sending them. Not thread safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "cluster/client/client.h"
#include "engine/model/mutation.h"
#include "query/syntax/ast.h"

namespace sippar::query {

// True if the statement is an INSERT whose rows do not depend on the contents of a table, so that
// they can be sent together with the rows of later statements. The function also returns false for
// some INSERTs of this kind, because only a longer analysis could recognize them.
bool IsPlainInsert(const syntax::Statement& statement);

class GatheredRows {
 public:
  // `client` outlives the object. When `cancel` becomes true, the call that sends rows ends, and
  // the statements of these rows fail with kCancelled.
  GatheredRows(cluster::Client* client, cluster::CancelFlag cancel)
      : client_(client), cancel_(std::move(cancel)) {}
  GatheredRows(const GatheredRows&) = delete;
  GatheredRows& operator=(const GatheredRows&) = delete;

  // Begins the statement with this number: the rows that follow belong to it. Numbers increase.
  void Begin(size_t number) { statement_ = number; }
  // Takes rows of the current statement, and may first send the rows of earlier statements.
  // kAborted if one of the earlier statements failed: the current one must not be executed.
  [[nodiscard]] Status Take(const std::string& table, std::vector<engine::RowMutation> rows);
  // Sends all rows. Returns the error of each statement that failed.
  std::map<size_t, Status> Finish();

 private:
  // True if `rows` must not be sent in one call with the rows held so far: the table differs, the
  // call would be too large, or the same row is in `rows` and among the held rows. Two changes of
  // one row need different times, and so different calls.
  bool MustWait(const std::string& table, const std::vector<engine::RowMutation>& rows) const;
  void Send();

  cluster::Client* const client_;
  const cluster::CancelFlag cancel_;
  size_t statement_ = 0;
  std::string table_;                      // table of the rows held
  std::vector<engine::RowMutation> rows_;  // rows held, not yet sent
  std::vector<size_t> statements_;         // number of the statement of each row in rows_
  std::unordered_set<std::string> keys_;   // keys of the rows in rows_
  size_t bytes_ = 0;                       // size of rows_
  std::map<size_t, Status> failed_;        // first error of each statement
};

}  // namespace sippar::query
