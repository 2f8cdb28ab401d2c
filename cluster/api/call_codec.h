// Encodes calls and replies for another process: the fields of a struct in their order, with
// engine/base/coding.h. There are no field numbers, so both ends must be of one version of the wire
// (cluster/net/hello.h). Decoding accepts arbitrary bytes and fails on invalid ones. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <concepts>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "cluster/api/admin_api.h"
#include "cluster/api/control_api.h"
#include "cluster/api/struct_fields.h"
#include "engine/base/coding.h"

namespace sippar::cluster {

// The number of fields of structs that have no member kFields.
template <>
inline constexpr int kFieldsOf<RowRange> = 2;
template <>
inline constexpr int kFieldsOf<ServerId> = 2;
template <>
inline constexpr int kFieldsOf<engine::FamilyBytes> = 2;
template <>
inline constexpr int kFieldsOf<GroupStats> = 8;
template <>
inline constexpr int kFieldsOf<HotTablet> = 6;
template <>
inline constexpr int kFieldsOf<BackupInfo> = 8;
template <>
inline constexpr int kFieldsOf<SplitRecord> = 2;

// Reads the encoding of a value. If the Decode function of a type fails, for a schema with too many
// families for example, keeps the first such error.
class ValueReader : public engine::Reader {
 public:
  using Reader::Fail;
  using Reader::Reader;
  void Fail(Status why) {
    if (ok()) why_ = std::move(why);
    Fail();
  }
  const Status& why() const { return why_; }  // first error of a Decode function; OK: no such error

