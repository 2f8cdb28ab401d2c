// Marks of failed calls, and the encoding of failures. The outcome of a call that failed without an
// answer is unknown, unless the mark kNotBegun says that it was not begun (channel.h). The
// marks and the cause (engine/base/status.h) travel as payloads of the status.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "engine/base/status.h"

namespace sippar::net {

// Nothing of the call was done: it was never sent, or its server refused to begin it. The payload
// holds how many microseconds the caller should wait before it calls again.
inline constexpr char kNotBegun[] = "sippar/not-begun";

// The object that serves an interface (cluster/api) sets this mark to report that it did not take
// the call, because it is in no state to take calls: for example, a master that has just lost its
// lock. OfServedCall turns this mark into kNotBegun. The object cannot set kNotBegun itself: a
// status with that mark may also come from another call that the object made in turn.
inline constexpr char kNotTaken[] = "sippar/not-taken";

// The other end accepted the connection, but the two ends did not agree by hellos: no valid hello
// came, an end refused the other's, or TLS failed. The other end may speak another protocol.
inline constexpr char kNoHello[] = "sippar/no-hello";

// The other end sent bytes that are not a hello: damaged ones, or those of another protocol.
inline constexpr char kBadHello[] = "sippar/bad-hello";

Status MarkNotBegun(Status status, int64_t wait_us = 0);
bool IsNotBegun(const Status& status);
Status MarkNotTaken(Status status);
// Returns `failure` with another code and text but with the same payloads.
Status Retold(const Status& failure, StatusCode code, const std::string& text);
bool IsWithoutHello(const Status& status);
bool HasBadHello(const Status& status);
// Removes the marks from the outcome of a call that was begun: they may come from calls that this
// call's work made in turn, and would be wrong for this call.
Status OfBegunCall(Status status);
// Returns the outcome of a call that was passed to an interface: OfBegunCall(status), and in
// addition the mark kNotBegun if the object that serves the interface has set kNotTaken.
Status OfServedCall(Status status);
// The wait in the mark kNotBegun, in microseconds. 0: the mark is missing, or no wait is needed.
int64_t WaitHintOf(const Status& status);

// Encodes a failure as the body of a reply.
std::string EncodeFailure(const Status& status);
// Encodes the reason of a goodbye, whose body must be small: the text may be cut, and payloads are
// left out.
std::string EncodeGoodbye(const Status& why);
// Never returns OK: bytes that do not encode a failure become a kInternal error that explains this.
Status DecodeFailure(std::string_view bytes);

}  // namespace sippar::net
