// One run of `sippar restore`: checks the dump, then restores its tables.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "cli/dump/dump_reader.h"
#include "cli/dump/restore_plan.h"
#include "cluster/client/client.h"
#include "query/session/file_access.h"

namespace sippar::cli {

struct RestoreOptions {
  std::string target, from;
  std::vector<std::string> tables;  // empty: all
  IfExists if_exists = IfExists::kError;
  size_t jobs = 2;
  bool dry_run = false;
};

class RestoreRun {
 public:
  // Both arguments must outlive the object.
  RestoreRun(const RestoreOptions& options, query::FileAccess* files)
      : options_(options), files_(files) {}

  // Reads the whole dump and verifies its checksums. Does nothing for stdin, which can be read only
  // once. Returns the errors of DumpReader::Read; kNotFound if the dump lacks a wanted table;
  // kInvalidArgument for a dry run from stdin; kCancelled after Ctrl-C.
  [[nodiscard]] Status Check();
  // Restores the tables, or lists in a dry run what it would do. `client` may be null only in a dry
  // run, if there is no store. Changes nothing if DecideRestore refuses a table of a checked dump.
  [[nodiscard]] Status Restore(cluster::Client* client);

 private:
  [[nodiscard]] Status DecideAll(cluster::Client* client);
  [[nodiscard]] Status CheckNames() const;
  bool IsWanted(const std::string& table) const;

  const RestoreOptions& options_;
  query::FileAccess* const files_;
  std::string dump_id_;
  // Tables of the dump, with their numbers of cells.
  std::vector<std::pair<std::string, uint64_t>> tables_;
  uint64_t cells_ = 0;  // cells of all wanted tables
};

}  // namespace sippar::cli
