// Encodes what calls on rows (row_calls.h) and change streams carry, for call_codec.h. Decoding
// accepts arbitrary bytes and fails on wrong ones. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "cluster/api/call_codec.h"
#include "cluster/api/data_api.h"
#include "engine/base/limits.h"
#include "engine/base/status_coding.h"

namespace sippar::cluster {

// row | request id | count | entries: each its kind, then the fields of that kind. The number of
// entries is limited in addition to the number of bytes: one byte can decode to an entry, which
// takes about a hundred bytes in memory.
void PutMutation(const RowMutation& mutation, std::string* out);
void TakeMutation(engine::Reader* reader, size_t entries_max, RowMutation* mutation);

template <>
struct Coding<Status> {
  static void Put(const Status& value, std::string* out) { engine::EncodeStatus(value, out); }
  static void Take(ValueReader* reader, Status* value) { *value = engine::DecodeStatus(reader); }
};

template <class T>
struct Coding<StatusOr<T>> {
  static void Put(const StatusOr<T>& value, std::string* out) {
    engine::EncodeStatus(value.status(), out);
    if (value.ok()) Coding<T>::Put(*value, out);
  }
  static void Take(ValueReader* reader, StatusOr<T>* value) {
    Status status = engine::DecodeStatus(reader);
    if (!status.ok()) {
      *value = std::move(status);
    } else {
      Coding<T>::Take(reader, &value->emplace());
    }
  }
};

template <>
struct Coding<RowMutation> {
  static void Put(const RowMutation& value, std::string* out) { PutMutation(value, out); }
  static void Take(ValueReader* reader, RowMutation* value) {
    TakeMutation(reader, limits::kMutationEntriesMax, value);
  }
};

template <>
struct Coding<ReadSpec> {
  static void Put(const ReadSpec& value, std::string* out) { engine::EncodeReadSpec(value, out); }
  static void Take(ValueReader* reader, ReadSpec* value) {
    *value = engine::DecodeReadSpec(reader);
  }
};

// A server replaces the deletion of a row by an entry for each family, so a change may have more
// entries than a client may send.
template <>
struct Coding<Change> {
  static void Put(const Change& value, std::string* out) {
    PutMutation(value.mutation, out);
    engine::PutSigned(out, value.commit_us);
    engine::PutBytes(out, value.token);
    engine::PutSigned(out, value.low_watermark_us);
  }
  static void Take(ValueReader* reader, Change* value) {
    TakeMutation(reader, std::numeric_limits<size_t>::max(), &value->mutation);
    value->commit_us = reader->Signed();
    value->token = reader->Bytes();
    value->low_watermark_us = reader->Signed();
  }
};

// A decoded Lent owns its value (lent.h).
template <class T>
struct Coding<Lent<T>> {
  static void Put(const Lent<T>& value, std::string* out) { Coding<T>::Put(*value, out); }
  static void Take(ValueReader* reader, Lent<T>* value) {
    T decoded;
    Coding<T>::Take(reader, &decoded);
    *value = std::move(decoded);
  }
};

template <class T>
struct Coding<LentBatch<T>> {
  static void Put(const LentBatch<T>& batch, std::string* out) {
    engine::PutVarint(out, batch.size());
    for (const T* value : batch.values()) Coding<T>::Put(*value, out);
  }
  static void Take(ValueReader* reader, LentBatch<T>* batch) {
    const size_t count = reader->Count();
    if (count > limits::kMutationEntriesMax) return reader->Fail();
    std::vector<T> decoded;
    for (size_t i = 0; i < count && reader->ok(); ++i) {
      Coding<T>::Take(reader, &decoded.emplace_back());
    }
    *batch = std::move(decoded);
  }
};

}  // namespace sippar::cluster
