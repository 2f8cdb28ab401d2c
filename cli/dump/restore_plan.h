// Decides what `sippar restore` does with a table, given the table's current state in the store.
// Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "engine/base/status.h"
#include "engine/model/schema.h"

namespace sippar::cli {

// The user's choice for tables that already exist.
enum class IfExists { kError, kSkip, kReplace };

// The record that a restore keeps in the store while a table is incomplete. It holds the progress
// of the restore, so that another run continues from there.
struct RestoreMark {
  std::string dump_id;
  uint64_t table_id = 0;  // 0: the table is being created
  uint64_t cells = 0;     // cells from the beginning of the dump that are known to be written
  std::map<std::string, std::string> options;  // options to set when the table is complete

  std::string Encode() const;
  // nullopt: `body` is not an encoded mark.
  static std::optional<RestoreMark> Decode(std::string_view body);
};

std::string MarkName(const std::string& table);  // name of the record that holds the mark

struct ExistingTable {
  engine::TableSchema schema;
  uint64_t id = 0;
  bool is_empty = false;  // valid only if the mark's table_id is 0
};

enum class RestoreAction {
  kCreate,    // the table does not exist
  kSkip,      // the table stays as it is
  kContinue,  // an interrupted earlier run of this restore is continued
  kReplace,   // the table is dropped and created again; so is one that cannot be continued
};

// kAlreadyExists: the table exists, and `if_exists` is kError. kFailedPrecondition: the table is
// protected, or (unless kReplace) an interrupted restore of another dump left it.
[[nodiscard]] StatusOr<RestoreAction> DecideRestore(const std::string& table,
                                                    const std::optional<ExistingTable>& existing,
                                                    const std::optional<RestoreMark>& mark,
                                                    const std::string& dump_id, IfExists if_exists);

// Removes from `schema` the options that only a complete table may have, and returns them. If an
// incomplete table had these options, its protection would prevent a new attempt from dropping it,
// and its change stream would record each restored cell.
std::map<std::string, std::string> TakeLateOptions(engine::TableSchema* schema);

}  // namespace sippar::cli
