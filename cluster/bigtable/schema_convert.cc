// SPDX-License-Identifier: Apache-2.0
#include "cluster/bigtable/schema_convert.h"

#include <fmt/format.h>

#include <algorithm>

#include "cluster/bigtable/row_key_schema.h"
#include "engine/base/limits.h"
#include "engine/model/change_config.h"
#include "engine/model/schema_change.h"

namespace sippar::cluster {
namespace {

using engine::FamilySchema;
using engine::FamilyType;
using engine::GcPolicy;
using engine::TableSchema;
namespace admin = google::bigtable::admin::v2;

// Prefix of the names of table options. Each such option keeps the API's type (a serialized
// message) of a family whose values are plain bytes for the engine.
using engine::kValueTypeOption;
constexpr int64_t kSecondsMax = 315'576'000'000;  // largest Duration: 10,000 years

StatusOr<int64_t> MicrosOf(const google::protobuf::Duration& age) {
  const bool fits = age.seconds() >= 0 && age.seconds() <= kSecondsMax && age.nanos() >= 0;
  const int64_t us = fits ? age.seconds() * 1'000'000 + age.nanos() / 1'000 : 0;
  if (us < 1'000) {
    return InvalidArgument(
        fmt::format("max_age of {} s and {} ns: 1 ms to {} s are allowed, and no negative nanos",
                    age.seconds(), age.nanos(), kSecondsMax));
  }
  return us;
}

template <typename List>
StatusOr<GcPolicy> ListFromProto(GcPolicy::Kind kind, const List& list, size_t depth);

StatusOr<GcPolicy> RuleFromProto(const admin::GcRule& proto, size_t depth) {
  if (depth > limits::kGcPolicyDepthMax) {
    return InvalidArgument(
        fmt::format("gc_rule is nested deeper than {} levels", limits::kGcPolicyDepthMax));
  }
  switch (proto.rule_case()) {
    case admin::GcRule::kMaxNumVersions:
      if (proto.max_num_versions() < 1) {
        return InvalidArgument(
            fmt::format("max_num_versions is {}; at least 1 is needed", proto.max_num_versions()));
      }
      return GcPolicy::MaxVersions(static_cast<uint32_t>(proto.max_num_versions()));
    case admin::GcRule::kMaxAge: {
      ASSIGN_OR_RETURN(int64_t age_us, MicrosOf(proto.max_age()));
      return GcPolicy::MaxAge(age_us);
    }
    case admin::GcRule::kIntersection:
      return ListFromProto(GcPolicy::kIntersection, proto.intersection(), depth);
    case admin::GcRule::kUnion:
      return ListFromProto(GcPolicy::kUnion, proto.union_(), depth);
    case admin::GcRule::RULE_NOT_SET:
      break;
  }
  return GcPolicy::KeepAll();
}

template <typename List>
StatusOr<GcPolicy> ListFromProto(GcPolicy::Kind kind, const List& list, size_t depth) {
  GcPolicy policy;
  policy.kind = kind;
  for (const admin::GcRule& rule : list.rules()) {
    ASSIGN_OR_RETURN(GcPolicy converted, RuleFromProto(rule, depth + 1));
    policy.rules.push_back(std::move(converted));
  }
  return policy;
}

void GcToProto(const GcPolicy& policy, admin::GcRule* out) {
  switch (policy.kind) {
    case GcPolicy::kKeepAll:
      return;
    case GcPolicy::kMaxVersions:
      out->set_max_num_versions(static_cast<int32_t>(policy.max_versions));
      return;
    case GcPolicy::kMaxAge:
      out->mutable_max_age()->set_seconds(policy.max_age_us / 1'000'000);
      out->mutable_max_age()->set_nanos(static_cast<int32_t>(policy.max_age_us % 1'000'000 * 1000));
      return;
    case GcPolicy::kIntersection:
      for (const GcPolicy& rule : policy.rules) {
        GcToProto(rule, out->mutable_intersection()->add_rules());
      }
      return;
    case GcPolicy::kUnion:
      for (const GcPolicy& rule : policy.rules) GcToProto(rule, out->mutable_union_()->add_rules());
      return;
  }
}

bool IsBigEndian(const admin::Type& type) {
  return type.has_int64_type() && !type.int64_type().encoding().has_ordered_code_bytes();
}

// Ignores the state type in a request: only the server sets it.
StatusOr<FamilyType> AggregateFromProto(const std::string& family,
                                        const admin::Type::Aggregate& proto) {
  bool is_int64 = IsBigEndian(proto.input_type());
  if (proto.has_hllpp_unique_count()) {
    if (is_int64) return FamilyType::kUniqueInts;
    if (proto.input_type().has_bytes_type()) return FamilyType::kUniqueBytes;
  }
  if (is_int64 && proto.has_sum()) return FamilyType::kSum;
  if (is_int64 && proto.has_min()) return FamilyType::kMin;
  if (is_int64 && proto.has_max()) return FamilyType::kMax;
  return InvalidArgument(
      fmt::format("value_type.aggregate_type of family {} is not supported; use sum, min, max or "
                  "hllpp_unique_count of big-endian int64, or hllpp_unique_count of bytes",
                  family));
}

void AggregateToProto(FamilyType type, admin::Type::Aggregate* out) {
  auto set_int64 = [](admin::Type* int64) {
    int64->mutable_int64_type()->mutable_encoding()->mutable_big_endian_bytes();
  };
  auto set_bytes = [](admin::Type* bytes) {
    bytes->mutable_bytes_type()->mutable_encoding()->mutable_raw();
  };
  bool is_count = type == FamilyType::kUniqueInts || type == FamilyType::kUniqueBytes;
  if (type == FamilyType::kUniqueBytes) {
    set_bytes(out->mutable_input_type());
  } else {
    set_int64(out->mutable_input_type());
  }
  if (is_count) {
    out->mutable_hllpp_unique_count();
    set_bytes(out->mutable_state_type());
    return;
  }
  set_int64(out->mutable_state_type());
  if (type == FamilyType::kSum) out->mutable_sum();
  if (type == FamilyType::kMin) out->mutable_min();
  if (type == FamilyType::kMax) out->mutable_max();
}

// Maps a type of the API to one of the engine. A string (both its encodings are UTF-8) is TEXT, a
// 64-bit big-endian integer is a counter of the query language, and an aggregate type is the
// aggregate of that name.
StatusOr<FamilyType> TypeFromProto(const std::string& family, const admin::Type& proto) {
  switch (proto.kind_case()) {
    case admin::Type::kBytesType:
    case admin::Type::KIND_NOT_SET:
      return FamilyType::kBytes;
    case admin::Type::kStringType:
      return FamilyType::kText;
    case admin::Type::kInt64Type:
      if (!IsBigEndian(proto)) break;
      return FamilyType::kCounter;
    case admin::Type::kAggregateType:
      return AggregateFromProto(family, proto.aggregate_type());
    default:
      break;
  }
  return Unimplemented(
      fmt::format("value_type of family {} is not supported; use bytes, string, big-endian int64 "
                  "or an aggregate",
                  family));
}

void KeepValueType(const FamilySchema& family, const admin::Type& type, TableSchema* schema) {
  schema->options.erase(kValueTypeOption + family.name);
  if (family.type == FamilyType::kBytes && (type.has_bytes_type() || type.has_string_type())) {
    schema->options[kValueTypeOption + family.name] = type.SerializeAsString();
  }
}

void ValueTypeToProto(const TableSchema& schema, const FamilySchema& family,
                      admin::ColumnFamily* out) {
  auto kept = schema.options.find(kValueTypeOption + family.name);
  if (family.type == FamilyType::kCounter) {
    out->mutable_value_type()->mutable_int64_type()->mutable_encoding()->mutable_big_endian_bytes();
  } else if (family.type == FamilyType::kText) {
    out->mutable_value_type()->mutable_string_type()->mutable_encoding()->mutable_utf8_bytes();
  } else if (engine::IsAggregate(family.type)) {
    AggregateToProto(family.type, out->mutable_value_type()->mutable_aggregate_type());
  } else if (kept != schema.options.end()) {
    (void)out->mutable_value_type()->ParseFromString(kept->second);
  }
}

StatusOr<FamilySchema> FamilyFromProto(const std::string& id, const admin::ColumnFamily& proto) {
  RETURN_IF_ERROR(engine::ValidateFamilyName(id));
  FamilySchema family;
  family.name = id;
  ASSIGN_OR_RETURN(family.type, TypeFromProto(id, proto.value_type()));
  auto gc = GcFromProto(proto.gc_rule());
  if (!gc.ok()) return Annotate(gc.status(), "family " + id);
  family.gc = std::move(*gc);
  return family;
}

using Modification = admin::ModifyColumnFamiliesRequest::Modification;

// True if the update calls a family of bytes a family of strings, which clients may do. Its cells
// may be any bytes, so for the engine it stays one of bytes.
bool TakesString(const FamilySchema& family, const FamilySchema& wanted) {
  return family.type == FamilyType::kBytes && wanted.type == FamilyType::kText;
}

// Changes the fields that the update mask names; an empty mask names the GC rule.
Status UpdateFamily(const Modification& modification, FamilySchema* family, TableSchema* schema) {
  ASSIGN_OR_RETURN(FamilySchema wanted, FamilyFromProto(family->name, modification.update()));
  std::vector<std::string> paths(modification.update_mask().paths().begin(),
                                 modification.update_mask().paths().end());
  if (paths.empty()) paths = {"gc_rule"};
  for (const std::string& path : paths) {
    if (path == "gc_rule" || path.starts_with("gc_rule.")) {
      family->gc = wanted.gc;
    } else if (path != "value_type" && !path.starts_with("value_type.")) {
      return InvalidArgument(
          fmt::format("update_mask names '{}'; only gc_rule and value_type can be changed", path));
    } else if (wanted.type == family->type || TakesString(*family, wanted)) {
      KeepValueType(*family, modification.update().value_type(), schema);
    } else if (engine::IsAggregate(wanted.type) || engine::IsAggregate(family->type)) {
      return InvalidArgument("Immutable fields 'value_type.aggregate_type' cannot be updated");
    } else {
      return FailedPrecondition(
          fmt::format("value_type of family {} cannot be changed; drop the family, with its cells, "
                      "and create it again",
                      family->name));
    }
  }
  return OkStatus();
}

// Applies one modification. `before` is the schema as it was before the whole list.
Status ModifyOne(const Modification& modification, const TableSchema& before, TableSchema* schema) {
  const std::string& id = modification.id();
  auto found = std::find_if(schema->families.begin(), schema->families.end(),
                            [&id](const FamilySchema& family) { return family.name == id; });
  bool exists = found != schema->families.end();
  if (modification.has_create()) {
    if (exists) return AlreadyExists(fmt::format("family {} already exists", id));
    ASSIGN_OR_RETURN(FamilySchema family, FamilyFromProto(id, modification.create()));
    // An earlier modification of this list has dropped the family. The new incarnation hides the
    // cells of the old one, which are still stored.
    if (const FamilySchema* old = before.FindFamily(id)) family.incarnation = old->incarnation + 1;
    KeepValueType(family, modification.create().value_type(), schema);
    schema->families.push_back(std::move(family));
    return OkStatus();
  }
  if (!exists) return NotFound(fmt::format("Requested column family not found: '{}'", id));
  if (modification.has_update()) return UpdateFamily(modification, &*found, schema);
  if (!modification.drop()) {
    return InvalidArgument(
        fmt::format("modification of family {} changes nothing; set create, update or drop", id));
  }
  schema->DropFamily(id);
  return OkStatus();
}

}  // namespace

StatusOr<GcPolicy> GcFromProto(const admin::GcRule& proto) {
  ASSIGN_OR_RETURN(GcPolicy policy, RuleFromProto(proto, 0));
  RETURN_IF_ERROR(policy.Validate());
  return policy;
}

StatusOr<TableSchema> SchemaFromProto(const TableName& name, const admin::Table& proto) {
  if (proto.has_automated_backup_policy()) {
    return Unimplemented(
        "automated_backup_policy: automatic backups are not supported; use CreateBackup");
  }
  if (!admin::Table::TimestampGranularity_IsValid(proto.granularity())) {
    return InvalidArgument(fmt::format("granularity {} is not supported; use MILLIS or MICROS",
                                       static_cast<int>(proto.granularity())));
  }
  TableSchema schema;
  schema.name = name.stored();
  for (const auto& [id, family] : proto.column_families()) {
    ASSIGN_OR_RETURN(FamilySchema converted, FamilyFromProto(id, family));
    KeepValueType(converted, family.value_type(), &schema);
    schema.families.push_back(std::move(converted));
  }
  // The default granularity is milliseconds in the API, but microseconds in the engine.
  if (proto.granularity() != admin::Table::MICROS) {
    schema.options[engine::kGranularityOption] = "MILLIS";
  }
  if (proto.deletion_protection()) schema.options[engine::kProtectedOption] = "TRUE";
  RETURN_IF_ERROR(ChangeStreamFromProto(proto, &schema));
  RETURN_IF_ERROR(SetRowKeySchema(proto, &schema));
  return schema;
}

void TableToProto(const TableName& name, const TableSchema& schema, admin::Table::View view,
                  admin::Table* out) {
  out->set_name(name.ToString());
  bool with_schema = view == admin::Table::FULL || view == admin::Table::SCHEMA_VIEW ||
                     view == admin::Table::VIEW_UNSPECIFIED;
  if (!with_schema) return;
  for (const FamilySchema& family : schema.families) {
    admin::ColumnFamily& added = (*out->mutable_column_families())[family.name];
    GcToProto(family.gc, added.mutable_gc_rule());
    // In the API, a family that keeps all cells has no rule; it does not have an empty rule.
    if (family.gc == GcPolicy::KeepAll()) added.clear_gc_rule();
    ValueTypeToProto(schema, family, &added);
  }
  bool is_millis = schema.options.contains(engine::kGranularityOption);
  out->set_granularity(is_millis ? admin::Table::MILLIS : admin::Table::MICROS);
  out->set_deletion_protection(engine::IsProtected(schema));
  RowKeySchemaToProto(schema, out);
  auto changes = engine::ChangeStreamOf(schema);
  if (!changes.has_value()) return;
  auto* retention = out->mutable_change_stream_config()->mutable_retention_period();
  retention->set_seconds(changes->retention_us / 1'000'000);
  retention->set_nanos(static_cast<int32_t>(changes->retention_us % 1'000'000 * 1000));
}

Status ChangeStreamFromProto(const admin::Table& proto, TableSchema* schema) {
  if (!proto.has_change_stream_config()) {
    engine::SetChangeStream(std::nullopt, schema);
    return OkStatus();
  }
  const google::protobuf::Duration& period = proto.change_stream_config().retention_period();
  if (period.seconds() < 0 || period.nanos() < 0 || period.seconds() > kSecondsMax) {
    return InvalidArgument(fmt::format(
        "change_stream_config.retention_period of {} s and {} ns: 1 to 7 days are allowed",
        period.seconds(), period.nanos()));
  }
  int64_t retention_us = period.seconds() * 1'000'000 + period.nanos() / 1'000;
  engine::SetChangeStream(engine::ChangeStreamConfig{retention_us, 0}, schema);
  return engine::ValidateChangeStream(*schema);
}

Status ModifyFamilies(const Modifications& modifications, TableSchema* schema) {
  TableSchema changed = *schema;  // a copy, so that an error leaves the schema unchanged
  for (const Modification& modification : modifications) {
    RETURN_IF_ERROR(ModifyOne(modification, *schema, &changed));
  }
  RETURN_IF_ERROR(CheckRowKeySchema(changed));
  *schema = std::move(changed);
  return OkStatus();
}

TableRules RulesOf(std::shared_ptr<const TableSchema> schema) {
  bool is_millis = schema->options.contains(engine::kGranularityOption);
  return {std::move(schema), is_millis};
}

}  // namespace sippar::cluster
