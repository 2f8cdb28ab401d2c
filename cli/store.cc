// SPDX-License-Identifier: Apache-2.0
#include "cli/store.h"

#include "cli/local_files.h"
#include "cli/message.h"
#include "cluster/node/store_kind.h"

namespace sippar::cli {

Store::Store(std::string target, cluster::Patience patience)
    : target_(std::move(target)), patience_(std::move(patience)), files_(NewLocalFiles()) {}

Store::~Store() { (void)Close(); }

Status Store::Open(bool create) {
  if (session_ != nullptr) return OkStatus();
  cluster::ClientOptions options;
  options.create_if_missing = create;
  WarnOfCachingMount(target_);
  ASSIGN_OR_RETURN(client_, cluster::OpenClient(target_, options, patience_));
  query::SessionOptions session_options;
  session_options.files = files_.get();
  session_ = query::Session::New(client_.get(), session_options);
  return OkStatus();
}

Status Store::Close() {
  // The session uses the client, so the session is destroyed first.
  session_.reset();
  if (client_ == nullptr) return OkStatus();
  Status status = client_->Close();
  client_.reset();
  return status;
}

void WarnOfCachingMount(const std::string& target) {
  const std::string warning = cluster::CachingMountWarning(target);
  if (!warning.empty()) PrintMessage(warning);
}

bool MakesStore(const query::syntax::Statement& statement) {
  // All other statements that write need a table, which a missing store does not have.
  return std::holds_alternative<query::syntax::CreateTable>(statement.node);
}

}  // namespace sippar::cli
