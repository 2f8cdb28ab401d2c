// Messages of calls whose bytes gRPC leaves alone, so that a large one does not hold up the thread
// that reads from connections. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <grpcpp/impl/codegen/proto_utils.h>
#include <grpcpp/support/byte_buffer.h>

#include "engine/base/status.h"

namespace sippar::cluster {

// Leaves `bytes` empty. kInternal, as for all other calls of gRPC: it is no such message.
template <typename Message>
[[nodiscard]] Status FromBytes(grpc::ByteBuffer* bytes, Message* message) {
  bool is_good = grpc::SerializationTraits<Message>::Deserialize(bytes, message).ok();
  return is_good ? OkStatus() : Internal("the request cannot be parsed");
}

template <typename Message>
grpc::ByteBuffer ToBytes(const Message& message) {
  grpc::ByteBuffer bytes;
  bool is_own = false;
  (void)grpc::SerializationTraits<Message>::Serialize(message, &bytes, &is_own);  // cannot fail
  return bytes;
}

}  // namespace sippar::cluster
