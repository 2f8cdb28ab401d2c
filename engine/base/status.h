// Errors of the whole project: absl::Status and absl::StatusOr, macros that return errors to the
// caller, the causes that a code alone does not distinguish, and a function that adds context.
// Messages are std::string (fmt), since Debian's absl::string_view is not std::string_view.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace sippar {

using absl::Status;
using absl::StatusCode;
using absl::StatusOr;

inline Status OkStatus() { return Status(); }

// The message as a std::string_view; valid while `status` exists.
inline std::string_view MessageOf(const Status& status) {
  return {status.message().data(), status.message().size()};
}

// engine/README.md ("Errors") says what each code means.
inline Status InvalidArgument(const std::string& text) {
  return {StatusCode::kInvalidArgument, text};
}
inline Status NotFound(const std::string& text) { return {StatusCode::kNotFound, text}; }
inline Status AlreadyExists(const std::string& text) { return {StatusCode::kAlreadyExists, text}; }
inline Status FailedPrecondition(const std::string& text) {
  return {StatusCode::kFailedPrecondition, text};
}
inline Status Aborted(const std::string& text) { return {StatusCode::kAborted, text}; }
inline Status Unavailable(const std::string& text) { return {StatusCode::kUnavailable, text}; }
inline Status ResourceExhausted(const std::string& text) {
  return {StatusCode::kResourceExhausted, text};
}
inline Status DataLoss(const std::string& text) { return {StatusCode::kDataLoss, text}; }
inline Status PermissionDenied(const std::string& text) {
  return {StatusCode::kPermissionDenied, text};
}
inline Status DeadlineExceeded(const std::string& text) {
  return {StatusCode::kDeadlineExceeded, text};
}
inline Status Cancelled(const std::string& text) { return {StatusCode::kCancelled, text}; }
inline Status Unimplemented(const std::string& text) { return {StatusCode::kUnimplemented, text}; }
inline Status Internal(const std::string& text) { return {StatusCode::kInternal, text}; }

// Why a call failed, if its status code has several meanings. A caller that acts on one meaning
// checks HasCause and never the code. The cause is a payload of the status: Annotate keeps it, and
// so does the protocol between our own processes, which sends the number. Clients of the Bigtable
// API get only the code and the text.
enum class Cause : uint8_t {
  kNotServed = 1,     // kOutOfRange: the server does not serve the tablet and did nothing
  kTooOld = 2,        // kOutOfRange: the changes are older than their stream's retention
  kTooLarge = 3,      // kOutOfRange: the value exceeds the memory for values
  kSessionOver = 4,   // kFailedPrecondition: the session of the lock service has ended
  kDiskFull = 5,      // kResourceExhausted: the disk or its quota is full, not some other limit
  kQueryExpired = 6,  // kFailedPrecondition: the client must prepare the query again
};
Status NotServed(const std::string& text);
Status TooOld(const std::string& text);
Status TooLarge(const std::string& text);
Status SessionOver(const std::string& text);
Status DiskFull(const std::string& text);
Status QueryExpired(const std::string& text);
bool HasCause(const Status& status, Cause cause);

// The status of an answer that is a Status or a StatusOr, for templates that handle both.
inline const Status& StatusIn(const Status& status) { return status; }
template <typename T>
const Status& StatusIn(const StatusOr<T>& answer) {
  return answer.status();
}

// Puts "context: " before the message and keeps code and cause; OK stays OK.
Status Annotate(const Status& status, std::string_view context);

}  // namespace sippar

#define SIPPAR_CONCAT_INNER(a, b) a##b
#define SIPPAR_CONCAT(a, b) SIPPAR_CONCAT_INNER(a, b)

#define RETURN_IF_ERROR(expression)              \
  do {                                           \
    ::absl::Status sippar_status = (expression); \
    if (!sippar_status.ok()) [[unlikely]]        \
      return sippar_status;                      \
  } while (false)

#define ASSIGN_OR_RETURN(target, expression) \
  ASSIGN_OR_RETURN_INNER(SIPPAR_CONCAT(sippar_or_, __LINE__), target, expression)
#define ASSIGN_OR_RETURN_INNER(holder, target, expression) \
  auto holder = (expression);                              \
  if (!holder.ok()) [[unlikely]]                           \
    return holder.status();                                \
  target = std::move(*holder)
