// What the exit status of `sippar` means (query/LANGUAGE.md, "Exit codes").
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace sippar::cli {

inline constexpr int kExitOk = 0;
inline constexpr int kExitFailed = 1;         // a statement failed: syntax, meaning, execution
inline constexpr int kExitUsage = 2;          // bad command line, unreadable file
inline constexpr int kExitNoStore = 3;        // the store cannot be opened
inline constexpr int kExitUnapplied = 4;      // --fail-on-unapplied, --fail-on-empty
inline constexpr int kExitTimeout = 5;        // --timeout
inline constexpr int kExitInterrupted = 130;  // Ctrl-C
inline constexpr int kExitClosedPipe = 141;   // nobody reads the output any more

}  // namespace sippar::cli
