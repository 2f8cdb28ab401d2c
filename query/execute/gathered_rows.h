// The rows of neighbouring INSERT statements, which are sent in one call and share a sync of the
// log. While SessionState::gathered points to an object of this class, a RowWriter gives its rows
// to it instead of sending them. Not thread safe. SPDX-License-Identifier: Apache-2.0
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

// True if the statement is an INSERT whose rows do not depend on what a table holds, so that they
// may wait for those of the statements after it. False also for some that are hard to see.
bool IsPlainInsert(const syntax::Statement& statement);

class GatheredRows {
 public:
  // `client` outlives the object. When `cancel` becomes true, the call that sends rows ends, and
  // the statements of these rows fail with kCancelled.
  GatheredRows(cluster::Client* client, cluster::CancelFlag cancel)
      : client_(client), cancel_(std::move(cancel)) {}
  GatheredRows(const GatheredRows&) = delete;
  GatheredRows& operator=(const GatheredRows&) = delete;

  // The rows that come from now on are those of the statement `number`. Numbers rise.
  void Begin(size_t number) { statement_ = number; }
  // Takes the rows of a statement; may send those of the statements before it. kAborted if one of
  // these failed: the current statement must not be executed.
  [[nodiscard]] Status Take(const std::string& table, std::vector<engine::RowMutation> rows);
  // Sends all rows. Returns the error of each statement that failed.
  std::map<size_t, Status> Finish();

 private:
  // True if `rows` must not be sent in one call with the rows that are held. Two changes of one row
  // must not: each shall get a time of its own.
  bool MustWait(const std::string& table, const std::vector<engine::RowMutation>& rows) const;
  void Send();

  cluster::Client* const client_;
  const cluster::CancelFlag cancel_;
  size_t statement_ = 0;
  std::string table_;                      // of the rows that are held
  std::vector<engine::RowMutation> rows_;  // held
  std::vector<size_t> statements_;         // of each of rows_
  std::unordered_set<std::string> keys_;   // of rows_
  size_t bytes_ = 0;                       // of rows_
  std::map<size_t, Status> failed_;        // the first error of each statement
};

}  // namespace sippar::query
