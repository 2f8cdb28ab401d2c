// SPDX-License-Identifier: Apache-2.0
#include "cluster/wire/store_connection.h"

#include <fmt/format.h>
#include <grpc/support/time.h>

namespace sippar::cluster {

void SetTimeout(grpc::ClientContext* context, int64_t timeout_us) {
  if (timeout_us <= 0) return;
  context->set_deadline(
      gpr_time_add(gpr_now(GPR_CLOCK_MONOTONIC), gpr_time_from_micros(timeout_us, GPR_TIMESPAN)));
}

Status StoreConnection::Failed(const grpc::Status& status, Effect effect) {
  std::string outcome =
      effect == Effect::kUnknown ? "; whether the change was made is not known" : "";
  switch (status.error_code()) {
    case grpc::StatusCode::UNAVAILABLE:
    case grpc::StatusCode::UNKNOWN:    // the connection broke between the parts of a reply
    case grpc::StatusCode::CANCELLED:  // the server is stopping, or was killed
      is_lost_ = true;
      if (status.error_details() == kNotBegun) {
        Status refused = Unavailable(target_ + ": the server leaves the store; nothing was done");
        MarkFailure(kNotBegun, &refused);
        return refused;
      }
      return Unavailable(
          fmt::format("{}: the server is gone ({}){}", target_, status.error_message(), outcome));
    // A late server is not a lost one: the connection stays in use.
    case grpc::StatusCode::DEADLINE_EXCEEDED:
      return DeadlineExceeded(fmt::format("{}: no answer in time{}", target_, outcome));
    case grpc::StatusCode::UNIMPLEMENTED:
      return Unimplemented(fmt::format("{}: no server of this program, or an older one ({})",
                                       target_, status.error_message()));
    default:
      return {static_cast<StatusCode>(status.error_code()),
              fmt::format("{}: {}{}", target_, status.error_message(), outcome)};
  }
}

}  // namespace sippar::cluster
