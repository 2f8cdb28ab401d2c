// The named records of a store: one state file each, all of them in memory (FORMAT.md "Directory").
// Thread safe. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "engine/base/thread.h"
#include "engine/fs/file_system.h"
#include "engine/model/named_record.h"

namespace sippar::engine {

class RecordBook {
 public:
  // Below `parent`; `fs` outlives it. Nothing is on disk before Load.
  RecordBook(FileSystem* fs, const std::string& parent)
      : fs_(fs), parent_(parent), directory_(parent + "/records") {}

  // Reads what is there; writes nothing. Once, before other calls. kDataLoss names the file.
  [[nodiscard]] Status Load();

  [[nodiscard]] StatusOr<NamedRecord> Get(const std::string& name) const;  // kNotFound
  // Those whose names begin with `prefix`, in order.
  std::vector<NamedRecord> List(const std::string& prefix) const;
  // Durable when OK. kAborted: the record's version is not `version` (0: there is none). After
  // another error the next start finds either.
  [[nodiscard]] Status Put(const std::string& name, const std::string& body, uint64_t version);
  [[nodiscard]] Status Delete(const std::string& name, uint64_t version);

 private:
  Status CheckVersion(const std::string& name, uint64_t version) const REQUIRES(mutex_);
  Status MakeDirectory() REQUIRES(mutex_);

  FileSystem* const fs_;
  const std::string parent_;
  const std::string directory_;
  mutable Mutex mutex_;
  bool has_directory_ GUARDED_BY(mutex_) = false;
  std::map<std::string, NamedRecord> records_ GUARDED_BY(mutex_);
};

}  // namespace sippar::engine
