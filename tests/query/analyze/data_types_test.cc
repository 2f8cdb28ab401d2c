// Types that are known before a query runs.
// SPDX-License-Identifier: Apache-2.0
#include "query/analyze/data_types.h"

#include <gtest/gtest.h>

#include "cluster/node/open_client.h"
#include "engine/fs/memory_file_system.h"
#include "query/query.h"

namespace sippar::query {
namespace {

using engine::ValueType;

std::string Name(const DataType& type) {
  std::string name(engine::TypeName(type.kind));
  if (type.parts.empty()) return name;
  std::string parts;
  for (const DataType& part : type.parts) parts += (parts.empty() ? "" : ", ") + Name(part);
  return name + "<" + parts + ">";
}

class DataTypesTest : public testing::Test {
 protected:
  DataTypesTest() {
    cluster::ClientOptions options;
    options.create_if_missing = true;
    options.fs = &fs_;
    client_ = std::move(*cluster::OpenClient("/db", options));
    session_ = Session::New(client_.get(), {});
    Types("CREATE TABLE t (FAMILY f, FAMILY n COUNTER)");
  }
  std::string Types(const std::string& statement) {
    ResultTable table;
    auto summary = session_->Execute(statement, &table);
    if (!summary.ok()) return std::string(MessageOf(summary.status()));
    std::string types;
    for (const ResultColumn& column : table.columns) {
      types += (types.empty() ? "" : " | ") + Name(column.type);
    }
    return types;
  }

