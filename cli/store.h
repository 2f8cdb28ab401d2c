// Store: the store that a command uses. It is opened at the latest when the first statement needs
// it, and created only if that statement creates a table; any other statement leaves an empty
// directory empty. Not thread safe.
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

  // Opens the store if it is not open. `create`: creates it if it does not exist.
  [[nodiscard]] Status Open(bool create);
  // Null until Open has succeeded.
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

// True if this statement creates a missing store. Other statements that write need a table, which a
// missing store does not have; they fail and leave no directory.
bool MakesStore(const query::syntax::Statement& statement);

}  // namespace sippar::cli
