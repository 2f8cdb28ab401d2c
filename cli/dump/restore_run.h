// One run of `sippar restore`: checks the dump, then restores its tables. SPDX-License-Identifier:
// Apache-2.0
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
  // Both outlive the object.
  RestoreRun(const RestoreOptions& options, query::FileAccess* files)
      : options_(options), files_(files) {}

  // Reads the whole dump and compares it with its checksums. Does nothing for stdin, which can be
  // read only once. Errors as DumpReader::Read, and kNotFound: a table is not in the dump.
  [[nodiscard]] Status Check();
  // Restores, or lists what it would do. `client` is null if there is no store, in a dry run alone.
  // Nothing is changed if a table of a checked dump may not be restored (DecideRestore).
  [[nodiscard]] Status Restore(cluster::Client* client);

 private:
  [[nodiscard]] Status DecideAll(cluster::Client* client);
  [[nodiscard]] Status CheckNames() const;
  bool IsWanted(const std::string& table) const;

  const RestoreOptions& options_;
  query::FileAccess* const files_;
  std::string dump_id_;
  std::vector<std::pair<std::string, uint64_t>> tables_;  // in the dump, with their cells
  uint64_t cells_ = 0;                                    // of all wanted tables
};

}  // namespace sippar::cli
