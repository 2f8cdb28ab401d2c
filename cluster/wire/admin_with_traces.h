// Forwards administrators' calls. To the answer of a Traces call it adds the traces of this
// process: the cluster collects traces only from its tablet servers, but a gateway or a master
// serves calls, too. Thread safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <utility>
#include <variant>

#include "cluster/api/admin_api.h"
#include "cluster/api/call_traces.h"

namespace sippar::cluster {

class AdminWithTraces final : public AdminApi {
 public:
  explicit AdminWithTraces(std::shared_ptr<AdminApi> admin) : admin_(std::move(admin)) {}

  void Carry(const AnyCall& call, const CallOptions& options) override {
    admin_->Carry(call, options);
    const auto* asked = std::get_if<Pending<calls::Traces>>(&call);
    if (asked == nullptr || !asked->answer.ok()) return;
    MergeTraces(CallTraces::OfProcess()->List(asked->call.table), &*asked->answer);
    SortTraces(&*asked->answer);
  }

 private:
  const std::shared_ptr<AdminApi> admin_;
};

}  // namespace sippar::cluster
