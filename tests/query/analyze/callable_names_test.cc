// One table of calls: what it lists can be called, and what can be called it lists.
// SPDX-License-Identifier: Apache-2.0
#include "query/analyze/callable_names.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "cluster/node/open_client.h"
#include "engine/fs/memory_file_system.h"
#include "query/query.h"

namespace sippar::query {
namespace {

TEST(CallTableTest, EveryFunctionOfProgramsThatHasANameIsListedWithItsMeaning) {
  for (const engine::FunctionInfo& info : engine::AllFunctions()) {
    if (!info.is_call) continue;
    const CallInfo* call = FindCall(info.name);
    ASSERT_NE(call, nullptr) << info.name;
    EXPECT_EQ(call->arguments_min, info.arguments_min) << info.name;
    EXPECT_EQ(call->arguments_max, info.arguments_max) << info.name;
  }
  for (size_t i = 0; i < AllCalls().size(); ++i) {
    const CallInfo& call = AllCalls()[i];
    EXPECT_FALSE(call.meaning.empty()) << call.name;
    EXPECT_FALSE(call.result.empty()) << call.name;
    if (i > 0) EXPECT_LT(AllCalls()[i - 1].name, call.name) << "each name once, in order";
  }
  EXPECT_EQ(FindCall("date_part"), FindCall("DATE_PART"));
  EXPECT_EQ(FindCall("DATE_PAR"), nullptr);
  EXPECT_EQ(FindCall(""), nullptr);
}

// "text, length [, fill]" has two to three arguments; "value, …" has one or more.
TEST(CallTableTest, SignaturesFitTheNumberOfArguments) {
  size_t with_names = 0;
  for (const CallInfo& call : AllCalls()) {
    if (call.signature.empty() || call.signature.find(" or ") != std::string_view::npos) continue;
    ++with_names;
    std::string_view names = call.signature;
    if (names.ends_with("…")) {
      EXPECT_EQ(call.arguments_max, engine::kManyArguments) << call.name;
      names.remove_suffix(std::string_view(", …").size());
    }
    auto count = [](std::string_view text) {
      return text.empty() ? 0 : static_cast<int>(std::count(text.begin(), text.end(), ',')) + 1;
    };
    std::string_view needed = names.substr(0, names.find('['));
    while (needed.ends_with(' ')) needed.remove_suffix(1);
    EXPECT_EQ(call.arguments_min, count(needed)) << call.name;
    if (call.arguments_max != engine::kManyArguments) {
      EXPECT_EQ(call.arguments_max, count(names)) << call.name;
    }
  }
  EXPECT_GT(with_names, 150u);
  EXPECT_EQ(PrintSignature(*FindCall("LPAD")), "text, length [, fill]");
  EXPECT_EQ(PrintArguments(*FindCall("LPAD")), "2-3");
  EXPECT_EQ(PrintSignature(*FindCall("NOW")), "0");
}

TEST(CallTableTest, EveryNameOfTheTableIsUnderstood) {
  engine::MemoryFileSystem fs;
  cluster::ClientOptions options;
  options.create_if_missing = true;
  options.fs = &fs;
  auto client = cluster::OpenClient("/db", options);
  ASSERT_TRUE(client.ok());
  auto session = Session::New(client->get(), {});
  auto run = [&](const std::string& text) {
    ResultTable table;
    return session->Execute(text, &table).status();
  };
  ASSERT_TRUE(run("CREATE TABLE t (FAMILY f)").ok());
  for (const CallInfo& call : AllCalls()) {
    std::string args;
    for (int i = 0; i < call.arguments_min; ++i) args += i == 0 ? "f:a" : ", f:a";
    Status status = run(fmt::format("SELECT {}({}) AS x FROM t", call.name, args));
    std::string code = status.ok() ? "" : QueryErrorOf(status).code;
    // The second argument of some aggregates is a number of items, which no column can be.
    const bool is_counted = call.kind == CallInfo::kAggregate && code == "NOT_CONSTANT";
    EXPECT_TRUE(code.empty() || code == "TYPE" || code == "DECODE" || is_counted)
        << call.name << " " << status;
    args += call.arguments_min == 0 ? "f:a" : ", f:a";
    for (int i = call.arguments_min + 1; i <= std::min(call.arguments_max, 9); ++i) args += ", f:a";
    if (call.arguments_max == engine::kManyArguments) continue;
    status = run(fmt::format("SELECT {}({}) AS x FROM t", call.name, args));
    EXPECT_EQ(status.ok() ? "" : QueryErrorOf(status).code, "ARITY") << call.name << " " << args;
  }
}

}  // namespace
}  // namespace sippar::query
