// The call of InstanceAdminService for hot tablets.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "cluster/bigtable/instance_admin_service.h"
#include "cluster/bigtable/message_records.h"
#include "cluster/grpc/status_codes.h"
#include "engine/base/printable.h"

namespace sippar::cluster {
namespace {

namespace admin = google::bigtable::admin::v2;
using google::protobuf::Timestamp;

constexpr int64_t kMicros = 1'000'000;
constexpr int64_t kDaySeconds = 24 * 3600;

struct Interval {
  int64_t start_us = 0;
  int64_t end_us = 0;
};

// The interval of the request. Its end defaults to now, and its start to 24 hours before the end.
// One second is added to the present time, which is rounded down, to include the newest
// measurement.
StatusOr<Interval> IntervalOf(const admin::ListHotTabletsRequest& request, int64_t now_us) {
  const int64_t now = now_us / kMicros + 1;
  const int64_t end = request.has_end_time() ? request.end_time().seconds() : now;
  const int64_t oldest = now - 14 * kDaySeconds;
  const int64_t start = request.has_start_time() ? request.start_time().seconds()
                                                 : std::max(oldest, end) - kDaySeconds;
  bool is_known = start >= oldest - kDaySeconds && end <= now;
  if (is_known && start < end && end - start <= 2 * kDaySeconds) {
    return Interval{start * kMicros, end * kMicros};
  }
  return InvalidArgument(
      fmt::format("start_time {} s, end_time {} s: the start must be before the end, at most 48 "
                  "hours apart, in the last 14 days (now is {} s)",
                  start, end, now));
}

// The page token is the number of tablets on earlier pages. The list is sorted by load, so a name
// would not say where the next page begins.
StatusOr<size_t> PositionOf(const std::string& token) {
  size_t position = 0;
  const char* end = token.data() + token.size();
  auto parsed = std::from_chars(token.data(), end, position);
  if (token.empty() || (parsed.ec == std::errc() && parsed.ptr == end)) return position;
  return InvalidArgument("page_token: no earlier page returned it; list again from the start");
}

void TimeToProto(int64_t time_us, Timestamp* out) {
  out->set_seconds(time_us / kMicros);
  out->set_nanos(static_cast<int32_t>(time_us % kMicros * 1000));
}

// Row keys may be any bytes, but the API has text fields for them, so they are made printable.
void ToProto(const HotTablet& hot, const std::string& cluster, const TableName& table,
             admin::HotTablet* out) {
  out->set_name(fmt::format("{}/hotTablets/{}-{}", cluster, hot.tablet_id, hot.start_us));
  out->set_table_name(table.ToString());
  TimeToProto(hot.start_us, out->mutable_start_time());
  TimeToProto(hot.end_us, out->mutable_end_time());
  out->set_start_key(engine::PrintableBytes(hot.range.start));
  out->set_end_key(engine::PrintableBytes(hot.range.limit));
  out->set_node_cpu_usage_percent(static_cast<float>(hot.cpu_percent));
}

Status DoList(const InstanceRecords& records, const admin::ListHotTabletsRequest& request,
              admin::ListHotTabletsResponse* response) {
  ASSIGN_OR_RETURN(PartName cluster, PartName::Parse(request.parent(), "clusters"));
  RETURN_IF_ERROR(records.GetCluster(cluster).status());
  ASSIGN_OR_RETURN(Page page, Page::Of(request.page_size(), request.page_token()));
  ASSIGN_OR_RETURN(size_t position, PositionOf(page.after));
  ASSIGN_OR_RETURN(Interval interval, IntervalOf(request, records.client()->clock()->NowMicros()));
  ASSIGN_OR_RETURN(std::vector<HotTablet> tablets,
                   records.admin()->Do(calls::HotTablets{interval.start_us, interval.end_us}));
  std::erase_if(tablets, [&cluster](const HotTablet& hot) {
    auto table = TableName::FromStored(hot.table);
    return !table.ok() || !(table->instance == cluster.instance);
  });
  std::stable_sort(tablets.begin(), tablets.end(), [](const HotTablet& a, const HotTablet& b) {
    return a.cpu_percent > b.cpu_percent;
  });
  for (; position < tablets.size() && page.size > 0; ++position, --page.size) {
    auto table = TableName::FromStored(tablets[position].table);
    ToProto(tablets[position], request.parent(), *table, response->add_hot_tablets());
  }
  if (position < tablets.size()) response->set_next_page_token(std::to_string(position));
  return OkStatus();
}

}  // namespace

grpc::Status InstanceAdminService::ListHotTablets(grpc::ServerContext*,
                                                  const admin::ListHotTabletsRequest* request,
                                                  admin::ListHotTabletsResponse* response) {
  return ToGrpc(DoList(*records_, *request, response));
}

}  // namespace sippar::cluster
