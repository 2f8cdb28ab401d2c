// Fuzzing what a member may get from another one whose frames are whole: calls by their names,
// requests for streams, parts and ends. The first byte says which:
//   0 to 4: the body of a call on an interface; 5: requests for streams; 6: a part, or an end
// Whatever comes: no crash, and what can be decoded is encoded to bytes that mean the same.
// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <string>

#include "cluster/api/admin_api.h"
#include "cluster/api/control_api.h"
#include "cluster/api/tablet_service.h"
#include "cluster/wire/methods.h"
#include "cluster/wire/stream_messages.h"
#include "engine/base/check.h"

namespace sippar::cluster {
namespace {

// Takes every call and does nothing.
template <class List>
class IdlePort final : public Port<List> {
 public:
  void Carry(const typename Port<List>::AnyCall& any, const CallOptions&) override {
    ++carried;
    static_cast<void>(EncodeCall(any));
    Refuse(any, Unavailable("idle"));
  }
  int carried = 0;
};

template <class List>
void CheckCall(std::string_view bytes) {
  NamedCall named;
  if (!DecodeNamedCall(bytes, &named)) return;
  NamedCall again;
  const std::string encoded = EncodeNamedCall(named);
  CHECK(DecodeNamedCall(encoded, &again) && again.name == named.name && again.call == named.call);
  IdlePort<List> port;
  const StatusCode code =
      DoNamed(static_cast<Port<List>*>(&port), named.name, named.call, {}).status().code();
  if (port.carried > 0) {
    CHECK(port.carried == 1 && code == StatusCode::kUnavailable);
  } else if (FindRule(List(), named.name) == nullptr) {
    CHECK(code == StatusCode::kUnimplemented);
  } else {
    CHECK(code == StatusCode::kInvalidArgument);
  }
}

// A value that was decoded comes back from its own bytes.
template <class T>
void CheckMessage(std::string_view bytes) {
  T value;
  if (!DecodeValue(bytes, &value)) return;
  const std::string again = EncodeValue(value);
  T same;
  CHECK(DecodeValue(again, &same) && EncodeValue(same) == again);
}

void Run(std::string_view input) {
  if (input.empty()) return;
  const std::string_view bytes = input.substr(1);
  switch (static_cast<uint8_t>(input[0]) % 7) {
    case 0:
      return CheckCall<DataApi::Calls>(bytes);
    case 1:
      return CheckCall<AdminApi::Calls>(bytes);
    case 2:
      return CheckCall<TabletService::Calls>(bytes);
    case 3:
      return CheckCall<TabletControl::Calls>(bytes);
    case 4:
      return CheckCall<MasterNotices::Calls>(bytes);
    case 5:
      CheckMessage<ReadRequest<LentTable>>(bytes);
      CheckMessage<ReadRequest<TabletAddress>>(bytes);
      CheckMessage<RunRequest<LentTable>>(bytes);
      CheckMessage<RunRequest<TabletAddress>>(bytes);
      CheckMessage<ChangesCall<LentTable>>(bytes);
      return CheckMessage<ChangesCall<TabletAddress>>(bytes);
    default: {
      CheckMessage<LastPart>(bytes);
      CheckMessage<ChangeBatch>(bytes);
      auto part = DecodePart(std::string(bytes));
      CHECK(!part.ok() || EncodePart(*std::move(part)) == bytes);
    }
  }
}

}  // namespace
}  // namespace sippar::cluster

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  sippar::cluster::Run({reinterpret_cast<const char*>(data), size});
  return 0;
}
