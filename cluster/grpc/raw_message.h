// Parses and serialises the messages of raw gRPC methods. gRPC passes on their bytes unparsed, so
// that a large message does not delay the thread that reads from the connections.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <grpcpp/impl/codegen/proto_utils.h>
#include <grpcpp/support/byte_buffer.h>

#include "engine/base/status.h"

namespace sippar::cluster {

// Parses `bytes` and leaves them empty. kInternal: they do not encode a Message. gRPC returns the
// same code for all methods whose messages it parses itself.
template <typename Message>
[[nodiscard]] Status FromBytes(grpc::ByteBuffer* bytes, Message* message) {
  bool is_good = grpc::SerializationTraits<Message>::Deserialize(bytes, message).ok();
  return is_good ? OkStatus()
                 : Internal("the request cannot be decoded as " + message->GetTypeName());
}

template <typename Message>
grpc::ByteBuffer ToBytes(const Message& message) {
  grpc::ByteBuffer bytes;
  bool is_own = false;
  (void)grpc::SerializationTraits<Message>::Serialize(message, &bytes, &is_own);  // never fails
  return bytes;
}

}  // namespace sippar::cluster
