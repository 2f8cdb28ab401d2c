// Frames: all that travels on a connection. A frame is a header of 40 bytes, little-endian, and a
// body:
//
//   offset  size
//        0     8  checksum of bytes 8 to 39; its seed is the number of the frame in its direction
//        8     8  checksum of the body
//       16     8  call number; 0 in frames that belong to no call
//       24     8  argument, see FrameKind
//       32     4  size of the body
//       36     2  method of a request
//       38     1  kind
//       39     1  flags
//
// The header has a checksum of its own, so that the reader notices a damaged size before it waits
// for that many bytes or allocates them. Because the frame's number is the seed, a frame that is
// lost, repeated or moved is noticed just as a flipped bit is. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/status.h"
#include "engine/base/trace_id.h"

namespace sippar::net {

enum class FrameKind : uint8_t {
  kHello = 1,    // body: Hello (hello.h)
  kRequest = 2,  // argument: microseconds until the deadline; 0: none
  kReply = 3,    // answer of the server, and its last frame for the call
  kPart = 4,     // a part of a stream
  kCancel = 5,   // the caller no longer waits for the answer
  kCredit = 6,   // sent by the caller; argument: bytes to add to the credit
  kPing = 7,     // asks for a pong
  kPong = 8,
  kGoodbye = 9,  // body: the Status that ends the connection
};

inline constexpr uint8_t kIsStream = 1;   // request: kPart frames answer it, then a kReply
inline constexpr uint8_t kIsFailure = 2;  // reply: the body is a Status (failure.h)
inline constexpr uint8_t kIsTraced = 4;   // request: the body ends with a trace id; see TakeTrace

inline constexpr size_t kFrameHeaderSize = 40;
// Enough for the largest mutation of one row, 256 MiB (limits.h), and the bytes around it.
inline constexpr size_t kBodySizeMax = 257u << 20;
// Largest body of a frame other than a request, a reply or a part, and of every frame until the
// hellos are exchanged: an unknown peer can make an end allocate no more than this.
inline constexpr size_t kSmallBodySizeMax = 16 << 10;

struct Frame {
  FrameKind kind = FrameKind::kPing;
  uint8_t flags = 0;
  uint16_t method = 0;
  uint64_t call = 0;
  uint64_t argument = 0;
  std::string body = {};
  // The deadline of a request on the monotonic clock of this process; 0: none. The deadline itself
  // is not sent: the argument is computed from it when the frame is written.
  int64_t deadline_nanos = 0;
  // The trace id of a request. It is sent if the other end understands trace ids; see PutTrace.
  engine::TraceId trace = {};
};

// If the request has a trace id, appends it to the body (16 bytes, the high half first) and sets
// kIsTraced. A large body that would have to be copied for this gets no trace id.
void PutTrace(Frame* request);
// Moves the trace id from the body to the frame. False: a request with kIsTraced has no trace id.
[[nodiscard]] bool TakeTrace(Frame* request);

// Appends the header of `frame`, which is frame `number` of its direction (the first is 0). The
// body follows the header on the connection and is not copied here.
void AppendFrameHeader(const Frame& frame, uint64_t number, std::string* out);

// Cuts the bytes of one direction into frames. After an error all further calls fail with it:
// nothing after a damaged frame can be trusted.
class FrameReader {
 public:
  // Allows bodies up to kBodySizeMax. Before this call the limit is kSmallBodySizeMax.
  void Open() { is_open_ = true; }
  // Appends the frames that `bytes` complete. kDataLoss: a checksum is wrong. kInvalidArgument: no
  // process of this version sends such a kind or size. Both errors name the number of the frame;
  // the frames before it are appended all the same.
  [[nodiscard]] Status Feed(std::string_view bytes, std::vector<Frame>* frames);

 private:
  Status TakeHeader();
  Status TakeBody(std::vector<Frame>* frames);

  bool is_open_ = false;
  bool has_header_ = false;  // frame_ has the fields of the header and part of the body
  uint64_t number_ = 0;
  std::string header_;  // the part of a header that has arrived
  Frame frame_;
  uint64_t body_checksum_ = 0;
  size_t body_size_ = 0;
  Status failure_;
};

}  // namespace sippar::net
