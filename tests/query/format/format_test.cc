// Output formats: their exact text on a small result, and with every byte that could hurt: no raw
// control byte, well-formed csv and json by independent readers, cells and insert read back to the
// same bytes. SPDX-License-Identifier: Apache-2.0
#include "query/format/format.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "query/parse/parse.h"

namespace sippar::query {
namespace {

using engine::Row;
using engine::Value;

const std::vector<std::string> kCellColumns = {"row", "column", "timestamp", "value"};

std::string Format(std::string_view name, const std::vector<std::string>& columns,
                   const std::vector<Row>& rows, const std::string& next = "",
                   FormatOptions options = {}) {
  auto formatter = NewFormatter(name, options);
  EXPECT_TRUE(formatter.ok()) << formatter.status().message();
  std::string out;
  Status begun = (*formatter)->Begin(columns, &out);
  EXPECT_TRUE(begun.ok()) << begun.message();
  for (const Row& row : rows) (*formatter)->Add(row, &out);
  FormatEnd end;
  end.next = next;
  (*formatter)->End(end, &out);
  return out;
}

std::vector<Row> SmallRows() {
  return {{Value::Text("a"), Value::Int64(7), Value::Null()},
          {Value::Bytes("b,\"x\""), Value::Float64(0.5), Value::Text("")}};
}

TEST(Format, SmallResultInEveryFormat) {
  std::vector<std::string> columns = {"k", "n", "v"};
  EXPECT_EQ(Format("plain", columns, SmallRows()), "a | 7 | NULL\nb,\"x\" | 0.5 | \n");
  EXPECT_EQ(Format("csv", columns, SmallRows()), "k,n,v\na,7,\n\"b,\"\"x\"\"\",0.5,\"\"\n");
  EXPECT_EQ(Format("tsv", columns, SmallRows()), "k\tn\tv\na\t7\t\\N\nb,\"x\"\t0.5\t\n");
  EXPECT_EQ(Format("jsonl", columns, SmallRows()),
            "{\"k\":\"a\",\"n\":7,\"v\":null}\n{\"k\":\"b,\\\"x\\\"\",\"n\":0.5,\"v\":\"\"}\n");
  EXPECT_EQ(Format("line", columns, {SmallRows()[0]}, "AFTER ROW 'a'"),
            "-- row 1 --\nk = a\nn = 7\nv = NULL\nnext: AFTER ROW 'a'\n");
  EXPECT_EQ(Format("box", columns, SmallRows()),
            "┌───────┬─────┬──────┐\n"
            "│ k     │ n   │ v    │\n"
            "├───────┼─────┼──────┤\n"
            "│ a     │   7 │ NULL │\n"
            "│ b,\"x\" │ 0.5 │      │\n"
            "└───────┴─────┴──────┘\n");
  EXPECT_EQ(Format("markdown", columns, {SmallRows()[0]}),
            "| k | n | v |\n|---|---|---|\n| a | 7 | NULL |\n");
  EXPECT_EQ(Format("null", columns, SmallRows()), "");
  FormatOptions no_header;
  no_header.header = false;
  EXPECT_EQ(Format("tsv", columns, {SmallRows()[0]}, "", no_header), "a\t7\t\\N\n");
}

TEST(Format, MapsAndVersions) {
  Value map = Value::Map(
      {Value::Bytes("cnnsi.com"), Value::Bytes("CNN"), Value::Bytes(""), Value::Bytes("x")});
  Value versions = Value::Array({Value::Struct({Value::Int64(6), Value::Bytes("<html>v6")})});
  EXPECT_EQ(Format("plain", {"a", "b"}, {{map, versions}}),
            "{cnnsi.com: CNN, \"\": x} | [(6, <html>v6)]\n");
  EXPECT_EQ(Format("jsonl", {"a", "b"}, {{map, versions}}),
            "{\"a\":{\"cnnsi.com\":\"CNN\",\"\":\"x\"},"
            "\"b\":[{\"timestamp\":6,\"value\":\"<html>v6\"}]}\n");
}

TEST(Format, TextKeepsItsLines) {
  std::vector<Row> rows = {{Value::Text("one\ntwo\x1b"), Value::Bytes("a\nb")}};
  EXPECT_EQ(Format("line", {"t", "b"}, rows), "-- row 1 --\nt = one\n    two\\x1b\nb = a\\x0ab\n");
  EXPECT_EQ(Format("box", {"t", "b"}, rows),
            "┌─────────┬────────┐\n"
            "│ t       │ b      │\n"
            "├─────────┼────────┤\n"
            "│ one     │ a\\x0ab │\n"
            "│ two\\x1b │        │\n"
            "└─────────┴────────┘\n");
}

TEST(Format, WideCharactersAlign) {
  EXPECT_EQ(TextWidth("a\xe6\x97\xa5"), 3U);  // 日 is two columns
  EXPECT_EQ(TextWidth("e\xcc\x81"), 1U);      // combining acute is none
  EXPECT_EQ(CutText("abcdef", 3), "abc… (6 B)");
  EXPECT_EQ(CutText("abc", 3), "abc");
  EXPECT_EQ(CutText(std::string(2048, 'x'), 1), "x… (2.0 KiB)");
}

TEST(Format, UnknownNameSaysWhich) {
  auto formatter = NewFormatter("jsno", {});
  ASSERT_FALSE(formatter.ok());
  EXPECT_NE(formatter.status().message().find("did you mean json?"), absl::string_view::npos);
  // Whole cells only.
  auto insert = NewFormatter("insert", {});
  ASSERT_TRUE(insert.ok());
  std::string out;
  EXPECT_FALSE((*insert)->Begin({"row"}, &out).ok());
}

std::string AllBytes() {
  std::string bytes;
  for (int i = 0; i < 256; ++i) bytes.push_back(static_cast<char>(i));
  return bytes +
         "\xc2\x9b"
         "2J"
         "\x1b[31m"
         "\xe2\x82\xac";
}

std::vector<Row> HostileCells() {
  std::vector<Row> rows;
  for (const std::string& bytes : {AllBytes(), std::string("\\N"), std::string("a\tb\nc\r\\"),
                                   std::string("'\"`;--/*"), std::string(), std::string("\0", 1)}) {
    rows.push_back({Value::Bytes("k" + bytes), Value::Bytes("f:" + bytes), Value::Int64(-5),
                    Value::Bytes(bytes)});
  }
  rows.push_back({Value::Bytes("k"), Value::Bytes("hits:"), Value::Int64(1), Value::Int64(12)});
  return rows;
}

TEST(Format, NoRawControlBytes) {
  for (const std::string& name : FormatNames()) {
    SCOPED_TRACE(name);
    std::string out = Format(name, kCellColumns, HostileCells(), "AFTER ROW '\x1b'");
    for (size_t i = 0; i < out.size(); ++i) {
      auto byte = static_cast<unsigned char>(out[i]);
      bool control = byte < 0x20 && byte != '\n' && byte != '\t' && byte != '\r';
      bool c1 = byte == 0xc2 && i + 1 < out.size() && static_cast<unsigned char>(out[i + 1]) < 0xa0;
      ASSERT_FALSE(control || byte == 0x7f) << "byte " << int{byte} << " at " << i;
      if (name != "csv") ASSERT_FALSE(c1) << "at " << i;
    }
  }
}

TEST(Format, JsonIsJson) {
  std::string document = Format("json", kCellColumns, HostileCells(), "x");
  auto parsed = nlohmann::json::parse(document);
  EXPECT_EQ(parsed["rows"].size(), HostileCells().size());
  EXPECT_EQ(parsed["next"], "x");
  EXPECT_EQ(parsed["rows"][2][3], "a\tb\nc\r\\");
}

// A reader of RFC 4180 of its own.
std::vector<std::vector<std::string>> ReadCsv(const std::string& text) {
  std::vector<std::vector<std::string>> records(1, {""});
  bool quoted = false;
  for (size_t i = 0; i < text.size(); ++i) {
    std::string& field = records.back().back();
    if (quoted) {
      if (text[i] != '"') {
        field.push_back(text[i]);
      } else if (i + 1 < text.size() && text[i + 1] == '"') {
        field.push_back(text[++i]);
      } else {
        quoted = false;
      }
    } else if (text[i] == '"') {
      quoted = true;
    } else if (text[i] == ',') {
      records.back().emplace_back();
    } else if (text[i] == '\n') {
      records.emplace_back(1, "");
    } else {
      field.push_back(text[i]);
    }
  }
  records.pop_back();
  return records;
}

TEST(Format, CsvIsCsv) {
  auto records = ReadCsv(Format("csv", kCellColumns, HostileCells()));
  ASSERT_EQ(records.size(), HostileCells().size() + 1);
  for (const auto& record : records) EXPECT_EQ(record.size(), 4U);
  EXPECT_EQ(records[3][3], "a\tb\nc\r\\");
  EXPECT_EQ(records[4][3], "'\"`;--/*");
}

std::string Unescape(const std::string& field) {
  std::string out;
  for (size_t i = 0; i < field.size(); ++i) {
    if (field[i] != '\\') {
      out.push_back(field[i]);
      continue;
    }
    char c = field[++i];
    if (c == 'x') {
      out.push_back(static_cast<char>(std::stoi(field.substr(i + 1, 2), nullptr, 16)));
      i += 2;
    } else {
      out.push_back(c == 't' ? '\t' : c == 'n' ? '\n' : c == 'r' ? '\r' : c);
    }
  }
  return out;
}

TEST(Format, CellsReadBack) {
  std::string text = Format("cells", kCellColumns, HostileCells());
  std::vector<Row> rows = HostileCells();
  size_t at = 0;
  for (size_t i = 0; i < rows.size(); ++i) {
    size_t end = text.find('\n', at);
    ASSERT_NE(end, std::string::npos);
    std::vector<std::string> fields(1);
    for (char c : text.substr(at, end - at)) {
      if (c == '\t') {
        fields.emplace_back();
      } else {
        fields.back().push_back(c);
      }
    }
    at = end + 1;
    ASSERT_EQ(fields.size(), 4U);
    EXPECT_EQ(Unescape(fields[0]), rows[i][0].bytes());
    EXPECT_EQ(Unescape(fields[1]), rows[i][1].bytes());
    if (rows[i][3].is_string()) EXPECT_EQ(Unescape(fields[3]), rows[i][3].bytes());
  }
  EXPECT_EQ(at, text.size());
}

TEST(Format, InsertReadsBack) {
  FormatOptions options;
  options.table = "select";  // a name that needs quoting
  std::string text = Format("insert", kCellColumns, HostileCells(), "", options);
  auto statement = ParseStatement(text);
  ASSERT_TRUE(statement.ok()) << statement.status().message();
  const auto& insert = std::get<syntax::Insert>(statement->node);
  EXPECT_EQ(insert.table.text, "select");
  std::vector<Row> rows = HostileCells();
  ASSERT_EQ(insert.tuples.size(), rows.size());
  for (size_t i = 0; i + 1 < rows.size(); ++i) {
    EXPECT_EQ(insert.tuples[i].values[0].literal.text, rows[i][0].bytes());
    EXPECT_EQ(insert.tuples[i].values[1].literal.text, rows[i][1].bytes());
    EXPECT_EQ(insert.tuples[i].values[2].literal.integer, -5);
    EXPECT_EQ(insert.tuples[i].values[3].literal.text, rows[i][3].bytes());
  }
  // A counter goes back as a number: its family takes no bytes.
  EXPECT_EQ(insert.tuples.back().values[3].literal.integer, 12);
}

}  // namespace
}  // namespace sippar::query
