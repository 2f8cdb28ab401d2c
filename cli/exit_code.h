// The exit codes of `sippar` (query/LANGUAGE.md, "Exit codes").
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace sippar::cli {

inline constexpr int kExitOk = 0;
inline constexpr int kExitFailed = 1;   // the command or one of its statements failed
inline constexpr int kExitUsage = 2;    // bad command line or unreadable file
inline constexpr int kExitNoStore = 3;  // the store cannot be opened, or gives no answer
// The statement met the condition of --fail-on-unapplied or --fail-on-empty.
inline constexpr int kExitUnapplied = 4;
inline constexpr int kExitTimeout = 5;        // --timeout expired
inline constexpr int kExitInterrupted = 130;  // Ctrl-C: 128 + SIGINT
inline constexpr int kExitClosedPipe = 141;   // the reader of the output is gone: 128 + SIGPIPE

}  // namespace sippar::cli
