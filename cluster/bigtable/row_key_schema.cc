// SPDX-License-Identifier: Apache-2.0
#include "cluster/bigtable/row_key_schema.h"

#include <fmt/format.h>

#include <set>

namespace sippar::cluster {
namespace {

namespace admin = google::bigtable::admin::v2;
using admin::Type;
using engine::TableSchema;

constexpr const char* kOption = "ROW_KEY_SCHEMA";  // its value is the serialized message
constexpr size_t kDelimiterSizeMax = 50;           // limit of Cloud Bigtable

// Accepts the types that a key field may have, each with an explicit encoding: without one, the
// sort order of keys would be undefined.
Status CheckType(const Type& type) {
  switch (type.kind_case()) {
    case Type::kBytesType:
      if (type.bytes_type().encoding().has_raw()) return OkStatus();
      break;
    case Type::kStringType:
      if (type.string_type().encoding().encoding_case() != 0) return OkStatus();
      break;
    case Type::kInt64Type:
      if (type.int64_type().encoding().encoding_case() != 0) return OkStatus();
      break;
    case Type::kTimestampType:
      if (type.timestamp_type().encoding().unix_micros_int64().encoding_case() != 0) {
        return OkStatus();
      }
      break;
    default:
      return InvalidArgument(
          "type: it is not supported in a row key; use bytes, string, int64 or timestamp");
  }
  return InvalidArgument("type: its encoding is missing");
}

Status CheckEncoding(const Type::Struct& key) {
  const Type::Struct::Encoding& encoding = key.encoding();
  switch (encoding.encoding_case()) {
    case Type::Struct::Encoding::kSingleton:
      if (key.fields_size() == 1) return OkStatus();
      return InvalidArgument(fmt::format(
          "encoding: singleton needs exactly one field, and the schema has {}", key.fields_size()));
    case Type::Struct::Encoding::kDelimitedBytes: {
      size_t size = encoding.delimited_bytes().delimiter().size();
      if (size >= 1 && size <= kDelimiterSizeMax) return OkStatus();
      return InvalidArgument(fmt::format(
          "encoding: the delimiter has {} bytes; 1 to {} are allowed", size, kDelimiterSizeMax));
    }
    case Type::Struct::Encoding::kOrderedCodeBytes:
      return OkStatus();
    case Type::Struct::Encoding::ENCODING_NOT_SET:
      break;
  }
  return InvalidArgument(
      "encoding is missing; set one of singleton, delimited_bytes and ordered_code_bytes");
}

Status CheckKey(const Type::Struct& key) {
  if (key.fields().empty()) return InvalidArgument("fields: at least one is needed");
  RETURN_IF_ERROR(CheckEncoding(key));
  std::set<std::string> names = {"_key", "_timestamp"};  // reserved names
  for (const Type::Struct::Field& field : key.fields()) {
    if (field.field_name().empty())
      return InvalidArgument("fields: the name of a field is missing");
    if (!names.insert(field.field_name()).second) {
      return InvalidArgument(
          fmt::format("field '{}': its name is reserved or is given twice; choose another name",
                      field.field_name().substr(0, 100)));
    }
    Status valid = CheckType(field.type());
    if (!valid.ok()) return Annotate(valid, "field " + field.field_name().substr(0, 100));
  }
  return OkStatus();
}

}  // namespace

Status CheckRowKeySchema(const TableSchema& schema) {
  admin::Table kept;
  RowKeySchemaToProto(schema, &kept);
  for (const Type::Struct::Field& field : kept.row_key_schema().fields()) {
    if (schema.FindFamily(field.field_name()) == nullptr) continue;
    return InvalidArgument(
        fmt::format("row_key_schema: field '{}' has the same name as a family; give the field or "
                    "the family another name",
                    field.field_name()));
  }
  return OkStatus();
}

Status SetRowKeySchema(const admin::Table& proto, TableSchema* schema) {
  if (!proto.has_row_key_schema()) return OkStatus();
  RETURN_IF_ERROR(Annotate(CheckKey(proto.row_key_schema()), "row_key_schema"));
  schema->options[kOption] = proto.row_key_schema().SerializeAsString();
  return CheckRowKeySchema(*schema);
}

Status ChangeRowKeySchema(const admin::Table& proto, bool ignore_warnings, TableSchema* schema) {
  if (!schema->options.contains(kOption)) return SetRowKeySchema(proto, schema);
  if (proto.has_row_key_schema()) {
    if (proto.row_key_schema().SerializeAsString() == schema->options.at(kOption))
      return OkStatus();
    return InvalidArgument(
        "row_key_schema: the table already has a different row key schema, which cannot be "
        "changed; first remove the old schema (UpdateTable with row_key_schema in update_mask, "
        "without a row_key_schema in table, and with ignore_warnings)");
  }
  if (!ignore_warnings) {
    return InvalidArgument(
        "row_key_schema: queries that name the schema's fields would fail without the schema; to "
        "remove the schema anyway, set ignore_warnings");
  }
  schema->options.erase(kOption);
  return OkStatus();
}

void RowKeySchemaToProto(const TableSchema& schema, admin::Table* out) {
  auto option = schema.options.find(kOption);
  if (option != schema.options.end())
    (void)out->mutable_row_key_schema()->ParseFromString(option->second);
}

}  // namespace sippar::cluster
