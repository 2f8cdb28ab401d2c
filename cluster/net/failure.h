// What a failed call says in addition to its code, and its bytes. A call that got no answer fails
// with kUnavailable: its outcome is unknown, unless the status says that it was not begun. The mark
// and the cause (engine/base/status.h) travel as payloads of the status.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "engine/base/status.h"

namespace sippar::net {

// Nothing of the call was done: it was never sent, or its server refused to begin it. The payload
// holds how long the caller should wait before it calls again, in microseconds.
inline constexpr char kNotBegun[] = "sippar/not-begun";

// The same, said by the interface that was called, of its own call: it is not in a state to take
// calls, as a master that has just lost its lock. Who serves the interface makes kNotBegun of it,
// since work that calls others in turn may return their kNotBegun.
inline constexpr char kNotTaken[] = "sippar/not-taken";

// The other end took the connection, but did not become a peer: perhaps it speaks another protocol.
inline constexpr char kNoHello[] = "sippar/no-hello";

// It said something, and that is no hello: damage on the line, or another protocol.
inline constexpr char kBadHello[] = "sippar/bad-hello";

Status MarkNotBegun(Status status, int64_t wait_us = 0);
bool IsNotBegun(const Status& status);
Status MarkNotTaken(Status status);
// The failure in other words, with its payloads.
Status Retold(const Status& failure, StatusCode code, const std::string& text);
bool IsWithoutHello(const Status& status);
bool HasBadHello(const Status& status);
// The outcome of a call that was begun, without the marks of calls that its work made in turn: what
// was certain about those is not certain about it.
Status OfBegunCall(Status status);
// The outcome of a call that an interface was given to carry out: of a begun call, unless the
// interface itself says that it has not taken it.
Status OfServedCall(Status status);
// 0: nothing was said, or call again at once.
int64_t WaitHintOf(const Status& status);

// The body of a reply that is a failure.
std::string EncodeFailure(const Status& status);
// The same for a goodbye, whose body is small: its text may be cut, and payloads are left out.
std::string EncodeGoodbye(const Status& why);
// Never OK: bytes that are no failure are a kInternal that says so.
Status DecodeFailure(std::string_view bytes);

}  // namespace sippar::net
