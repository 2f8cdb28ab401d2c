// Output formats: their exact text on a small result, and with every byte that could hurt: no raw
// control byte on a terminal, well-formed csv and json by independent readers, csv, json, cells and
// insert read back to the same bytes.
// SPDX-License-Identifier: Apache-2.0
#include "query/format/format.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>

#include "query/format/json_value.h"
#include "query/parse/parse.h"
#include "query/session/text_width.h"

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
  EXPECT_EQ(TextWidth("\xe2\x9c\x85"), 2U);   // U+2705, an emoji below U+1F300
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
  FormatOptions options;
  options.terminal = true;
  for (const std::string& name : FormatNames()) {
    if (name == "raw") continue;  // a terminal refuses it, see RawIsBytesAlone
    SCOPED_TRACE(name);
    std::string out = Format(name, kCellColumns, HostileCells(), "AFTER ROW '\x1b'", options);
    for (size_t i = 0; i < out.size(); ++i) {
      auto byte = static_cast<unsigned char>(out[i]);
      bool control = byte < 0x20 && byte != '\n' && byte != '\t' && byte != '\r';
      bool c1 = byte == 0xc2 && i + 1 < out.size() && static_cast<unsigned char>(out[i + 1]) < 0xa0;
      ASSERT_FALSE(control || byte == 0x7f) << "byte " << int{byte} << " at " << i;
      ASSERT_FALSE(c1) << "at " << i;
    }
  }
}

TEST(Format, F_Q13_HiddenCharactersAreShownInEveryFormatOnATerminal) {
  FormatOptions terminal;
  terminal.terminal = true;
  for (const std::string hidden : {"\u202e", "\u200b", "\u2066", "\u2028", "\ufeff", "\u00ad"}) {
    Value cell = Value::Bytes("a" + hidden + "b");
    Value map = Value::Map({cell, cell});
    for (const std::string& name : FormatNames()) {
      if (name == "raw") continue;
      SCOPED_TRACE(name);
      bool cells = name == "cells" || name == "insert";
      std::vector<Row> rows = {cells ? Row{cell, cell, Value::Int64(1), cell} : Row{cell, map}};
      std::string out =
          Format(name, cells ? kCellColumns : std::vector<std::string>{"k" + hidden, "v"}, rows, "",
                 terminal);
      EXPECT_EQ(out.find(hidden), std::string::npos);
    }
  }
  // Text for people stays as it is, also wide, combining and right to left.
  std::string text = "\u65e5e\u0301\u05e9\u05dc \u2764\ufe0f";
  EXPECT_EQ(Format("plain", {"k"}, {{Value::Text(text)}}, "", terminal), text + "\n");
}

TEST(Format, RawIsBytesAlone) {
  std::string bytes("\0\xff\n\x1b", 4);
  EXPECT_EQ(Format("raw", {"v"}, {{Value::Bytes(bytes)}, {Value::Null()}, {Value::Int64(7)}}),
            bytes + "7");
  auto refused = [](const std::vector<std::string>& columns, bool terminal) {
    FormatOptions options;
    options.terminal = terminal;
    auto formatter = NewFormatter("raw", options);
    std::string out;
    return std::string((*formatter)->Begin(columns, &out).message());
  };
  EXPECT_EQ(refused({"a", "b"}, false),
            "format raw shows one column, and this result has 2: select one value");
  EXPECT_NE(refused({"a"}, true).find("write to a file or a pipe"), std::string::npos);
  EXPECT_EQ(refused({"a"}, false), "");
}

TEST(Format, JsonInBase64HasNoOtherText) {
  Value map = Value::Map({Value::Bytes("k"), Value::Text("v")});
  EXPECT_EQ(
      Format("jsonl-b64", {"a b", "m", "n", "f", "t"},
             {{Value::Text("\xff"), map, Value::Int64(-7), Value::Float64(0.5), Value::Null()}}),
      "{\"a b\":\"/w==\",\"m\":{\"aw==\":\"dg==\"},\"n\":-7,\"f\":0.5,\"t\":null}\n");
}

TEST(Format, F_Q13_RawBytesStayInFilesAndPipes) {
  std::string joined = "\u0645\u06cc\u200c\u062e";  // a zero width joiner that Persian needs
  EXPECT_EQ(Format("csv", {"k"}, {{Value::Bytes(joined)}}), "k\n" + joined + "\n");
  EXPECT_EQ(Format("tsv", {"k"}, {{Value::Bytes(joined)}}), "k\n" + joined + "\n");
}

