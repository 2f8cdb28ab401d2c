// Converts the types of cluster/api to messages of sippar.v1.Store and back. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cluster/api/data_api.h"
#include "cluster/proto/store.pb.h"

namespace sippar::cluster {

namespace wire = ::sippar::v1;

// Version of the service; both ends need the same. It rises with every change of a message, or of a
// struct that a call carries, but not with a new call, which an older server refuses by its name.
inline constexpr uint32_t kStoreVersion = 2;

void ToProto(const Status& status, wire::Outcome* out);
Status FromProto(const wire::Outcome& outcome);

void ToProto(const RowRange& range, wire::Range* out);
RowRange FromProto(const wire::Range& range);

void ToProto(const engine::ReadCounters& counters, wire::ReadEnd* out);
// Adds the counters of `end` to `counters`, and ignores those that this program does not know.
void AddCounters(const wire::ReadEnd& end, engine::ReadCounters* counters);

void ToProto(const TabletInfo& info, wire::TabletsReply::Tablet* out);
TabletInfo FromProto(const wire::TabletsReply::Tablet& tablet);

void ToProto(const ChangesRequest& wanted, wire::ChangesRequest* out);
ChangesRequest FromProto(const wire::ChangesRequest& request);
void ToProto(const ChangeBatch& batch, wire::ChangesReply* out);
[[nodiscard]] StatusOr<ChangeBatch> FromProto(const wire::ChangesReply& reply);

}  // namespace sippar::cluster
