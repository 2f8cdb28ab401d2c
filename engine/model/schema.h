// The schema of a table: families with their GC rule and type, locality groups with their storage
// settings, and options. A schema is validated as a whole and encoded for the lock service and for
// backups. Plain data.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/status.h"
#include "engine/model/gc_policy.h"

namespace sippar::engine {

// The type of a family's values. The numbers are stored on disk.
enum class FamilyType : uint8_t {
  kBytes = 0,
  kCounter = 1,  // INT64 values (8 bytes, big-endian), shown and computed as numbers
  // Aggregates (aggregate_cell.h): a cell holds the combination of its inputs.
  kSum = 2,  // sum of INT64 inputs; kMin and kMax take INT64 inputs too
  kMin = 3,
  kMax = 4,
  kUniqueInts = 5,   // approximate number of distinct INT64: a HyperLogLog
  kUniqueBytes = 6,  // approximate number of distinct byte strings: a HyperLogLog
  kText = 7,         // UTF-8; a write of other bytes is refused
};
inline constexpr FamilyType kLastFamilyType = FamilyType::kText;

inline bool IsAggregate(FamilyType type) {
  return type >= FamilyType::kSum && type <= FamilyType::kUniqueBytes;
}
// True if the family's values are INT64.
inline bool IsInt64(FamilyType type) {
  return type >= FamilyType::kCounter && type <= FamilyType::kMax;
}
// The type as SHOW and CREATE TABLE write it: COUNTER, UNIQUES(BYTES).
std::string_view FamilyTypeName(FamilyType type);

// A GC rule that a family had before its present one.
struct EarlierGc {
  GcPolicy gc;
  uint64_t until_version = 0;  // the schema version that replaced the rule
  bool operator==(const EarlierGc&) const = default;
};

// If more rules were replaced, the oldest of the list stands for all before it, as KeepAll: deletes
// made under those rules and not compacted away since may then bring back a version.
inline constexpr size_t kEarlierGcMax = 64;

struct FamilySchema {
  std::string name;  // text of the form [-_.a-zA-Z0-9]{1,64}
  FamilyType type = FamilyType::kBytes;
  GcPolicy gc;
  // Raised when one schema change drops the family and creates it again, so that the cells written
  // before the change are dropped.
  uint64_t incarnation = 0;
  // The rules before `gc`, oldest first, at most kEarlierGcMax. The master fills it when it alters
  // the table. A delete of a time range acts on the versions that the rule of its own time had left
  // (engine/read/version_history.h).
  std::vector<EarlierGc> earlier = {};
  bool operator==(const FamilySchema&) const = default;
};

enum class Compression : uint8_t { kNone = 0, kZstd = 1 };
enum class BloomKind : uint8_t { kNone = 0, kRow = 1, kRowColumn = 2 };

// A locality group: families whose cells are stored in the same files (paper section 6).
struct LocalityGroupSchema {
  std::string name;  // characters as in family names; "default" holds families of no other group
  std::vector<std::string> families;
  uint32_t block_size = 64 << 10;
  Compression compression = Compression::kZstd;
  int32_t compression_level = 1;  // zstd level, 1 to 19
  bool dictionary = true;         // true: each SSTable has a dictionary made from a sample
  BloomKind bloom = BloomKind::kRow;
  bool in_memory = false;
  bool operator==(const LocalityGroupSchema&) const = default;
};

inline constexpr std::string_view kDefaultGroup = "default";

// Names of table options; SPLIT_SIZE, kChangeStreamOption (change_config.h) and those that only the
// Cloud Bigtable API has are others.
inline constexpr const char* kGranularityOption = "GRANULARITY";        // "MILLIS", or absent
inline constexpr const char* kProtectedOption = "DELETION_PROTECTION";  // "TRUE", or absent
// Prefix of the options of single families; the family's name follows. Such an option ends with its
// family (DropFamily). Only cluster/bigtable reads it.
inline constexpr const char* kValueTypeOption = "VALUE_TYPE/";

struct TableSchema {
  std::string name;
  std::vector<FamilySchema> families;          // sorted by name (Normalize)
  std::vector<LocalityGroupSchema> groups;     // each family is in exactly one group
  std::map<std::string, std::string> options;  // options of the WITH clause and the Bigtable API

  const FamilySchema* FindFamily(std::string_view name) const;  // nullptr when absent
  const LocalityGroupSchema* FindGroup(std::string_view name) const;
  LocalityGroupSchema* FindGroup(std::string_view name);
  const LocalityGroupSchema& GroupOf(std::string_view family) const;  // Requires: family exists
  std::vector<std::string> FamilyNames() const;
  // Removes the family, its place in a group and its options; does nothing when it is absent.
  void DropFamily(std::string_view family);
  // Sorts the families and puts those without a group into "default". Call it before Validate.
  void Normalize();
  [[nodiscard]] Status Validate() const;
  std::string Encode() const;
  [[nodiscard]] static StatusOr<TableSchema> Decode(std::string_view bytes);
  bool operator==(const TableSchema&) const = default;
};

// A name is [_a-zA-Z0-9][-_.a-zA-Z0-9]{0,49}, with or without PROJECT/INSTANCE/ before it
// (table_name.h).
[[nodiscard]] Status ValidateTableName(std::string_view name);
[[nodiscard]] Status ValidateFamilyName(std::string_view name);
[[nodiscard]] Status ValidateRowKey(std::string_view row);  // 1 byte .. 64 KiB
[[nodiscard]] Status ValidateQualifier(std::string_view qualifier);

}  // namespace sippar::engine
