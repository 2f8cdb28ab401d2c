// SHOW … LIKE tests texts. The master is a fake, because real traces are of calls taken at random.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "query/query.h"

namespace sippar::query {
namespace {

using cluster::calls::Traces;

class FakeMaster final : public cluster::Client, public cluster::AdminApi {
 public:
  void Carry(const AnyCall& call, const cluster::CallOptions&) override {
    const auto* asked = std::get_if<cluster::Pending<Traces>>(&call);
    if (asked == nullptr) return cluster::Refuse(call, Unimplemented("not a call of this test"));
    cluster::CallTraceInfo read, write;
    read.call = "Read";
    write.call = "ApplyRows";
    read.table = write.table = "web";
    asked->answer = std::vector<cluster::CallTraceInfo>{read, write};
  }
  cluster::DataApi* data() override { return nullptr; }
  cluster::AdminApi* admin() override { return this; }
  engine::Clock* clock() override { return engine::Clock::System(); }
  const std::string& target() const override { return target_; }
  Status Close() override { return OkStatus(); }

 private:
  const std::string target_;
};

TEST(ShowLikeTest, TracesAreChosenByTheirCall) {
  FakeMaster master;
  const std::unique_ptr<Session> session = Session::New(&master, {});
  for (const auto& [statement, calls] : std::map<std::string, std::vector<std::string>>{
           {"SHOW TRACES", {"Read", "ApplyRows"}},
           {"SHOW TRACES LIKE 'Apply%'", {"ApplyRows"}},
           {"SHOW TRACES LIKE 'web'", {}},
           {"SHOW TRACES LIKE '%' WHERE call = 'Read'", {"Read"}}}) {
    ResultTable table;
    auto done = session->Execute(statement, &table);
    ASSERT_TRUE(done.ok()) << done.status();
    ASSERT_EQ(table.columns[2].name, "call");
    std::vector<std::string> found;
    for (const Row& row : table.rows) found.emplace_back(row[2].bytes());
    EXPECT_EQ(found, calls) << statement;
  }
}

}  // namespace
}  // namespace sippar::query