  engine::MemoryFileSystem fs_;
  std::unique_ptr<cluster::Client> client_;
  std::unique_ptr<Session> session_;
};

TEST_F(DataTypesTest, Columns) {
  EXPECT_EQ(Types("SELECT * FROM t"), "BYTES | MAP<BYTES, BYTES> | MAP<BYTES, INT64>");
  EXPECT_EQ(Types("SELECT row, f:a, n:a, f['a'], n['a'], f, *:a FROM t"),
            "BYTES | BYTES | INT64 | BYTES | INT64 | MAP<BYTES, BYTES> | MAP<BYTES, BYTES>");
  EXPECT_EQ(Types("SELECT f:a, n FROM t VERSIONS ALL"),
            "ARRAY<STRUCT<TIMESTAMP, BYTES>> | MAP<BYTES, ARRAY<STRUCT<TIMESTAMP, INT64>>>");
  EXPECT_EQ(Types("SELECT CELLS * FROM t"), "BYTES | BYTES | INT64 | BYTES");
  EXPECT_EQ(Types("SELECT family, value FROM CELLS(t, n:*)"), "TEXT | INT64");
}

TEST_F(DataTypesTest, TextFamilies) {
  Types(
      "CREATE TABLE s (FAMILY f, FAMILY n COUNTER, FAMILY t TYPE = TEXT, FAMILY u TYPE = STRING)");
  EXPECT_EQ(Types("SELECT t:a, t['a'], t, *:a, /^[tu]$/:a, HISTORY(t:a) FROM s"),
            "TEXT | TEXT | MAP<BYTES, TEXT> | MAP<BYTES, BYTES> | MAP<BYTES, BYTES> | "
            "ARRAY<STRUCT<TIMESTAMP, TEXT>>");
  EXPECT_EQ(Types("SELECT t:a || 'x', t:a || f:a, UPPER(t:a), COALESCE(t:a, u:a), COALESCE(t:a, "
                  "f:a), MAP_VALUES(t), INT64(t:a) FROM s"),
            "TEXT | BYTES | TEXT | TEXT | BYTES | ARRAY<TEXT> | INT64");
  EXPECT_EQ(Types("SELECT MIN(t:a), MAX(t:a), ARRAY_AGG(t:a), STRING_AGG(t:a) FROM s"),
            "TEXT | TEXT | ARRAY<TEXT> | TEXT");
  EXPECT_EQ(Types("SELECT MAX(x), MIN(y) FROM (SELECT t:a AS x, t:a || f:a AS y FROM s)"),
            "TEXT | BYTES");
  EXPECT_EQ(Types("SELECT value FROM CELLS(s, t:*, u:*)"), "TEXT");
  EXPECT_EQ(Types("SELECT value FROM CELLS(s, t:*, n:*)"), "BYTES");
  EXPECT_EQ(Types("SELECT value FROM CELLS(s, t:*, f:*)"), "BYTES");
  EXPECT_EQ(Types("SELECT t:a + 1 FROM s"), "TYPE: + does not take (TEXT, INT64)");
}

TEST_F(DataTypesTest, Expressions) {
  EXPECT_EQ(Types("SELECT n:a + 1, n:a / 2, n:a * 1.5, TIMESTAMP(f:a), NOW() - 1s FROM t"),
            "INT64 | FLOAT64 | FLOAT64 | INT64 | TIMESTAMP");
  EXPECT_EQ(Types("SELECT f:a || 'x', 'a' || 'b', 1 || 'b', SUBSTR(row, 1), UPPER('a') FROM t"),
            "BYTES | TEXT | TEXT | BYTES | TEXT");
  EXPECT_EQ(Types("SELECT f:a = 'x', f:a IS NULL, CAST(f:a AS STRING), INT64(TEXT(f:a)) FROM t"),
            "BOOL | BOOL | TEXT | INT64");
  EXPECT_EQ(Types("SELECT CASE WHEN n:a > 1 THEN 1 ELSE 2.5 END, COALESCE(f:a, 'x'), NULLIF(1, 2), "
                  "IF(n:a = 1, NULL, n:a) FROM t"),
            "FLOAT64 | BYTES | INT64 | INT64");
  EXPECT_EQ(Types("SELECT MAP_KEYS(f), MAP_VALUES(n), [1, 2.5], f:*['a'], CARDINALITY(f) FROM t"),
            "ARRAY<BYTES> | ARRAY<INT64> | ARRAY<FLOAT64> | BYTES | INT64");
  EXPECT_EQ(Types("SELECT HISTORY(n:a)[1]['value'], HISTORY(n:a)[1][1] FROM t"),
            "INT64 | TIMESTAMP");
  EXPECT_EQ(Types("SELECT NULL FROM t"), "NULL");
  EXPECT_EQ(Types("SELECT f:a + 1 FROM t"), "TYPE: + does not take (BYTES, INT64)");
}

TEST_F(DataTypesTest, GoogleFunctions) {
  EXPECT_EQ(
      Types("SELECT SQRT(n:a), SIGN(n:a), n:a & 1, f:a | x'00', SPLIT(row, '.'), RAND() FROM t"),
      "FLOAT64 | INT64 | INT64 | BYTES | ARRAY<BYTES> | FLOAT64");
  EXPECT_EQ(Types("SELECT INTERVAL 1 DAY, DATE '2026-11-20', EXTRACT(DAY FROM NOW()), "
                  "DATE_TRUNC(NOW(), DAY), TIMESTAMP(f:a) + INTERVAL 1 MONTH FROM t"),
            "DURATION | DATE | INT64 | TIMESTAMP | INT64");
  EXPECT_EQ(Types("SELECT DATE(TIMESTAMP(f:a)), DATE(n:a, 1, 1), CURRENT_DATE(), CURRENT_DATE, "
                  "PARSE_DATE('%F', TEXT(f:a)), CAST(TEXT(f:a) AS DATE) FROM t"),
            "DATE | DATE | DATE | DATE | DATE | DATE");
  EXPECT_EQ(Types("SELECT MAX(DATE(n:a)), ARRAY_AGG(DATE(n:a)) FROM t"), "DATE | ARRAY<DATE>");
  EXPECT_EQ(Types("SELECT DATE(n:a) + 1, 1 + DATE(n:a), DATE(n:a) - 1, DATE(n:a) + INTERVAL 1 DAY, "
                  "DATE(n:a) + INTERVAL 1 MONTH, DATE(n:a) - DATE(1, 1, 1), DATE(n:a) - NOW(), "
                  "DATE_TRUNC(DATE(n:a), MONTH), LAST_DAY(DATE(n:a)), UNIX_DATE(DATE(n:a)) FROM t"),
            "DATE | DATE | DATE | DATE | DATE | DURATION | DURATION | DATE | DATE | INT64");
  EXPECT_EQ(Types("SELECT [DATE(n:a)], CAST(MAP_VALUES(f) AS ARRAY<DATE>), DATE(n:a) > NOW(), "
                  "GENERATE_DATE_ARRAY(DATE(n:a), CURRENT_DATE), n:a = 1 IS TRUE FROM t"),
            "ARRAY<DATE> | ARRAY<DATE> | BOOL | ARRAY<DATE> | BOOL");
  EXPECT_EQ(Types("SELECT ARRAY_FILTER(MAP_KEYS(f), k -> k = 'x'), "
                  "ARRAY_TRANSFORM(MAP_VALUES(n), (v, i) -> v * 1.5 + i), "
                  "ARRAY_TRANSFORM([1], x -> ARRAY_TRANSFORM(['a'], y -> y)) FROM t"),
            "ARRAY<BYTES> | ARRAY<FLOAT64> | ARRAY<ARRAY<TEXT>>");
  EXPECT_EQ(
      Types("SELECT MAP_ENTRIES(n), MAP_ENTRIES(n)[OFFSET(0)].value, STRUCT(1 AS a, 'x' AS b), "
            "STRUCT(1 AS a, 'x' AS b).b, ARRAY_FIRST([1]), [1] || [2.5] FROM t"),
      "ARRAY<STRUCT<BYTES, INT64>> | INT64 | STRUCT<INT64, TEXT> | TEXT | INT64 | "
      "ARRAY<FLOAT64>");
  EXPECT_EQ(Types("SELECT * FROM UNPACK(SELECT row, f:a AS a, n:a AS n FROM t VERSIONS ALL)"),
            "BYTES | BYTES | INT64 | TIMESTAMP");
  EXPECT_EQ(Types("SELECT * FROM UNNEST(['a']) WITH OFFSET"), "TEXT | INT64");
  EXPECT_EQ(Types("SELECT * FROM t, UNNEST(MAP_ENTRIES(f)) AS e WITH OFFSET"),
            "BYTES | MAP<BYTES, BYTES> | MAP<BYTES, INT64> | STRUCT<BYTES, BYTES> | INT64");
  EXPECT_EQ(Types("SELECT part, LENGTH(part) FROM t LEFT JOIN UNNEST(SPLIT(f:a, ',')) AS part"),
            "BYTES | INT64");
  EXPECT_EQ(Types("SELECT v, v.timestamp FROM t(with_history => TRUE), UNNEST(f['a']) AS v"),
            "STRUCT<TIMESTAMP, BYTES> | TIMESTAMP");
  EXPECT_EQ(Types("SELECT q, COUNT(*) FROM t, UNNEST(MAP_KEYS(n)) AS q GROUP BY q"),
            "BYTES | INT64");
  EXPECT_EQ(Types("SELECT b, b + 1 FROM UNNEST([1]) AS a, UNNEST([a, 2]) AS b"), "INT64 | INT64");
  EXPECT_EQ(Types("SELECT SAFE.SQRT(-1), SAFE_DIVIDE(1, 0), SAFE.LEFT('a', -1) FROM t"),
            "FLOAT64 | FLOAT64 | TEXT");
  EXPECT_EQ(Types("SELECT ARRAY_TRANSFORM(MAP_VALUES(n), v -> v || 'a' || 1 + 1) FROM t"),
            "TYPE: + does not take (TEXT, INT64)");
}

TEST_F(DataTypesTest, AggregatesAndSubselects) {
  EXPECT_EQ(Types("SELECT SPLIT_PART(row, '.', 1) AS k, COUNT(*), SUM(n:a), AVG(n:a), MAX(f:a), "
                  "ARRAY_AGG(n:a) FROM t GROUP BY k"),
            "BYTES | INT64 | INT64 | FLOAT64 | BYTES | ARRAY<INT64>");
  EXPECT_EQ(Types("SELECT AVG(NOW() - TIMESTAMP(f:a)), AVG(n:a * 1s), SUM(n:a * 1s) FROM t"),
            "DURATION | DURATION | DURATION");
  EXPECT_EQ(Types("SELECT MAX(x) + 1, MIN(k) FROM (SELECT n:a AS x, row AS k FROM t)"),
            "INT64 | BYTES");
}

}  // namespace
}  // namespace sippar::query
