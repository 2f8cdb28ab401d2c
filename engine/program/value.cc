// SPDX-License-Identifier: Apache-2.0
#include "engine/program/value.h"

#include <bit>
#include <cmath>
#include <limits>

#include "engine/base/limits.h"
#include "engine/program/calendar.h"

namespace sippar::engine {
namespace {

int CompareIntegers(int64_t a, int64_t b) { return a < b ? -1 : (a > b ? 1 : 0); }

int CompareReals(double a, double b) {
  // NaN sorts before all numbers.
  if (std::isnan(a) || std::isnan(b)) return std::isnan(b) - std::isnan(a);
  return a < b ? -1 : (a > b ? 1 : 0);
}

// Compares without rounding the integer to a double, which would make large neighbours equal. The
// bounds are -2^63 and 2^63: a double holds both exactly, but not INT64_MAX.
int CompareMixed(int64_t a, double b) {
  if (std::isnan(b)) return 1;
  if (b >= 9223372036854775808.0) return -1;
  if (b < -9223372036854775808.0) return 1;
  double whole = std::trunc(b);
  int order = CompareIntegers(a, static_cast<int64_t>(whole));
  return order != 0 ? order : CompareReals(0, b - whole);
}

int CompareNumbers(const Value& a, const Value& b) {
  bool a_real = a.type() == ValueType::kFloat64;
  bool b_real = b.type() == ValueType::kFloat64;
  if (a_real && b_real) return CompareReals(a.real(), b.real());
  if (b_real) return CompareMixed(MicrosOf(a), b.real());
  if (a_real) return -CompareMixed(MicrosOf(b), a.real());
  return CompareIntegers(MicrosOf(a), MicrosOf(b));
}

// The classes of types: values of one class compare with each other, and a sort has the classes in
// this order. Equality keys contain the numbers of classes. APPROX_COUNT_DISTINCT merges hashes
// of such keys from several servers, so all servers must use the same numbers.
constexpr int kNullClass = 0;
constexpr int kBoolClass = 1;
constexpr int kNumberClass = 2;
constexpr int kDurationClass = 3;
constexpr int kStringClass = 4;
// ARRAY, MAP and STRUCT have a class each: this number plus the number of their type.
constexpr int kItemsClass = 5;

// A TIMESTAMP is in the class of numbers because the times of cells are INT64, and a test compares
// the two; a DATE is, as 00:00 UTC of its day. A DURATION is a length and not a point in time: no
// test compares it with another type (Comparable in evaluate_compare.cc), so sorts and groups keep
// it apart as well.
int ClassOf(ValueType type) {
  switch (type) {
    case ValueType::kNull:
      return kNullClass;
    case ValueType::kBool:
      return kBoolClass;
    case ValueType::kInt64:
    case ValueType::kFloat64:
    case ValueType::kTimestamp:
    case ValueType::kDate:
      return kNumberClass;
    case ValueType::kDuration:
      return kDurationClass;
    case ValueType::kBytes:
    case ValueType::kText:
      return kStringClass;
    case ValueType::kArray:
    case ValueType::kMap:
    case ValueType::kStruct:
      break;
  }
  return kItemsClass + static_cast<int>(type);
}

}  // namespace

std::string_view TypeName(ValueType type) {
  switch (type) {
    case ValueType::kNull:
      return "NULL";
    case ValueType::kBool:
      return "BOOL";
    case ValueType::kInt64:
      return "INT64";
    case ValueType::kFloat64:
      return "FLOAT64";
    case ValueType::kBytes:
      return "BYTES";
    case ValueType::kText:
      return "TEXT";
    case ValueType::kTimestamp:
      return "TIMESTAMP";
    case ValueType::kDuration:
      return "DURATION";
    case ValueType::kArray:
      return "ARRAY";
    case ValueType::kMap:
      return "MAP";
    case ValueType::kStruct:
      return "STRUCT";
    case ValueType::kDate:
      return "DATE";
  }
  return "?";
}

Value::Value(ValueType type, Items items)
    : type_(type), items_(std::make_shared<const Items>(std::move(items))) {}

Value Value::Float64(double value) {
  Value result(ValueType::kFloat64, 0);
  result.real_ = value;
  return result;
}

const Value::Items& Value::items() const {
  static const Items kNone;
  return items_ ? *items_ : kNone;
}

size_t Value::MemoryBytes() const {
  size_t size = sizeof(Value) + bytes_.size();
  for (const Value& item : items()) size += item.MemoryBytes();
  return size;
}

bool Value::operator==(const Value& other) const {
  if (type_ != other.type_) return false;
  switch (type_) {
    case ValueType::kNull:
      return true;
    case ValueType::kFloat64:
      // By bits, so that equality is exact: a NaN equals itself, and 0.0 differs from -0.0.
      return std::bit_cast<uint64_t>(real_) == std::bit_cast<uint64_t>(other.real_);
    case ValueType::kBytes:
    case ValueType::kText:
      return bytes_ == other.bytes_;
    case ValueType::kArray:
    case ValueType::kMap:
    case ValueType::kStruct:
      return items() == other.items();
    case ValueType::kBool:
    case ValueType::kInt64:
    case ValueType::kTimestamp:
    case ValueType::kDuration:
    case ValueType::kDate:
      break;
  }
  return integer_ == other.integer_;
}

int CompareValues(const Value& a, const Value& b) {
  int a_class = ClassOf(a.type());
  int b_class = ClassOf(b.type());
  if (a_class != b_class) return a_class < b_class ? -1 : 1;
  switch (a_class) {
    case kNullClass:
      return 0;
    case kBoolClass:
    case kDurationClass:
      return CompareIntegers(a.integer(), b.integer());
    case kNumberClass:
      return CompareNumbers(a, b);
    case kStringClass: {
      int order = a.bytes().compare(b.bytes());
      return order < 0 ? -1 : (order > 0 ? 1 : 0);
    }
    default:
      break;
  }
  const Value::Items& left = a.items();
  const Value::Items& right = b.items();
  for (size_t i = 0; i < left.size() && i < right.size(); ++i) {
    int order = CompareValues(left[i], right[i]);
    if (order != 0) return order;
  }
  return left.size() < right.size() ? -1 : (left.size() > right.size() ? 1 : 0);
}

namespace {

void AppendRealKey(double real, std::string* out) {
  // A whole FLOAT64 gets the key of the INT64 that it is equal to.
  const bool in_range = real >= -9223372036854775808.0 && real < 9223372036854775808.0;
  if (in_range && std::trunc(real) == real) {
    out->push_back('i');
    PutSigned(out, static_cast<int64_t>(real));
    return;
  }
  // NaNs of all bit patterns compare as equal.
  if (std::isnan(real)) real = std::numeric_limits<double>::quiet_NaN();
  out->push_back('r');
  PutFixed64(out, std::bit_cast<uint64_t>(real));
}

}  // namespace

// The first byte is the class; the value follows. Only in the class of numbers is there a letter
// between the two, because a number has two forms: 'i' for whole numbers and 'r' for others. BOOL
// and DURATION have a class of their own.
void AppendEqualityKey(const Value& value, std::string* out) {
  out->push_back(static_cast<char>(ClassOf(value.type())));
  switch (value.type()) {
    case ValueType::kNull:
      return;
    case ValueType::kFloat64:
      return AppendRealKey(value.real(), out);
    case ValueType::kBytes:
    case ValueType::kText:
      return PutBytes(out, value.bytes());
    case ValueType::kArray:
    case ValueType::kMap:
    case ValueType::kStruct:
      PutVarint(out, value.items().size());
      for (const Value& item : value.items()) AppendEqualityKey(item, out);
      return;
    case ValueType::kInt64:
    case ValueType::kTimestamp:
    case ValueType::kDate:
      out->push_back('i');
      return PutSigned(out, MicrosOf(value));
    case ValueType::kBool:
    case ValueType::kDuration:
      break;
  }
  PutSigned(out, value.integer());
}

void Value::Encode(std::string* out) const {
  out->push_back(static_cast<char>(type_));
  switch (type_) {
    case ValueType::kNull:
      break;
    case ValueType::kFloat64:
      PutFixed64(out, std::bit_cast<uint64_t>(real_));
      break;
    case ValueType::kBytes:
    case ValueType::kText:
      PutBytes(out, bytes_);
      break;
    case ValueType::kArray:
    case ValueType::kMap:
    case ValueType::kStruct:
      PutVarint(out, items().size());
      for (const Value& item : items()) item.Encode(out);
      break;
    case ValueType::kBool:
    case ValueType::kInt64:
    case ValueType::kTimestamp:
    case ValueType::kDuration:
    case ValueType::kDate:
      PutSigned(out, integer_);
      break;
  }
}

Value Value::Decode(Reader* reader, size_t depth) {
  uint8_t tag = reader->Byte();
  if (tag > static_cast<uint8_t>(kLastValueType) || depth > limits::kExpressionDepthMax) {
    reader->Fail();
    return {};
  }
  ValueType type = static_cast<ValueType>(tag);
  switch (type) {
    case ValueType::kNull:
      return {};
    case ValueType::kFloat64:
      return Float64(std::bit_cast<double>(reader->Fixed64()));
    case ValueType::kBytes:
    case ValueType::kText:
      return Value(type, std::string(reader->Bytes()));
    case ValueType::kArray:
    case ValueType::kMap:
    case ValueType::kStruct:
      break;
    case ValueType::kBool:
    case ValueType::kInt64:
    case ValueType::kTimestamp:
    case ValueType::kDuration:
      return Value(type, reader->Signed());
    case ValueType::kDate: {
      const int64_t days = reader->Signed();
      if (!IsDay(days)) reader->Fail();
      return IsDay(days) ? Date(days) : Null();
    }
  }
  Items items;
  size_t count = reader->Count();
  // The readers of a MAP take its items in pairs and do not check that the last key has a value.
  if (type == ValueType::kMap && count % 2 != 0) reader->Fail();
  for (size_t i = 0; i < count && reader->ok(); ++i) items.push_back(Decode(reader, depth + 1));
  return Value(type, std::move(items));
}

}  // namespace sippar::engine
