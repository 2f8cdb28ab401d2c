// SPDX-License-Identifier: Apache-2.0
#include "cluster/bigtable/data_convert.h"

#include <fmt/format.h>

#include <algorithm>
#include <type_traits>

#include "engine/base/checksum.h"
#include "engine/base/limits.h"
#include "engine/base/printable.h"

namespace sippar::cluster {
namespace {

using engine::RowMutation;
namespace v2 = google::bigtable::v2;

constexpr int64_t kServerClock = -1;  // the time in a SetCell that asks for the server's clock

Status CheckFamily(const TableRules& rules, const std::string& family) {
  // The view is checked first, so that its callers cannot find out which families exist outside it.
  if (rules.view != nullptr) RETURN_IF_ERROR(rules.view->CheckFamily(family));
  if (rules.schema->FindFamily(family) != nullptr) return OkStatus();
  return NotFound(fmt::format("Requested column family not found: '{}'",
                              engine::PrintableBytes(family.substr(0, 100))));
}

Status CheckGranularity(const TableRules& rules, int64_t time_us) {
  if (!rules.is_millis || time_us % 1000 == 0) return OkStatus();
  return InvalidArgument(
      fmt::format("Timestamp granularity mismatch. Expected a multiple of 1000 (millisecond "
                  "granularity), but got {}",
                  time_us));
}

StatusOr<int64_t> CellTimeOf(const v2::Mutation& mutation, int64_t time_us,
                             const TableRules& rules) {
  if (time_us == kServerClock) return engine::kServerTime;
  if (time_us < kServerClock) {
    return InvalidArgument(fmt::format(
        "timestamp_micros is {}; -1 (the server's clock) and 0 or more are allowed", time_us));
  }
  // The client library made this time, not its user, so it is rounded to milliseconds and not
  // refused.
  if (mutation.timestamp_origin() == v2::Mutation::CLIENT_AUTO_GENERATED) {
    return time_us / 1000 * 1000;
  }
  RETURN_IF_ERROR(CheckGranularity(rules, time_us));
  return time_us;
}

// Converts AddToCell or MergeToCell. A merge without input is legal and does nothing.
template <typename Addition>
Status AddAddition(const v2::Mutation& mutation, const Addition& addition, const TableRules& rules,
                   RowMutation* out) {
  constexpr bool kIsMerge = std::is_same_v<Addition, v2::Mutation::MergeToCell>;
  RETURN_IF_ERROR(CheckFamily(rules, addition.family_name()));
  if (!addition.column_qualifier().has_raw_value()) {
    return InvalidArgument("column_qualifier has no raw_value");
  }
  if (!addition.timestamp().has_raw_timestamp_micros()) {
    return InvalidArgument("timestamp has no raw_timestamp_micros");
  }
  ASSIGN_OR_RETURN(int64_t time_us,
                   CellTimeOf(mutation, addition.timestamp().raw_timestamp_micros(), rules));
  const v2::Value& input = addition.input();
  if (kIsMerge && input.kind_case() == v2::Value::KIND_NOT_SET) return OkStatus();
  if (!input.has_int_value() && !input.has_raw_value() && !input.has_bytes_value()) {
    return InvalidArgument("input has no int_value, raw_value or bytes_value");
  }
  std::string value = input.has_int_value()   ? engine::EncodeInt64(input.int_value())
                      : input.has_raw_value() ? input.raw_value()
                                              : input.bytes_value();
  const std::string& qualifier = addition.column_qualifier().raw_value();
  if (kIsMerge) {
    out->Merge(addition.family_name(), qualifier, value, time_us);
  } else {
    out->Add(addition.family_name(), qualifier, value, time_us);
  }
  return OkStatus();
}

Status AddMutation(v2::Mutation* proto, const TableRules& rules, RowMutation* out) {
  const v2::Mutation& mutation = *proto;
  switch (mutation.mutation_case()) {
    case v2::Mutation::kSetCell: {
      const v2::Mutation::SetCell& set = mutation.set_cell();
      RETURN_IF_ERROR(CheckFamily(rules, set.family_name()));
      ASSIGN_OR_RETURN(int64_t time_us, CellTimeOf(mutation, set.timestamp_micros(), rules));
      out->Set(set.family_name(), set.column_qualifier(), "", time_us);
      // The value is moved here and not passed to Set, which would copy up to 100 MiB.
      out->entries.back().value = std::move(*proto->mutable_set_cell()->mutable_value());
      return OkStatus();
    }
    case v2::Mutation::kDeleteFromColumn: {
      const v2::Mutation::DeleteFromColumn& del = mutation.delete_from_column();
      RETURN_IF_ERROR(CheckFamily(rules, del.family_name()));
      ASSIGN_OR_RETURN(engine::TimeRange times, TimesFromProto(del.time_range()));
      RETURN_IF_ERROR(CheckGranularity(rules, del.time_range().start_timestamp_micros()));
      RETURN_IF_ERROR(CheckGranularity(rules, del.time_range().end_timestamp_micros()));
      out->DeleteColumn(del.family_name(), del.column_qualifier(), times);
      return OkStatus();
    }
    case v2::Mutation::kDeleteFromFamily:
      RETURN_IF_ERROR(CheckFamily(rules, mutation.delete_from_family().family_name()));
      out->DeleteFamily(mutation.delete_from_family().family_name());
      return OkStatus();
    case v2::Mutation::kDeleteFromRow:
      out->DeleteRow();
      return OkStatus();
    case v2::Mutation::kAddToCell:
      return AddAddition(mutation, mutation.add_to_cell(), rules, out);
    case v2::Mutation::kMergeToCell:
      return AddAddition(mutation, mutation.merge_to_cell(), rules, out);
    case v2::Mutation::MUTATION_NOT_SET:
      break;
  }
  return InvalidArgument(
      "no operation is set; set one of set_cell, add_to_cell, merge_to_cell, delete_from_column, "
      "delete_from_family and delete_from_row");
}

}  // namespace

StatusOr<engine::RowRange> RangeFromProto(const v2::RowRange& proto) {
  engine::RowRange range;
  if (proto.has_start_key_closed()) range.start = proto.start_key_closed();
  if (proto.has_start_key_open() && !proto.start_key_open().empty()) {
    range.start = engine::RowSuccessor(proto.start_key_open());
  }
  if (proto.has_end_key_open()) range.limit = proto.end_key_open();
  if (proto.has_end_key_closed() && !proto.end_key_closed().empty()) {
    range.limit = engine::RowSuccessor(proto.end_key_closed());
  }
  // (k, k) and [k, k) are empty and legal. The check compares the key of the request, because
  // range.start of (k, k) is already the successor of k, after the limit.
  const std::string& start =
      proto.has_start_key_open() ? proto.start_key_open() : proto.start_key_closed();
  if (!range.limit.empty() && start > range.limit) {
    return InvalidArgument(fmt::format("row range: its start '{}' is after its end '{}'",
                                       engine::PrintableBytes(start.substr(0, 100)),
                                       engine::PrintableBytes(range.limit.substr(0, 100))));
  }
  return range;
}

Status CheckRowKey(const std::string& row) {
  if (row.empty()) return InvalidArgument("Row keys must be non-empty");
  return engine::ValidateRowKey(row);
}

StatusOr<engine::RowSet> RowSetFromProto(const v2::RowSet& proto) {
  if (proto.row_keys().empty() && proto.row_ranges().empty()) return engine::RowSet::All();
  engine::RowSet rows;
  for (const std::string& key : proto.row_keys()) {
    RETURN_IF_ERROR(Annotate(CheckRowKey(key), "row_keys"));
    rows.Add(engine::RowRange::Single(key));
  }
  for (const v2::RowRange& range : proto.row_ranges()) {
    ASSIGN_OR_RETURN(engine::RowRange converted, RangeFromProto(range));
    if (!converted.IsEmpty()) rows.Add(std::move(converted));
  }
  return rows;
}

StatusOr<engine::TimeRange> TimesFromProto(const v2::TimestampRange& proto) {
  engine::TimeRange times;
  if (proto.start_timestamp_micros() < 0 || proto.end_timestamp_micros() < 0) {
    return InvalidArgument(
        fmt::format("timestamp range: its start {} and its end {} may not be negative",
                    proto.start_timestamp_micros(), proto.end_timestamp_micros()));
  }
  // In the API a bound of 0 means no bound.
  if (proto.start_timestamp_micros() != 0) times.start_us = proto.start_timestamp_micros();
  if (proto.end_timestamp_micros() != 0) times.limit_us = proto.end_timestamp_micros();
  if (times.start_us > times.limit_us) {
    return InvalidArgument(fmt::format("timestamp range: its start {} is after its end {}",
                                       times.start_us, times.limit_us));
  }
  return times;
}

StatusOr<RowMutation> MutationFromProto(const std::string& row, Mutations* mutations,
                                        const TableRules& rules) {
  RETURN_IF_ERROR(CheckRowKey(row));
  if (static_cast<size_t>(mutations->size()) > limits::kMutationEntriesMax) {
    return InvalidArgument(fmt::format("the row has {} mutations; the limit is {}",
                                       mutations->size(), limits::kMutationEntriesMax));
  }
  RowMutation converted(row);
  converted.entries.reserve(static_cast<size_t>(mutations->size()));
  for (int i = 0; i < mutations->size(); ++i) {
    Status status = AddMutation(mutations->Mutable(i), rules, &converted);
    if (!status.ok()) return Annotate(status, fmt::format("mutation {}", i));
  }
  return converted;
}

Status SetRequest(const v2::Idempotency& idempotency, RowMutation* mutation) {
  constexpr size_t kTokenSizeMin = 8;
  const std::string& token = idempotency.token();
  if (token.empty() || !mutation->ReadsRow()) return OkStatus();
  if (token.size() < kTokenSizeMin) {
    return InvalidArgument(fmt::format("idempotency.token has {} bytes; at least {} are needed",
                                       token.size(), kTokenSizeMin));
  }
  // The request number is a checksum of the row, because a client may use one token for all rows of
  // a call. The client id is a hash of the token. It is never 0, which would mean "no request id".
  mutation->request.client = std::max<uint64_t>(engine::Hash(token), 1);
  mutation->request.number = engine::Checksum(mutation->row, mutation->request.client);
  return OkStatus();
}

StatusOr<std::vector<engine::ModifyRule>> RulesFromProto(const Rules& protos,
                                                         const TableRules& rules) {
  if (protos.empty()) return InvalidArgument("rules: at least one is needed");
  std::vector<engine::ModifyRule> converted;
  for (const v2::ReadModifyWriteRule& proto : protos) {
    RETURN_IF_ERROR(CheckFamily(rules, proto.family_name()));
    RETURN_IF_ERROR(engine::ValidateQualifier(proto.column_qualifier()));
    engine::ModifyRule& rule = converted.emplace_back();
    rule.family = proto.family_name();
    rule.qualifier = proto.column_qualifier();
    if (proto.has_append_value()) {
      rule.append = proto.append_value();
    } else if (proto.has_increment_amount()) {
      rule.increment = proto.increment_amount();
    } else {
      return InvalidArgument(fmt::format("rule {} has neither append_value nor increment_amount",
                                         converted.size() - 1));
    }
  }
  return converted;
}

void RowToProto(const std::string& row, const std::vector<engine::Cell>& cells, v2::Row* out) {
  out->set_key(row);
  v2::Family* family = nullptr;
  for (const engine::Cell& cell : cells) {
    if (family == nullptr || family->name() != cell.family) {
      family = out->add_families();
      family->set_name(cell.family);
    }
    v2::Column* column = family->add_columns();
    column->set_qualifier(cell.qualifier);
    v2::Cell* added = column->add_cells();
    added->set_timestamp_micros(cell.timestamp_us);
    added->set_value(cell.value);
  }
}

}  // namespace sippar::cluster
