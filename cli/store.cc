// Opening the store of a command, see store.h. SPDX-License-Identifier: Apache-2.0
#include "cli/store.h"

#include "cli/local_files.h"

namespace sippar::cli {

Store::Store(std::string target) : target_(std::move(target)), files_(NewLocalFiles()) {}

Store::~Store() { (void)Close(); }

Status Store::Open(bool create) {
  if (session_ != nullptr) return OkStatus();
  cluster::ClientOptions options;
  options.create_if_missing = create;
  ASSIGN_OR_RETURN(client_, cluster::Client::Open(target_, options));
  query::SessionOptions session_options;
  session_options.files = files_.get();
  session_ = query::Session::New(client_.get(), session_options);
  return OkStatus();
}

Status Store::Close() {
  session_.reset();
  if (client_ == nullptr) return OkStatus();
  Status status = client_->Close();
  client_.reset();
  return status;
}

bool WritesStore(const query::syntax::Statement& statement) {
  namespace syntax = query::syntax;
  return std::holds_alternative<syntax::CreateTable>(statement.node) ||
         std::holds_alternative<syntax::Insert>(statement.node) ||
         std::holds_alternative<syntax::Update>(statement.node) ||
         std::holds_alternative<syntax::Increment>(statement.node) ||
         std::holds_alternative<syntax::Append>(statement.node) ||
         std::holds_alternative<syntax::Atomic>(statement.node) ||
         std::holds_alternative<syntax::Import>(statement.node);
}

}  // namespace sippar::cli
