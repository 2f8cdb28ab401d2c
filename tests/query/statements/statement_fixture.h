// A store in memory with sessions on it, the Webtable fixture of the examples, and the states its
// cells can be in. Used by the statement tests.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/client/client.h"
#include "engine/fs/memory_file_system.h"
#include "query/query.h"

namespace sippar::query {

// Where the fixture's cells lie when a test looks at them.
enum class Placement { kMemtable, kFlushed, kCompacted, kReopened };

// Files of IMPORT and EXPORT, in memory.
class MemoryFiles final : public FileAccess {
 public:
  StatusOr<std::unique_ptr<InputFile>> OpenInput(const std::string& path) override;
  StatusOr<std::unique_ptr<OutputFile>> OpenOutput(const std::string& path) override;
  std::map<std::string, std::string> files;
};

struct Answer {
  Status status;
  ResultSummary summary;
  ResultTable table;
  // Rows as "a | b", then the tag, then "next: …", as far as they are there.
  std::vector<std::string> Lines() const;
};

class StatementFixture {
 public:
  explicit StatementFixture(Placement placement) : placement_(placement) {}
  ~StatementFixture();

  // A new store holding the table web of the language's examples, in this fixture's placement.
  void Reset();
  void Reopen();
  void Compact(const std::string& table);
  Answer Run(std::string_view statement, const std::string& connection = "main");
  Session* session(const std::string& connection = "main");
  cluster::Client* client() { return client_.get(); }
  MemoryFiles* files() { return &files_; }
  engine::MemoryFileSystem* disk() { return fs_.get(); }
  // Closes the store and opens the one on this disk, a copy of its own.
  void OpenOn(std::unique_ptr<engine::MemoryFileSystem> disk);

 private:
  void Open();
  Placement placement_;
  std::unique_ptr<engine::MemoryFileSystem> fs_;
  std::unique_ptr<cluster::Client> client_;
  MemoryFiles files_;
  std::map<std::string, std::unique_ptr<Session>> sessions_;
};

extern const char* const kFixtureStatements[];
extern const size_t kFixtureStatementCount;

}  // namespace sippar::query
