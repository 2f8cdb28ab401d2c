// The store a command works on, opened when the first statement needs it, and made only when that
// statement makes a table: any other in an empty directory leaves it empty.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "cluster/node/open_client.h"
#include "query/query.h"
#include "query/session/file_access.h"

namespace sippar::cli {

class Store {
 public:
  Store(std::string target, cluster::Patience patience);
  ~Store();

  // Opens if not open yet. `create`: also when there is nothing.
  [[nodiscard]] Status Open(bool create);
  // Null until Open succeeded.
  query::Session* session() { return session_.get(); }
  [[nodiscard]] Status Close();
  const std::string& target() const { return target_; }

 private:
  std::string target_;
  cluster::Patience patience_;
  std::unique_ptr<query::FileAccess> files_;
  std::unique_ptr<cluster::Client> client_;
  std::unique_ptr<query::Session> session_;
};

// Does this statement make a store where there is none? Others that write need a table, which an
// absent store has not: they say so, and leave no directory.
bool MakesStore(const query::syntax::Statement& statement);

}  // namespace sippar::cli
