// SPDX-License-Identifier: Apache-2.0
#include "cluster/bigtable/query_convert.h"

#include <fmt/format.h>
#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include <chrono>

#include "engine/base/coding.h"
#include "engine/base/utf8.h"
#include "engine/program/calendar.h"
#include "engine/program/scalar_function.h"

namespace sippar::cluster {
namespace {

namespace v2 = google::bigtable::v2;
using engine::DataType;
using engine::Value;
using enum engine::ValueType;

constexpr int64_t kMicros = 1'000'000;

void TypeToProto(const DataType& type, v2::Type* out) {
  switch (type.kind) {
    case kBool:
      out->mutable_bool_type();
      break;
    case kInt64:
      out->mutable_int64_type();
      break;
    case kFloat64:
      out->mutable_float64_type();
      break;
    case kText:
      out->mutable_string_type();
      break;
    case kTimestamp:
      out->mutable_timestamp_type();
      break;
    case kDate:
      out->mutable_date_type();
      break;
    case kArray:
      TypeToProto(type.parts[0], out->mutable_array_type()->mutable_element_type());
      break;
    case kMap:
      TypeToProto(type.parts[0], out->mutable_map_type()->mutable_key_type());
      TypeToProto(type.parts[1], out->mutable_map_type()->mutable_value_type());
      break;
    case kStruct:
      for (size_t i = 0; i < type.parts.size(); ++i) {
        v2::Type::Struct::Field* field = out->mutable_struct_type()->add_fields();
        // A STRUCT without field names is a cell with its timestamp.
        field->set_field_name(!type.names.empty() ? type.names[i] : i == 0 ? "timestamp" : "value");
        TypeToProto(type.parts[i], field->mutable_type());
      }
      break;
    case kBytes:
    case kNull:  // query/api refuses columns of these types, which the API lacks
    case kDuration:
      out->mutable_bytes_type();
  }
}

Status WrongType(const Value& value, const DataType& type) {
  return InvalidArgument(
      fmt::format("a value has type {} ({:.40}), but its column has type {}; CAST it",
                  engine::TypeName(value.type()), value.Print(), engine::TypeName(type.kind)));
}

// Rounds the seconds down also before 1970: a protobuf Timestamp has no negative nanoseconds.
void TimeToProto(int64_t micros, google::protobuf::Timestamp* out) {
  int64_t seconds = micros / kMicros - (micros % kMicros < 0 ? 1 : 0);
  out->set_seconds(seconds);
  out->set_nanos(static_cast<int32_t>((micros - seconds * kMicros) * 1000));
}

void DateToProto(int64_t days, google::type::Date* out) {
  const std::chrono::year_month_day date{std::chrono::sys_days{std::chrono::days{days}}};
  out->set_year(static_cast<int>(date.year()));
  out->set_month(static_cast<int32_t>(static_cast<unsigned>(date.month())));
  out->set_day(static_cast<int32_t>(static_cast<unsigned>(date.day())));
}

// google.type.Date can also be a year or a month alone, with zeros for the rest; a DATE cannot.
StatusOr<Value> DateFromProto(const google::type::Date& date) {
  const int year = date.year(), month = date.month(), day = date.day();
  if (year < 1 || year > 9999 || month < 1 || month > 12 || day < 1 ||
      day > engine::DaysInMonth(year, month)) {
    return InvalidArgument(
        fmt::format("date_value {}-{}-{} is not a day of the years 1 to 9999", year, month, day));
  }
  return Value::Date(engine::DaysOf(year, month, day));
}

Status BytesToProto(const Value& value, v2::Value* out) {
  // The only number that a BYTES column can hold is a counter. It becomes the 8 bytes of its cell.
  if (value.is_string()) {
    out->set_bytes_value(value.bytes());
  } else {
    engine::PutBig64(out->mutable_bytes_value(), static_cast<uint64_t>(value.integer()));
  }
  return OkStatus();
}

Status TextToProto(const Value& value, v2::Value* out) {
  if (!engine::IsUtf8(value.bytes())) {
    return InvalidArgument(
        fmt::format("a value ('{:.40}') is not UTF-8, but its column has type STRING; "
                    "CAST it AS BYTES",
                    value.Print()));
  }
  out->set_string_value(value.bytes());
  return OkStatus();
}

// Converts a STRUCT with field names. Its value is a MAP from these names to the fields.
Status FieldsToProto(const Value& value, const DataType& type, v2::ArrayValue* out) {
  const Value::Items& items = value.items();
  if (items.size() != type.parts.size() * 2) return WrongType(value, type);
  for (size_t i = 0; i < type.parts.size(); ++i) {
    RETURN_IF_ERROR(ValueToProto(items[2 * i + 1], type.parts[i], out->add_values()));
  }
  return OkStatus();
}

Status ItemsToProto(const Value& value, const DataType& type, v2::ArrayValue* out) {
  const Value::Items& items = value.items();
  if (type.kind == kArray) {
    for (const Value& item : items) {
      RETURN_IF_ERROR(ValueToProto(item, type.parts[0], out->add_values()));
    }
    return OkStatus();
  }
  if (type.kind == kStruct && value.type() == kMap) return FieldsToProto(value, type, out);
  // The loop below alternates between two parts: the two fields of a STRUCT, or the key and the
  // value of an entry of a MAP.
  if (type.kind == kStruct && items.size() != type.parts.size()) return WrongType(value, type);
  v2::ArrayValue* entry = out;  // a MAP is an array of arrays, each of a key and a value
  for (size_t i = 0; i < items.size(); ++i) {
    if (type.kind == kMap && i % 2 == 0) entry = out->add_values()->mutable_array_value();
    const DataType& part = type.parts[i % 2];
    RETURN_IF_ERROR(ValueToProto(items[i], part, entry->add_values()));
  }
  return OkStatus();
}

// True if a column of `type` can show a value of `kind`. Columns have the types that clients see,
// and values those of the engine, which differ (query/analyze/data_types.h): keys and names are
// TEXT to the engine, the times of versions INT64.
bool Fits(engine::ValueType kind, engine::ValueType type) {
  if (kind == type) return true;
  switch (type) {
    case kBytes:
      return kind == kText || kind == kInt64;
    case kText:
      return kind == kBytes;
    case kFloat64:
    case kTimestamp:
      return kind == kInt64;
    case kStruct:
      return kind == kMap;
    default:
      return false;
  }
}

// The name of the field that is set in the oneof "kind", such as date_type.
std::string KindName(const google::protobuf::Message& proto) {
  const google::protobuf::OneofDescriptor* kind = proto.GetDescriptor()->FindOneofByName("kind");
  return proto.GetReflection()->GetOneofFieldDescriptor(proto, kind)->name();
}

}  // namespace

StatusOr<DataType> TypeFromProto(const v2::Type& proto) {
  switch (proto.kind_case()) {
    case v2::Type::kBytesType:
      return DataType(kBytes);
    case v2::Type::kStringType:
      return DataType(kText);
    case v2::Type::kInt64Type:
      return DataType(kInt64);
    case v2::Type::kFloat32Type:  // the engine has one type for 32 and 64 bits
    case v2::Type::kFloat64Type:
      return DataType(kFloat64);
    case v2::Type::kBoolType:
      return DataType(kBool);
    case v2::Type::kTimestampType:
      return DataType(kTimestamp);
    case v2::Type::kDateType:
      return DataType(kDate);
    // Only one level of arrays is accepted, as in GoogleSQL. So the recursion here is never deep,
    // whatever type the client sends.
    case v2::Type::kArrayType: {
      const v2::Type& element = proto.array_type().element_type();
      if (element.has_array_type()) return InvalidArgument("an ARRAY of ARRAYs is not supported");
      ASSIGN_OR_RETURN(DataType item, TypeFromProto(element));
      return DataType(kArray, {std::move(item)});
    }
    case v2::Type::KIND_NOT_SET:
      return InvalidArgument("its type is missing");
    default:
      return InvalidArgument(
          fmt::format("{} is not supported; use BYTES, STRING, INT64, FLOAT32, FLOAT64, BOOL, "
                      "TIMESTAMP, DATE or an ARRAY of these",
                      KindName(proto)));
  }
}

StatusOr<Value> ValueFromProto(const v2::Value& proto) {
  switch (proto.kind_case()) {
    case v2::Value::kBytesValue:
      return Value::Bytes(proto.bytes_value());
    case v2::Value::kStringValue:
      return Value::Text(proto.string_value());
    case v2::Value::kIntValue:
      return Value::Int64(proto.int_value());
    case v2::Value::kFloatValue:
      return Value::Float64(proto.float_value());
    case v2::Value::kBoolValue:
      return Value::Bool(proto.bool_value());
    case v2::Value::kTimestampValue: {
      const auto& time = proto.timestamp_value();
      int64_t micros = 0;
      // A client may send any 64 bits as seconds.
      if (__builtin_mul_overflow(time.seconds(), kMicros, &micros) ||
          __builtin_add_overflow(micros, time.nanos() / 1000, &micros)) {
        return InvalidArgument(
            fmt::format("timestamp_value has {} seconds; a TIMESTAMP has {} to {}", time.seconds(),
                        INT64_MIN / kMicros, INT64_MAX / kMicros));
      }
      return Value::Timestamp(micros);
    }
    case v2::Value::kDateValue:
      return DateFromProto(proto.date_value());
    case v2::Value::kArrayValue: {
      Value::Items items;
      for (const v2::Value& each : proto.array_value().values()) {
        if (each.has_array_value()) return InvalidArgument("an ARRAY of ARRAYs is not supported");
        ASSIGN_OR_RETURN(Value item, ValueFromProto(each));
        items.push_back(std::move(item));
      }
      return Value::Array(std::move(items));
    }
    case v2::Value::KIND_NOT_SET:
      return Value::Null();
    default:
      return InvalidArgument(fmt::format("{} is not supported as a parameter", KindName(proto)));
  }
}

void ColumnsToProto(const std::vector<QueryColumn>& columns, v2::ResultSetMetadata* out) {
  for (const QueryColumn& column : columns) {
    v2::ColumnMetadata* metadata = out->mutable_proto_schema()->add_columns();
    metadata->set_name(column.name);
    TypeToProto(column.type, metadata->mutable_type());
  }
}

Status ValueToProto(const Value& value, const DataType& type, v2::Value* out) {
  if (value.is_null()) return OkStatus();  // NULL is a Value of the API in which no kind is set
  if (!Fits(value.type(), type.kind)) return WrongType(value, type);
  switch (type.kind) {
    case kBool:
      out->set_bool_value(value.is_true());
      return OkStatus();
    case kInt64:
      out->set_int_value(value.integer());
      return OkStatus();
    case kFloat64:
      out->set_float_value(value.AsReal());
      return OkStatus();
    case kTimestamp:
      TimeToProto(value.integer(), out->mutable_timestamp_value());
      return OkStatus();
    case kDate:
      DateToProto(value.integer(), out->mutable_date_value());
      return OkStatus();
    case kBytes:
      return BytesToProto(value, out);
    case kText:
      return TextToProto(value, out);
    case kArray:
    case kMap:
    case kStruct:
      return ItemsToProto(value, type, out->mutable_array_value());
    case kNull:
    case kDuration:
      break;
  }
  return WrongType(value, type);
}

}  // namespace sippar::cluster
