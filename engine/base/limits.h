// Limits of the data model, of patterns and queries, and of storage. A limit of one part alone is
// in the code of that part. Sizes are in bytes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace sippar::limits {

// Limits of the data model (paper section 2; Cloud Bigtable where the paper is silent).
inline constexpr size_t kRowKeySizeMax = 64 << 10;      // paper: "up to 64KB"
inline constexpr size_t kFamilyNameSizeMax = 64;        // Cloud Bigtable's limit
inline constexpr size_t kQualifierSizeMax = 16 << 10;   // Cloud Bigtable's limit
inline constexpr size_t kValueSizeMax = 100 << 20;      // Cloud Bigtable's hard limit
inline constexpr size_t kMutationSizeMax = 256 << 20;   // stored bytes of one row mutation
inline constexpr size_t kMutationEntriesMax = 100'000;  // Cloud Bigtable's limit
inline constexpr size_t kFamiliesPerTableMax = 100;     // paper: "hundreds at most"
inline constexpr size_t kTableNameSizeMax = 50;         // Cloud Bigtable's limit
inline constexpr size_t kTablesMax = 1'000;             // Cloud Bigtable's limit for an instance
inline constexpr size_t kGcPolicyDepthMax = 20;         // nesting depth of unions and intersections

// Limits of patterns and row programs.
inline constexpr size_t kRegexSizeMax = 4 << 10;     // size of a pattern's text
inline constexpr int64_t kRegexMemoryMax = 1 << 20;  // RE2's memory budget for one pattern
inline constexpr size_t kExpressionDepthMax = 200;   // depth limit of the evaluator's recursion
inline constexpr size_t kProgramSizeMax = 16 << 20;  // size of an encoded row program

// Limits of the query language.
inline constexpr size_t kStatementSizeMax = 16 << 20;  // size of a statement's text
inline constexpr size_t kNestingMax = 200;  // checked on tokens, before the recursive parser runs

// Limits of storage.
inline constexpr size_t kBlockSizeMax = 1 << 20;       // largest configurable block size
inline constexpr size_t kBlockRawSizeMax = 160 << 20;  // room for one value of 100 MiB with its key
}  // namespace sippar::limits
