// Errors of the whole project: absl::Status and absl::StatusOr, macros that return errors to the
// caller, and a helper that adds context to them. Messages are std::string (fmt), since Debian's
// absl::string_view is not std::string_view. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <string>
#include <string_view>
#include <utility>

namespace sippar {

using absl::Status;
using absl::StatusCode;
using absl::StatusOr;

inline Status OkStatus() { return Status(); }

// The message as a std::string_view; valid as long as `status`.
inline std::string_view MessageOf(const Status& status) {
  return {status.message().data(), status.message().size()};
}

// engine/README.md ("Errors") says which code stands for which cause.
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
inline Status OutOfRange(const std::string& text) { return {StatusCode::kOutOfRange, text}; }
inline Status PermissionDenied(const std::string& text) {
  return {StatusCode::kPermissionDenied, text};
}
inline Status DeadlineExceeded(const std::string& text) {
  return {StatusCode::kDeadlineExceeded, text};
}
inline Status Cancelled(const std::string& text) { return {StatusCode::kCancelled, text}; }
inline Status Unimplemented(const std::string& text) { return {StatusCode::kUnimplemented, text}; }
inline Status Internal(const std::string& text) { return {StatusCode::kInternal, text}; }

// The status of an answer that is a Status or a StatusOr, for code that passes on either.
inline const Status& StatusIn(const Status& status) { return status; }
template <typename T>
const Status& StatusIn(const StatusOr<T>& answer) {
  return answer.status();
}

// Puts "context: " before the message; OK stays OK.
inline Status Annotate(const Status& status, std::string_view context) {
  if (status.ok()) return status;
  std::string text(context);
  text.append(": ").append(MessageOf(status));
  return {status.code(), text};
}

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
