// SPDX-License-Identifier: Apache-2.0
#include "cluster/api/row_codec.h"

#include <utility>

#include "engine/program/program_coding.h"

namespace sippar::cluster {

void PutStatus(const Status& status, std::string* out) {
  engine::PutVarint(out, static_cast<uint64_t>(status.code()));
  if (status.ok()) [[likely]]
    return;
  engine::PutBytes(out, MessageOf(status));
  std::map<std::string, std::string> payloads;
  status.ForEachPayload(
      [&](auto url, const auto& payload) { payloads[std::string(url)] = std::string(payload); });
  Coding<std::map<std::string, std::string>>::Put(payloads, out);
}

void TakeStatus(ValueReader* reader, Status* status) {
  const uint64_t code = reader->Varint();
  if (code > static_cast<uint64_t>(StatusCode::kUnauthenticated)) return reader->Fail();
  *status = OkStatus();
  if (code == 0) [[likely]]
    return;
  *status = Status(static_cast<StatusCode>(code), std::string(reader->Bytes()));
  std::map<std::string, std::string> payloads;
  Coding<std::map<std::string, std::string>>::Take(reader, &payloads);
  for (const auto& [url, payload] : payloads) status->SetPayload(url, absl::Cord(payload));
}

void PutMutation(const RowMutation& mutation, std::string* out) {
  engine::PutBytes(out, mutation.row);
  mutation.request.Encode(out);
  engine::PutVarint(out, mutation.entries.size());
  for (const engine::MutationEntry& entry : mutation.entries) engine::EncodeEntry(entry, out);
}

void TakeMutation(engine::Reader* reader, size_t entries_max, RowMutation* mutation) {
  mutation->row = reader->Bytes();
  mutation->request = engine::RequestId::Decode(reader);
  const size_t count = reader->Count();
  if (count > entries_max) return reader->Fail();
  for (size_t i = 0; i < count && reader->ok(); ++i) {
    mutation->entries.push_back(engine::DecodeEntry(reader));
  }
}

}  // namespace sippar::cluster
