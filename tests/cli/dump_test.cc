// The text of a dump, and what a restore decides.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <filesystem>

#include "cli/commands.h"
#include "cli/dump/dump_text.h"
#include "cli/dump/restore_plan.h"
#include "cluster/node/open_client.h"
#include "engine/model/change_config.h"

namespace sippar::cli {
namespace {

TEST(DumpText, DirectivesAreReadBackAndCellsAreNone) {
  Directive directive;
  std::string end = PrintEnd("p/i/t", {17, 0xab});
  ASSERT_TRUE(ParseDirective(std::string_view(end).substr(0, end.size() - 1), &directive));
  EXPECT_EQ(directive.word, "end");
  EXPECT_EQ(directive.arguments, (std::vector<std::string>{"p/i/t", "17", "00000000000000ab"}));
  auto sum = SumOfEnd(directive);
  ASSERT_TRUE(sum.has_value());
  EXPECT_EQ(*sum, (CellSum{17, 0xab}));
  EXPECT_FALSE(SumOfEnd({"end", {"t", "x", "0"}}).has_value());
  EXPECT_FALSE(TablesOfDone({"done", {"3"}}).has_value());
  // Row keys "--\x01", "--\t", "--\\end" as a line of cells has them.
  for (const char* line :
       {"--\\x01\tf:q\t5\tv", "--\\t\tf:q\t5\tv", "--\\\\end\tf:q\t5\tv", "--", "a"}) {
    EXPECT_FALSE(ParseDirective(line, &directive)) << line;
  }
}

TEST(DumpText, TheSumKnowsNoOrderButEachLine) {
  auto sum = [](std::vector<std::string> lines) {
    CellSum all;
    for (const std::string& line : lines) all.Add(line);
    return all;
  };
  EXPECT_EQ(sum({"a", "b"}), sum({"b", "a"}));
  EXPECT_FALSE(sum({"a", "b"}) == sum({"a", "c"}));
  EXPECT_FALSE(sum({"a", "a"}) == sum({"b", "b"}));
}

TEST(DumpText, FilesOfTwoTablesHaveTwoNames) {
  EXPECT_EQ(CellsFileName("t", 0, 1), "t.cells.zst");
  EXPECT_EQ(CellsFileName("p/i/t", 1, 2), "p%2Fi%2Ft+2.cells.zst");
  EXPECT_NE(CellsFileName("t", 0, 2), CellsFileName("t.1", 0, 1));
}

ExistingTable Existing(uint64_t id, engine::FamilyType type = engine::FamilyType::kBytes) {
  ExistingTable table;
  table.schema.name = "t";
  table.schema.families.emplace_back().name = "f";
  table.schema.families.back().type = type;
  table.id = id;
  return table;
}

RestoreMark MarkOf(const std::string& dump, uint64_t table_id) {
  RestoreMark mark;
  mark.dump_id = dump;
  mark.table_id = table_id;
  return mark;
}

TEST(RestorePlan, TablesThatExist) {
  EXPECT_EQ(*DecideRestore("t", {}, {}, "d", IfExists::kError), RestoreAction::kCreate);
  EXPECT_EQ(*DecideRestore("t", {}, MarkOf("d", 7), "d", IfExists::kSkip), RestoreAction::kCreate);
  EXPECT_EQ(DecideRestore("t", Existing(7), {}, "d", IfExists::kError).status().code(),
            StatusCode::kAlreadyExists);
  EXPECT_EQ(*DecideRestore("t", Existing(7), {}, "d", IfExists::kSkip), RestoreAction::kSkip);
  EXPECT_EQ(*DecideRestore("t", Existing(7), {}, "d", IfExists::kReplace), RestoreAction::kReplace);
  ExistingTable table = Existing(7);
  table.schema.options[engine::kProtectedOption] = "TRUE";
  EXPECT_EQ(DecideRestore("t", table, {}, "d", IfExists::kReplace).status().code(),
            StatusCode::kFailedPrecondition);
}

TEST(RestorePlan, AnInterruptedRestoreGoesOn) {
  for (IfExists word : {IfExists::kError, IfExists::kSkip}) {
    EXPECT_EQ(*DecideRestore("t", Existing(7), MarkOf("d", 7), "d", word),
              RestoreAction::kContinue);
    EXPECT_EQ(DecideRestore("t", Existing(7), MarkOf("e", 7), "d", word).status().code(),
              StatusCode::kFailedPrecondition);
    // States that were merged would count twice.
    EXPECT_EQ(*DecideRestore("t", Existing(7, engine::FamilyType::kSum), MarkOf("d", 7), "d", word),
              RestoreAction::kReplace);
  }
  // A table of another id is a user's, created since.
  EXPECT_EQ(*DecideRestore("t", Existing(8), MarkOf("d", 7), "d", IfExists::kSkip),
            RestoreAction::kSkip);
  // The run ended before it knew the id: only an empty table can be its own.
  EXPECT_EQ(*DecideRestore("t", Existing(8), MarkOf("d", 0), "d", IfExists::kSkip),
            RestoreAction::kSkip);
  ExistingTable empty = Existing(8);
  empty.is_empty = true;
  EXPECT_EQ(*DecideRestore("t", empty, MarkOf("d", 0), "d", IfExists::kSkip),
            RestoreAction::kContinue);
}

TEST(RestorePlan, MarksAndLateOptions) {
  RestoreMark mark = MarkOf("d", 7);
  mark.cells = 12345;
  engine::TableSchema schema;
  schema.options = {{engine::kProtectedOption, "TRUE"},
                    {engine::kChangeStreamOption, "86400000000/5"},
                    {engine::kGranularityOption, "MILLIS"}};
  mark.options = TakeLateOptions(&schema);
  EXPECT_EQ(mark.options.size(), 2u);
  EXPECT_EQ(schema.options.size(), 1u);
  auto read = RestoreMark::Decode(mark.Encode());
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->dump_id, "d");
  EXPECT_EQ(read->table_id, 7u);
  EXPECT_EQ(read->cells, 12345u);
  EXPECT_EQ(read->options, mark.options);
  EXPECT_FALSE(RestoreMark::Decode("something else").has_value());
}

// What clients of the Cloud Bigtable API set and the language cannot write comes back, too.
TEST(Dump, OptionsOfTheApiComeBack) {
  std::string folder = testing::TempDir() + "/dump_options";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directory(folder);
  const std::string store = folder + "/store", copy = folder + "/copy", file = folder + "/x.dump";
  cluster::ClientOptions create;
  create.create_if_missing = true;
  engine::TableSchema schema;
  schema.name = "p/i/t";
  schema.families.emplace_back().name = "f";
  schema.options = {{"VALUE_TYPE/f", std::string("\x0a\x00\n \xff", 5)}, {"ROW_KEY_SCHEMA", ""}};
  {
    auto client = cluster::OpenClient(store, create);
    ASSERT_TRUE(client.ok()) << client.status().message();
    ASSERT_TRUE((*client)->admin()->Do(cluster::calls::CreateTable{schema, {}}).ok());
    ASSERT_TRUE((*client)->Close().ok());
  }
  auto run = [](int (*command)(int, char**), std::vector<std::string> words) {
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    return command(static_cast<int>(arguments.size()), arguments.data());
  };
  EXPECT_EQ(run(RunDump, {"dump", store, "--to", file}), 0);
  EXPECT_EQ(run(RunRestore, {"restore", copy, file}), 0);
  auto client = cluster::OpenClient(copy, {});
  ASSERT_TRUE(client.ok()) << client.status().message();
  auto table = (*client)->admin()->Do(cluster::calls::GetTable{schema.name});
  ASSERT_TRUE(table.ok()) << table.status().message();
  EXPECT_EQ(table->schema.options, schema.options);
  EXPECT_TRUE((*client)->admin()->Do(cluster::calls::ListRecords{"restore/"})->empty());
  ASSERT_TRUE((*client)->Close().ok());
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace sippar::cli
