// Store and fixture of the statement tests.
// SPDX-License-Identifier: Apache-2.0
#include "tests/query/statements/statement_fixture.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <iterator>

#include "cluster/node/open_client.h"

namespace sippar::query {
namespace {

class StringInput final : public InputFile {
 public:
  explicit StringInput(std::string bytes) : bytes_(std::move(bytes)) {}
  StatusOr<size_t> Read(char* buffer, size_t size) override {
    size_t count = std::min({size, bytes_.size() - at_, size_t{7}});  // short reads on purpose
    std::memcpy(buffer, bytes_.data() + at_, count);
    at_ += count;
    return count;
  }

 private:
  std::string bytes_;
  size_t at_ = 0;
};

class StringOutput final : public OutputFile {
 public:
  explicit StringOutput(std::string* target) : target_(target) {}
  Status Write(std::string_view bytes) override {
    written_.append(bytes);
    return OkStatus();
  }
  Status Close() override {
    *target_ = written_;
    return OkStatus();
  }

 private:
  std::string* target_;
  std::string written_;
};

}  // namespace

const char* const kFixtureStatements[] = {
    "CREATE TABLE web (FAMILY anchor, FAMILY contents VERSIONS 3, FAMILY hits COUNTER, "
    "FAMILY language, LOCALITY GROUP page (contents) BLOCK_SIZE 64KiB, "
    "LOCALITY GROUP meta (anchor, language, hits) IN_MEMORY) SPLIT AT ('com.m', 'org.')",
    "INSERT INTO web CELLS VALUES "
    "('com.cnn.www', 'anchor:cnnsi.com', 9, 'CNN'), "
    "('com.cnn.www', 'anchor:my.look.ca', 8, 'CNN.com'), "
    "('com.cnn.www', 'contents:', 6, '<html>v6'), ('com.cnn.www', 'contents:', 5, '<html>v5'), "
    "('com.cnn.www', 'contents:', 3, '<html>v3'), ('com.cnn.www', 'hits:total', 9, 12), "
    "('com.cnn.www', 'language:', 6, 'EN'), "
    "('com.cnn.www/world', 'anchor:www.bbc.co.uk', 8, 'CNN World'), "
    "('com.cnn.www/world', 'contents:', 7, '<html>world'), "
    "('com.cnn.www/world', 'hits:total', 9, 5), ('com.cnn.www/world', 'language:', 7, 'EN'), "
    "('org.apache.www', 'anchor:my.look.ca', 6, 'Apache'), "
    "('org.apache.www', 'contents:', 5, '<html>apache'), ('org.apache.www', 'language:', 5, 'EN'), "
    "('org.debian.www', 'contents:', 2, '<html>debian'), ('org.debian.www', 'hits:total', 9, 30), "
    "('org.debian.www', 'language:', 2, 'DE')",
};
const size_t kFixtureStatementCount = std::size(kFixtureStatements);

StatusOr<std::unique_ptr<InputFile>> MemoryFiles::OpenInput(const std::string& path) {
  auto found = files.find(path);
  if (found == files.end()) return NotFound("no file " + path);
  return std::unique_ptr<InputFile>(std::make_unique<StringInput>(found->second));
}

StatusOr<std::unique_ptr<OutputFile>> MemoryFiles::OpenOutput(const std::string& path) {
  return std::unique_ptr<OutputFile>(std::make_unique<StringOutput>(&files[path]));
}

std::vector<std::string> Answer::Lines() const {
  std::vector<std::string> lines;
  for (const Row& row : table.rows) {
    std::string line;
    for (size_t i = 0; i < row.size(); ++i) line += (i == 0 ? "" : " | ") + row[i].Print();
    lines.push_back(line);
  }
  if (table.columns.empty() && !summary.tag.empty()) lines.push_back(summary.tag);
  if (!summary.next.empty()) {
    // Page tokens hold the time of the statement.
    bool token = summary.next.starts_with("AFTER '");
    lines.push_back(token ? "next: AFTER 'TOKEN'" : "next: " + summary.next);
  }
  return lines;
}

StatementFixture::~StatementFixture() {
  sessions_.clear();
  if (client_ != nullptr) EXPECT_TRUE(client_->Close().ok());
}

void StatementFixture::Open() {
  cluster::ClientOptions options;
  options.create_if_missing = true;
  options.fs = fs_.get();
  options.memory_limit = 64 << 20;
  auto client = cluster::OpenClient("/store", options);
  ASSERT_TRUE(client.ok()) << client.status();
  client_ = *std::move(client);
}

Session* StatementFixture::session(const std::string& connection) {
  std::unique_ptr<Session>& session = sessions_[connection];
  if (session == nullptr) {
    SessionOptions options;
    options.files = &files_;
    session = Session::New(client_.get(), options);
  }
  return session.get();
}

Answer StatementFixture::Run(std::string_view statement, const std::string& connection) {
  Answer answer;
  auto summary = session(connection)->Execute(statement, &answer.table);
  answer.status = summary.status();
  if (summary.ok()) answer.summary = *std::move(summary);
  return answer;
}

void StatementFixture::Reopen() {
  sessions_.clear();
  ASSERT_TRUE(client_->Close().ok());
  client_.reset();
  Open();
}

void StatementFixture::OpenOn(std::unique_ptr<engine::MemoryFileSystem> disk) {
  sessions_.clear();
  ASSERT_TRUE(client_->Close().ok());
  client_.reset();
  fs_ = std::move(disk);
  Open();
}

void StatementFixture::Compact(const std::string& table) {
  ASSERT_TRUE(client_->admin()->Do(cluster::calls::Compact{table, ""}).ok());
}

void StatementFixture::Reset() {
  sessions_.clear();
  if (client_ != nullptr) EXPECT_TRUE(client_->Close().ok());
  client_.reset();
  files_.files.clear();
  fs_ = std::make_unique<engine::MemoryFileSystem>();
  Open();
  for (const char* statement : kFixtureStatements) {
    Answer answer = Run(statement);
    ASSERT_TRUE(answer.status.ok()) << answer.status;
  }
  if (placement_ == Placement::kFlushed)
    ASSERT_TRUE(client_->admin()->Do(cluster::calls::Flush{"web"}).ok());
  if (placement_ == Placement::kCompacted) Compact("web");
  if (placement_ == Placement::kReopened) Reopen();
}

}  // namespace sippar::query