TEST(Format, F_Q14_AnObjectHasEachKeyOnce) {
  Row row = {Value::Int64(1), Value::Int64(2), Value::Int64(3), Value::Int64(4)};
  EXPECT_EQ(Format("jsonl", {"a:x", "a:x", "a:x#2", "row"}, {row}),
            "{\"a:x\":1,\"a:x#2\":2,\"a:x#2#2\":3,\"row\":4}\n");
}

TEST(Format, F_Q14_JsonHasNoInfinity) {
  double infinity = std::numeric_limits<double>::infinity();
  Row row = {Value::Float64(infinity), Value::Float64(-infinity), Value::Float64(std::nan(""))};
  EXPECT_EQ(Format("jsonl", {"a", "b", "c"}, {row}),
            "{\"a\":\"Infinity\",\"b\":\"-Infinity\",\"c\":\"NaN\"}\n");
}

TEST(Format, F_Q15_MapsCannotBeMisread) {
  auto bytes = [](std::string text) { return Value::Bytes(std::move(text)); };
  Value one = Value::Map({bytes("a"), bytes("1, b: 2")});
  Value two = Value::Map({bytes("a"), bytes("1"), bytes("b"), bytes("2")});
  EXPECT_EQ(Format("plain", {"m", "n"}, {{one, two}}), "{a: \"1, b: 2\"} | {a: 1, b: 2}\n");
  EXPECT_EQ(Format("csv", {"m", "n"}, {{one, two}}),
            "m,n\n\"{\"\"a\"\":\"\"1, b: 2\"\"}\",\"{\"\"a\"\":\"\"1\"\",\"\"b\"\":\"\"2\"\"}\"\n");
  std::vector<Value> maps = {Value::Map({}), Value::Map({bytes(""), bytes("")}), one, two};
  for (const char* text :
       {"\\x00", "}", "\"", ":", " a", "a ", "NULL", "a, ", "x: y", "[1]", "(1, 2)"}) {
    maps.push_back(Value::Map({bytes(text), bytes("v")}));
    maps.push_back(Value::Map({bytes("k"), bytes(text)}));
  }
  maps.push_back(Value::Map({bytes(std::string("\0", 1)), bytes("v")}));
  maps.push_back(Value::Map({bytes("k"), Value::Null()}));
  for (const std::string name : {"plain", "csv", "tsv", "jsonl"}) {
    std::set<std::string> seen;
    for (const Value& map : maps) {
      std::string text = Format(name, {"m"}, {{map}});
      EXPECT_TRUE(seen.insert(text).second) << name << " " << text;
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

TEST(Format, JsonTextTakesMalformedBytesOneByOne) {
  EXPECT_EQ(JsonText("q\xc2"), "\"q\\u00c2\"");
  EXPECT_EQ(JsonText("\xc2"
                     "A\xc2\x85"),
            "\"\\u00c2A\\u0085\"");
}

TEST(Format, F_Q16_JsonSaysWhichTextsAreBytes) {
  Value bytes = Value::Bytes(std::string("\0\xff", 2));
  Value letters = Value::Bytes("\\x00\\xff");
  Value map = Value::Map({bytes, bytes, Value::Bytes("$base64"), letters});
  std::string line = Format("jsonl", {"b", "l", "m"}, {{bytes, letters, map}});
  EXPECT_EQ(line,
            "{\"b\":{\"$base64\":\"AP8=\"},\"l\":\"\\\\x00\\\\xff\","
            "\"m\":{\"$base64:AP8=\":{\"$base64\":\"AP8=\"},"
            "\"$base64:JGJhc2U2NA==\":\"\\\\x00\\\\xff\"}}\n");
  EXPECT_TRUE(nlohmann::json::accept(line));
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

TEST(Format, F_Q16_CsvHoldsTheBytesThemselves) {
  auto records = ReadCsv(Format("csv", kCellColumns, HostileCells()));
  std::vector<Row> rows = HostileCells();
  for (size_t i = 0; i + 1 < rows.size(); ++i) {
    EXPECT_EQ(records[i + 1][0], rows[i][0].bytes());
    EXPECT_EQ(records[i + 1][3], rows[i][3].bytes());
  }
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
