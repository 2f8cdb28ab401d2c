// SPDX-License-Identifier: Apache-2.0
#include "cluster/api/row_codec.h"

#include <utility>

#include "engine/program/program_coding.h"

namespace sippar::cluster {

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