 private:
  Status why_;
};

// Coding<T>::Put appends a value to `out`, Take decodes one or makes the reader fail. This primary
// template encodes plain structs.
template <class T>
struct Coding {
  static void Put(const T& value, std::string* out) {
    auto put = [out](const auto&... field) {
      (Coding<std::remove_cvref_t<decltype(field)>>::Put(field, out), ...);
    };
    std::apply(put, FieldsOf(value));
  }
  static void Take(ValueReader* reader, T* value) {
    auto take = [reader](auto&... field) {
      (Coding<std::remove_cvref_t<decltype(field)>>::Take(reader, &field), ...);
    };
    std::apply(take, FieldsOf(*value));
  }
};

template <>
struct Coding<uint64_t> {
  static void Put(uint64_t value, std::string* out) { engine::PutVarint(out, value); }
  static void Take(ValueReader* reader, uint64_t* value) { *value = reader->Varint(); }
};

template <>
struct Coding<int64_t> {
  static void Put(int64_t value, std::string* out) { engine::PutSigned(out, value); }
  static void Take(ValueReader* reader, int64_t* value) { *value = reader->Signed(); }
};

template <>
struct Coding<bool> {
  static void Put(bool value, std::string* out) { out->push_back(value ? 1 : 0); }
  static void Take(ValueReader* reader, bool* value) { *value = reader->Byte() != 0; }
};

template <>
struct Coding<double> {
  static void Put(double value, std::string* out) {
    engine::PutFixed64(out, std::bit_cast<uint64_t>(value));
  }
  static void Take(ValueReader* reader, double* value) {
    *value = std::bit_cast<double>(reader->Fixed64());
  }
};

template <>
struct Coding<std::string> {
  static void Put(const std::string& value, std::string* out) { engine::PutBytes(out, value); }
  static void Take(ValueReader* reader, std::string* value) { *value = reader->Bytes(); }
};

template <>
struct Coding<TabletPhase> {
  static void Put(TabletPhase value, std::string* out) { out->push_back(static_cast<char>(value)); }
  static void Take(ValueReader* reader, TabletPhase* value) {
    uint8_t byte = reader->Byte();
    if (byte > static_cast<uint8_t>(TabletPhase::kMerging)) return reader->Fail();
    *value = static_cast<TabletPhase>(byte);
  }
};

template <class T>
struct Coding<std::vector<T>> {
  static void Put(const std::vector<T>& values, std::string* out) {
    engine::PutVarint(out, values.size());
    for (const T& value : values) Coding<T>::Put(value, out);
  }
  static void Take(ValueReader* reader, std::vector<T>* values) {
    size_t count = reader->Count();
    for (size_t i = 0; i < count && reader->ok(); ++i) {
      Coding<T>::Take(reader, &values->emplace_back());
    }
  }
};

template <class T>
struct Coding<std::map<std::string, T>> {
  static void Put(const std::map<std::string, T>& values, std::string* out) {
    engine::PutVarint(out, values.size());
    for (const auto& [name, value] : values) {
      engine::PutBytes(out, name);
      Coding<T>::Put(value, out);
    }
  }
  static void Take(ValueReader* reader, std::map<std::string, T>* values) {
    size_t count = reader->Count();
    for (size_t i = 0; i < count && reader->ok(); ++i) {
      std::string name(reader->Bytes());
      Coding<T>::Take(reader, &(*values)[std::move(name)]);
    }
  }
};

template <class T>
struct Coding<std::optional<T>> {
  static void Put(const std::optional<T>& value, std::string* out) {
    Coding<bool>::Put(value.has_value(), out);
    if (value.has_value()) Coding<T>::Put(*value, out);
  }
  static void Take(ValueReader* reader, std::optional<T>* value) {
    if (reader->Byte() != 0) Coding<T>::Take(reader, &value->emplace());
  }
};

// Encodes the types that have their own functions Encode and Decode. Some of these encodings are
// also used on disk.
template <class T>
requires requires(const T& value) {
  { value.Encode() } -> std::same_as<std::string>;
  { T::Decode(std::string_view()) } -> std::same_as<StatusOr<T>>;
}
struct Coding<T> {
  static void Put(const T& value, std::string* out) { engine::PutBytes(out, value.Encode()); }
  static void Take(ValueReader* reader, T* value) {
    StatusOr<T> decoded = T::Decode(reader->Bytes());
    if (!decoded.ok()) return reader->Fail(decoded.status());
    *value = *std::move(decoded);
  }
};

// Put normalizes a copy, because Decode validates the schema, and a caller may pass a schema that
// Normalize (engine/model/schema.h) has not completed yet.
template <>
struct Coding<TableSchema> {
  static void Put(const TableSchema& value, std::string* out) {
    TableSchema normal = value;
    normal.Normalize();
    engine::PutBytes(out, normal.Encode());
  }
  static void Take(ValueReader* reader, TableSchema* value) {
    StatusOr<TableSchema> decoded = TableSchema::Decode(reader->Bytes());
    if (!decoded.ok()) return reader->Fail(decoded.status());
    *value = *std::move(decoded);
  }
};

template <>
struct Coding<std::shared_ptr<const TableSchema>> {
  static void Put(const std::shared_ptr<const TableSchema>& value, std::string* out) {
    Coding<TableSchema>::Put(*value, out);
  }
  static void Take(ValueReader* reader, std::shared_ptr<const TableSchema>* value) {
    auto schema = std::make_shared<TableSchema>();
    Coding<TableSchema>::Take(reader, schema.get());
    *value = std::move(schema);
  }
};

// Leaves out TabletRecord::suspicion, which servers neither need nor change.
template <>
struct Coding<TabletRecord> {
  static auto FieldsToSend(auto& record) {
    return std::tie(record.table_id, record.range, record.tablet_id, record.tablet_epoch,
                    record.change, record.phase, record.server, record.state, record.logs,
                    record.split);
  }
  static void Put(const TabletRecord& record, std::string* out) {
    auto put = [out](const auto&... field) {
      (Coding<std::remove_cvref_t<decltype(field)>>::Put(field, out), ...);
    };
    std::apply(put, FieldsToSend(record));
  }
  static void Take(ValueReader* reader, TabletRecord* record) {
    auto take = [reader](auto&... field) {
      (Coding<std::remove_cvref_t<decltype(field)>>::Take(reader, &field), ...);
    };
    std::apply(take, FieldsToSend(*record));
  }
};

// Leaves out an empty `clock_doubt`, so that a version of sippar without it can decode the answer.
// The status is all of its message, so a reader sees from the end that the field is not there.
template <>
struct Coding<ClusterHealth> {
  static constexpr size_t kAlways = ClusterHealth::kFields - 1;
  static void Put(const ClusterHealth& value, std::string* out) {
    auto put = [&]<size_t... Index>(const auto& fields, std::index_sequence<Index...>) {
      (Coding<std::remove_cvref_t<decltype(std::get<Index>(fields))>>::Put(std::get<Index>(fields),
                                                                           out),
       ...);
    };
    put(FieldsOf(value), std::make_index_sequence<kAlways>());
    if (!value.clock_doubt.empty()) Coding<std::string>::Put(value.clock_doubt, out);
  }
  static void Take(ValueReader* reader, ClusterHealth* value) {
    auto take = [&]<size_t... Index>(const auto& fields, std::index_sequence<Index...>) {
      (Coding<std::remove_cvref_t<decltype(std::get<Index>(fields))>>::Take(
           reader, &std::get<Index>(fields)),
       ...);
    };
    take(FieldsOf(*value), std::make_index_sequence<kAlways>());
    if (!reader->AtEnd()) Coding<std::string>::Take(reader, &value->clock_doubt);
  }
};

// Leaves out empty `rows`, so that a version of sippar without Compact::rows can decode the call.
template <>
struct Coding<calls::Compact> {
  static void Put(const calls::Compact& call, std::string* out) {
    Coding<std::string>::Put(call.table, out);
    Coding<std::string>::Put(call.group, out);
    if (!call.rows.empty()) Coding<std::vector<RowRange>>::Put(call.rows, out);
  }
  static void Take(ValueReader* reader, calls::Compact* call) {
    Coding<std::string>::Take(reader, &call->table);
    Coding<std::string>::Take(reader, &call->group);
    if (!reader->AtEnd()) Coding<std::vector<RowRange>>::Take(reader, &call->rows);
  }
};

template <class T>
std::string EncodeValue(const T& value) {
  std::string bytes;
  Coding<T>::Put(value, &bytes);
  return bytes;
}

// Returns false if the bytes do not encode a T; `why` then gets ValueReader::why().
template <class T>
[[nodiscard]] bool DecodeValue(std::string_view bytes, T* value, Status* why = nullptr) {
  ValueReader reader(bytes);
  Coding<T>::Take(&reader, value);
  if (why != nullptr) *why = reader.why();
  return reader.AtEnd();
}

// Encodes the request of a call, on the caller's side. `any` is a Port::AnyCall.
template <class AnyCall>
std::string EncodeCall(const AnyCall& any) {
  return std::visit([](const auto& pending) { return EncodeValue(pending.call); }, any);
}

// Answers the call: decodes the reply in `encoded`, or passes on the error that came instead of a
// reply.
template <class AnyCall>
void TakeReply(const StatusOr<std::string>& encoded, const AnyCall& any) {
  if (!encoded.ok()) return Refuse(any, encoded.status());
  auto take = [&encoded]<class Call>(const Pending<Call>& pending) {
    typename Call::Reply reply;
    bool is_whole = DecodeValue(*encoded, &reply);
    // Callers index the reply of a batch, so it must have one part for each write.
    if constexpr (requires { pending.call.batch; }) {
      is_whole = is_whole && reply.size() == pending.call.batch.size();
    }
    if (!is_whole) {
      pending.answer = Internal(
          std::string("call ") + Call::kRule.name +
          ": the server's answer cannot be decoded; use the same version of sippar for server and "
          "client");
    } else if constexpr (std::is_same_v<Answer<Call>, Status>) {
      pending.answer = OkStatus();
    } else {
      pending.answer = std::move(reply);
    }
  };
  std::visit(take, any);
}

// The error that replaces an answer, or one part of the answer to a batch, that is too large.
inline Status TooLargeReply(const CallRule& rule, size_t size, size_t size_max) {
  const bool is_change = rule.effect == Effect::kUnknown;
  return ResourceExhausted(std::string("call ") + rule.name +
                           (is_change ? " was carried out, do not repeat it; but" : ":") +
                           " its answer has " + std::to_string(size) + " bytes and the limit is " +
                           std::to_string(size_max));
}

// Encodes the reply of a call that was carried out. If the reply exceeds `size_max` bytes, returns
// an error. But in the reply of a batch, an error replaces each part that no longer fits; these
// errors may exceed the limit a little.
template <class Call>
StatusOr<std::string> EncodeReply(const typename Call::Reply& reply, size_t size_max) {
  std::string bytes;
  if constexpr (requires(const Call& call) { call.batch; }) {
    engine::PutVarint(&bytes, reply.size());
    for (const auto& part : reply) {
      using Part = std::remove_cvref_t<decltype(part)>;
      const size_t before = bytes.size();
      Coding<Part>::Put(part, &bytes);
      if (!StatusIn(part).ok() || bytes.size() <= size_max) continue;
      const Part refused = TooLargeReply(Call::kRule, bytes.size(), size_max);
      bytes.resize(before);
      Coding<Part>::Put(refused, &bytes);
    }
    return bytes;
  } else {
    Coding<typename Call::Reply>::Put(reply, &bytes);
    if (bytes.size() <= size_max) return bytes;
    return TooLargeReply(Call::kRule, bytes.size(), size_max);
  }
}

// Does the server's side of a call: decodes it, carries it out and returns the encoded reply.
template <class Call, class List>
StatusOr<std::string> DoEncoded(Port<List>* port, std::string_view bytes,
                                const CallOptions& options, size_t reply_max) {
  Call call;
  if (Status why; !DecodeValue(bytes, &call, &why)) {
    // The bytes are complete, but a value in them is not allowed: the caller gets the same error as
    // from a call within one process.
    if (why.code() == StatusCode::kInvalidArgument) return why;
    return InvalidArgument(
        std::string("call ") + Call::kRule.name +
        " cannot be decoded; use the same version of sippar for server and client");
  }
  Answer<Call> answer = port->Do(call, options);
  RETURN_IF_ERROR(StatusIn(answer));
  if constexpr (std::is_same_v<Answer<Call>, Status>) {
    return std::string();
  } else {
    return EncodeReply<Call>(*answer, reply_max);
  }
}

// The rule of the call with this name; null: the interface has none.
template <class... Calls>
const CallRule* FindRule(CallList<Calls...>, std::string_view name) {
  const CallRule* rule = nullptr;
  (void)((name == Calls::kRule.name && (rule = &Calls::kRule) != nullptr) || ...);
  return rule;
}

// Calls DoEncoded for the call with this name. kUnimplemented: the interface has no such call.
template <class... Calls>
StatusOr<std::string> DoNamed(Port<CallList<Calls...>>* port, std::string_view name,
                              std::string_view bytes, const CallOptions& options,
                              size_t reply_max = std::string::npos) {
  StatusOr<std::string> reply = Unimplemented(
      "call " + std::string(name) +
      " is not supported by the server; use the same version of sippar for server and client");
  auto is_done = [&]<class Call>(const Call*) {
    if (name != Call::kRule.name) return false;
    reply = DoEncoded<Call>(port, bytes, options, reply_max);
    return true;
  };
  (void)(is_done(static_cast<const Calls*>(nullptr)) || ...);
  return reply;
}

}  // namespace sippar::cluster
