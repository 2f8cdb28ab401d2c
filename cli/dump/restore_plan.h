// Decides what `sippar restore` does with a table, from what the store has of it. Pure.
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

// What the user says about tables that exist.
enum class IfExists { kError, kSkip, kReplace };

// The note that a restore keeps in the store while a table is incomplete. It says how far the
// restore has come, so that another run goes on there.
struct RestoreMark {
  std::string dump_id;
  uint64_t table_id = 0;  // 0: the table is being created
  uint64_t cells = 0;     // the first cells of the dump that are known to be written
  std::map<std::string, std::string> options;  // to be set when the table is complete

  std::string Encode() const;
  // nullopt: `body` is not the body of a mark.
  static std::optional<RestoreMark> Decode(std::string_view body);
};

std::string MarkName(const std::string& table);  // of the named record that holds the mark

struct ExistingTable {
  engine::TableSchema schema;
  uint64_t id = 0;
  bool is_empty = false;  // known only if the mark's table_id is 0
};

enum class RestoreAction {
  kCreate,    // there is no such table
  kSkip,      // it is left as it is
  kContinue,  // an earlier run of this restore was interrupted
  kReplace,   // it is dropped and created again
};

// kAlreadyExists: the table exists, and the user did not say what to do. kFailedPrecondition: it is
// protected, or incomplete from another dump.
[[nodiscard]] StatusOr<RestoreAction> DecideRestore(const std::string& table,
                                                    const std::optional<ExistingTable>& existing,
                                                    const std::optional<RestoreMark>& mark,
                                                    const std::string& dump_id, IfExists if_exists);

// Takes the options out of `schema` that only a complete table may have: a protected table could
// not be begun again, and a change stream would record each restored cell. Returns them.
std::map<std::string, std::string> TakeLateOptions(engine::TableSchema* schema);

}  // namespace sippar::cli
