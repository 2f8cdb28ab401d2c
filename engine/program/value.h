// The values that expressions compute with and result rows hold (query/LANGUAGE.md, "Types").
// Stored cells are BYTES; a missing cell is NULL. TEXT and BYTES compare as bytes. Copies share the
// items of ARRAY, MAP and STRUCT.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/coding.h"

namespace sippar::engine {

enum class ValueType : uint8_t {
  kNull,
  kBool,
  kInt64,
  kFloat64,
  kBytes,
  kText,
  kTimestamp,  // microseconds since 1970
  kDuration,   // microseconds
  kArray,
  kMap,     // items: key, value, key, value …, in the order of the columns or fields
  kStruct,  // a cell's version: (timestamp, value); also an aggregate's partial state
  kDate,    // days since 1970-01-01
};

// Encoded programs, values and tokens have these numbers: they never change.
constexpr ValueType kLastValueType = ValueType::kDate;

// True for a day of the years that GoogleSQL has, 0001-01-01 to 9999-12-31.
inline bool IsDay(int64_t days) { return days >= -719'162 && days <= 2'932'896; }

std::string_view TypeName(ValueType type);  // name in the query language, such as INT64

class Value {
 public:
  using Items = std::vector<Value>;

  Value() = default;  // NULL
  static Value Null() { return {}; }
  static Value Bool(bool value) { return Value(ValueType::kBool, value ? 1 : 0); }
  static Value Int64(int64_t value) { return Value(ValueType::kInt64, value); }
  static Value Float64(double value);
  static Value Bytes(std::string value) { return Value(ValueType::kBytes, std::move(value)); }
  static Value Text(std::string value) { return Value(ValueType::kText, std::move(value)); }
  static Value Timestamp(int64_t micros) { return Value(ValueType::kTimestamp, micros); }
  static Value Duration(int64_t micros) { return Value(ValueType::kDuration, micros); }
  // Requires: IsDay(days).
  static Value Date(int64_t days) { return Value(ValueType::kDate, days); }
  static Value Array(Items items) { return Value(ValueType::kArray, std::move(items)); }
  static Value Map(Items keys_and_values) {
    return Value(ValueType::kMap, std::move(keys_and_values));
  }
  static Value Struct(Items fields) { return Value(ValueType::kStruct, std::move(fields)); }

  ValueType type() const { return type_; }
  bool is_null() const { return type_ == ValueType::kNull; }
  bool is_string() const { return type_ == ValueType::kBytes || type_ == ValueType::kText; }
  bool is_number() const { return type_ == ValueType::kInt64 || type_ == ValueType::kFloat64; }
  bool is_true() const { return type_ == ValueType::kBool && integer_ != 0; }

  // Value of a BOOL (0 or 1), INT64, TIMESTAMP, DURATION or DATE.
  int64_t integer() const { return integer_; }
  double real() const { return real_; }                // FLOAT64
  const std::string& bytes() const { return bytes_; }  // BYTES, TEXT
  std::string TakeBytes() { return std::move(bytes_); }
  const Items& items() const;  // ARRAY, MAP, STRUCT; empty for others
  size_t item_count() const { return items_ == nullptr ? 0 : items_->size(); }
  // The bytes of this object, its text and all items below it, for limits of memory. Items that
  // several values share count for each of them.
  size_t MemoryBytes() const;
  // The number as FLOAT64; for times, their microseconds.
  double AsReal() const {
    return type_ == ValueType::kFloat64 ? real_ : static_cast<double>(integer_);
  }

  // These set this value to NULL, to a BOOL, INT64, TIMESTAMP, DURATION or DATE, or to BYTES or
  // TEXT. They keep the buffer of its text, for slots and results that change with each row.
  void AssignNull() { AssignInteger(ValueType::kNull, 0); }
  void AssignInteger(ValueType type, int64_t integer) {
    type_ = type;
    integer_ = integer;
    bytes_.clear();
    if (items_ != nullptr) [[unlikely]]
      items_.reset();
  }
  void AssignBytes(ValueType type, std::string_view bytes) {
    type_ = type;
    bytes_.assign(bytes);
    if (items_ != nullptr) [[unlikely]]
      items_.reset();
  }

  bool IsNan() const { return type() == ValueType::kFloat64 && std::isnan(real()); }
  // True if type and content are the same; so TEXT and BYTES differ, unlike in CompareValues.
  bool operator==(const Value& other) const;

  void Encode(std::string* out) const;
  // Fails `reader` on damage, and if values are nested deeper than limits::kExpressionDepthMax.
  static Value Decode(Reader* reader, size_t depth = 0);

  // The value as plain output shows it: NULL, TRUE, 42, 8.5, text with \xHH for bytes that are not
  // printable, {key: value}, [a, b], (6, text), 1970-01-01T00:00:00.000005Z, 1h30m, 1970-01-01.
  std::string Print() const;

 private:
  explicit Value(ValueType type, int64_t integer) : type_(type), integer_(integer) {}
  explicit Value(ValueType type, std::string bytes) : type_(type), bytes_(std::move(bytes)) {}
  Value(ValueType type, Items items);

  ValueType type_ = ValueType::kNull;
  int64_t integer_ = 0;
  double real_ = 0;
  std::string bytes_;
  std::shared_ptr<const Items> items_;
};

// Total order for sorting and grouping: NULL first, then by class of type (bool, number and time,
// duration, string, items, date), numbers by value, strings by bytes. An INT64 and a FLOAT64 of the
// same value compare as equal.
int CompareValues(const Value& a, const Value& b);

// Appends a key that is the same for exactly those values that CompareValues treats as equal: TEXT
// and BYTES, 1 and 1.0, 0.0 and -0.0, every NaN. Used for groups, DISTINCT, LIMIT BY and functions
// on ARRAYs. The value cannot be recovered from it.
void AppendEqualityKey(const Value& value, std::string* out);

using Row = std::vector<Value>;

// "1h30m", "250us", "0us"; negative durations begin with "-".
std::string PrintDuration(int64_t micros);
// 2026-11-20T12:00:00Z, with as many digits of a fraction as needed.
std::string PrintTimestamp(int64_t micros);
std::string PrintDate(int64_t days);   // 2026-11-20
std::string PrintFloat(double value);  // shortest text that reads back: 8.5, 30, 1e+300
// Keeps printable UTF-8; every other byte, and hidden characters (U+202E …), become \xHH.
std::string PrintEscaped(std::string_view bytes);

}  // namespace sippar::engine
