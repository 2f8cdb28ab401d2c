// SPDX-License-Identifier: Apache-2.0
#include "cluster/net/frame.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "engine/base/checksum.h"
#include "engine/base/coding.h"

namespace sippar::net {
namespace {

// Memory reserved at once for an announced body; more is allocated as its bytes arrive. So a peer
// that announces large bodies on many connections and sends nothing takes only this much for each.
constexpr size_t kReserveMax = 1 << 20;

constexpr size_t kTraceSize = 16;
constexpr size_t kTracedCopyMax = 64 << 10;

bool MayBeLarge(FrameKind kind) {
  return kind == FrameKind::kRequest || kind == FrameKind::kReply || kind == FrameKind::kPart;
}

}  // namespace

void AppendFrameHeader(const Frame& frame, uint64_t number, std::string* out) {
  size_t start = out->size();
  engine::PutFixed64(out, 0);
  engine::PutFixed64(out, engine::Checksum(frame.body, 0));
  engine::PutFixed64(out, frame.call);
  engine::PutFixed64(out, frame.argument);
  engine::PutFixed32(out, static_cast<uint32_t>(frame.body.size()));
  out->push_back(static_cast<char>(frame.method & 0xff));
  out->push_back(static_cast<char>(frame.method >> 8));
  out->push_back(static_cast<char>(frame.kind));
  out->push_back(static_cast<char>(frame.flags));
  uint64_t checksum = engine::Checksum(std::string_view(*out).substr(start + 8), number);
  std::memcpy(out->data() + start, &checksum, sizeof(checksum));
}

void PutTrace(Frame* request) {
  if (request->trace.is_none()) return;
  const size_t size = request->body.size() + kTraceSize;
  if (size > request->body.capacity() && size > kTracedCopyMax) return;
  if (size > kBodySizeMax) return;
  engine::PutFixed64(&request->body, request->trace.high);
  engine::PutFixed64(&request->body, request->trace.low);
  request->flags |= kIsTraced;
}

bool TakeTrace(Frame* request) {
  if ((request->flags & kIsTraced) == 0) return true;
  if (request->body.size() < kTraceSize) return false;
  const size_t size = request->body.size() - kTraceSize;
  const char* p = request->body.data() + size;
  request->trace = {engine::GetFixed64(p), engine::GetFixed64(p + 8)};
  request->body.resize(size);
  return true;
}

Status FrameReader::Feed(std::string_view bytes, std::vector<Frame>* frames) {
  while (failure_.ok()) {
    if (!has_header_) {
      if (bytes.empty()) break;
      size_t taken = std::min(kFrameHeaderSize - header_.size(), bytes.size());
      header_.append(bytes.substr(0, taken));
      bytes.remove_prefix(taken);
      if (header_.size() < kFrameHeaderSize) break;
      failure_ = TakeHeader();
      if (!failure_.ok()) break;
    }
    size_t taken = std::min(body_size_ - frame_.body.size(), bytes.size());
    frame_.body.append(bytes.substr(0, taken));
    bytes.remove_prefix(taken);
    if (frame_.body.size() < body_size_) break;
    failure_ = TakeBody(frames);
  }
  return failure_;
}

Status FrameReader::TakeHeader() {
  const char* p = header_.data();
  if (engine::GetFixed64(p) != engine::Checksum(std::string_view(header_).substr(8), number_)) {
    return DataLoss(fmt::format(
        "frame {}: the header's checksum does not fit (found {:016x}, computed {:016x})", number_,
        engine::GetFixed64(p), engine::Checksum(std::string_view(header_).substr(8), number_)));
  }
  body_checksum_ = engine::GetFixed64(p + 8);
  frame_.call = engine::GetFixed64(p + 16);
  frame_.argument = engine::GetFixed64(p + 24);
  body_size_ = engine::GetFixed32(p + 32);
  frame_.method = static_cast<uint16_t>(static_cast<uint8_t>(p[36]) |
                                        static_cast<uint16_t>(static_cast<uint8_t>(p[37])) << 8);
  auto kind = static_cast<uint8_t>(p[38]);
  frame_.flags = static_cast<uint8_t>(p[39]);
  if (kind < static_cast<uint8_t>(FrameKind::kHello) ||
      kind > static_cast<uint8_t>(FrameKind::kGoodbye)) {
    return InvalidArgument(fmt::format(
        "frame {}: kind {} is unknown; the other end is of another version, or no sippar", number_,
        kind));
  }
  frame_.kind = static_cast<FrameKind>(kind);
  size_t size_max = is_open_ && MayBeLarge(frame_.kind) ? kBodySizeMax : kSmallBodySizeMax;
  if (body_size_ > size_max) {
    return InvalidArgument(
        fmt::format("frame {}: a body of kind {} is too large (found {} bytes, "
                    "expected at most {})",
                    number_, kind, body_size_, size_max));
  }
  frame_.body.clear();
  frame_.body.reserve(std::min(body_size_, kReserveMax));
  header_.clear();
  has_header_ = true;
  return OkStatus();
}

Status FrameReader::TakeBody(std::vector<Frame>* frames) {
  uint64_t computed = engine::Checksum(frame_.body, 0);
  if (computed != body_checksum_) {
    return DataLoss(
        fmt::format("frame {}: the body's checksum does not fit (found {:016x}, computed {:016x})",
                    number_, body_checksum_, computed));
  }
  frames->push_back(std::exchange(frame_, Frame()));
  has_header_ = false;
  ++number_;
  return OkStatus();
}

}  // namespace sippar::net
