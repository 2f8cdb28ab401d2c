// PrepareQuery and ExecuteQuery, read as client libraries do: each batch is checked, and rows count
// only when a token has followed them.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "cluster/proto/status.pb.h"
#include "engine/base/crc32c.h"
#include "engine/base/printable.h"
#include "tests/cluster/serve/api_fixture.h"

namespace sippar::cluster {
namespace {

using Params = std::map<std::string, v2::Value>;

v2::Value TextParam(const std::string& text) {
  v2::Value value;
  value.set_string_value(text);
  return value;
}

std::string Print(const v2::Value& value) {
  switch (value.kind_case()) {
    case v2::Value::kBytesValue:
      return "b'" + engine::PrintableBytes(value.bytes_value().substr(0, 20)) + "'";
    case v2::Value::kStringValue:
      return "'" + value.string_value() + "'";
    case v2::Value::kIntValue:
      return std::to_string(value.int_value());
    case v2::Value::kFloatValue:
      return fmt::format("{}", value.float_value());
    case v2::Value::kBoolValue:
      return value.bool_value() ? "true" : "false";
    case v2::Value::kTimestampValue:
      return fmt::format("{}.{:09}", value.timestamp_value().seconds(),
                         value.timestamp_value().nanos());
    case v2::Value::kDateValue:
      return fmt::format("{}-{}-{}", value.date_value().year(), value.date_value().month(),
                         value.date_value().day());
    case v2::Value::kArrayValue: {
      std::string items;
      for (const v2::Value& item : value.array_value().values()) items += Print(item) + ",";
      return "[" + items + "]";
    }
    default:
      return "NULL";
  }
}

struct QueryResult {
  grpc::Status status;
  std::vector<std::string> rows;  // rows that a token has followed
  std::vector<std::string> tokens;
  std::vector<size_t> rows_at;  // number of rows received before each token
  size_t messages = 0;
  size_t message_size_max = 0;
};

class QueryTest : public ApiTest {
 protected:
  QueryTest() { CreateTable({"m"}); }

  StatusOr<v2::PrepareQueryResponse> Prepare(const std::string& text,
                                             const std::map<std::string, v2::Type>& params = {}) {
    v2::PrepareQueryRequest request;
    request.set_instance_name(instance_);
    request.set_query(text);
    for (const auto& [name, type] : params) (*request.mutable_param_types())[name] = type;
    v2::PrepareQueryResponse response;
    grpc::Status status = Call(data_.get(), &v2::Bigtable::Stub::PrepareQuery, request, &response);
    if (status.ok()) return response;
    return Status(static_cast<StatusCode>(status.error_code()), status.error_message());
  }

  QueryResult Execute(const v2::PrepareQueryResponse& query, const Params& params = {},
                      const std::string& resume_token = "") {
    v2::ExecuteQueryRequest request;
    request.set_instance_name(instance_);
    request.set_prepared_query(query.prepared_query());
    request.set_resume_token(resume_token);
    for (const auto& [name, value] : params) (*request.mutable_params())[name] = value;
    grpc::ClientContext context;
    auto reader = data_->ExecuteQuery(&context, request);
    QueryResult result;
    v2::ExecuteQueryResponse response;
    std::string batch;
    std::vector<v2::Value> values;
    while (reader->Read(&response)) {
      const v2::PartialResultSet& part = response.results();
      EXPECT_EQ(part.reset(), result.messages++ == 0);
      result.message_size_max = std::max(result.message_size_max, response.ByteSizeLong());
      batch += part.proto_rows_batch().batch_data();
      if (part.has_batch_checksum()) {
        EXPECT_EQ(part.batch_checksum(), engine::Crc32c(batch));
        v2::ProtoRows rows;
        EXPECT_TRUE(rows.ParseFromString(batch));
        values.insert(values.end(), rows.values().begin(), rows.values().end());
        batch.clear();
      }
      if (!part.resume_token().empty()) {
        EXPECT_TRUE(batch.empty()) << "a token inside a batch";
        AddRows(query.metadata().proto_schema().columns_size(), &values, &result);
        result.tokens.push_back(part.resume_token());
        result.rows_at.push_back(result.rows.size());
      }
    }
    result.status = reader->Finish();
    EXPECT_TRUE(!result.status.ok() || (values.empty() && batch.empty()));
    return result;
  }

  // Returns "a | b" for each row, or the error.
  std::vector<std::string> Query(const std::string& text) {
    auto query = Prepare(text);
    if (!query.ok()) return {std::string(MessageOf(query.status()))};
    QueryResult result = Execute(*query);
    if (!result.status.ok()) return {result.status.error_message()};
    return result.rows;
  }

  static std::string Columns(const v2::PrepareQueryResponse& query) {
    std::string text;
    for (const auto& column : query.metadata().proto_schema().columns()) {
      text += column.name() + " " + column.type().ShortDebugString() + "; ";
    }
    return text;
  }

  // Writes 1,000 rows k0000, k0001 … with `size` bytes each.
  void Fill(size_t size) {
    v2::MutateRowsRequest request;
    request.set_table_name(kTable);
    for (int i = 0; i < 1000; ++i) {
      auto* entry = request.add_entries();
      entry->set_row_key(fmt::format("{}{:04}", i < 500 ? "k" : "p", i));
      auto* set = entry->add_mutations()->mutable_set_cell();
      set->set_family_name("f");
      set->set_column_qualifier("q");
      set->set_value(std::string(size, static_cast<char>('a' + i % 26)));
    }
    grpc::ClientContext context;
    auto reader = data_->MutateRows(&context, request);
    v2::MutateRowsResponse response;
    while (reader->Read(&response)) {
    }
    ASSERT_TRUE(reader->Finish().ok());
  }

  std::string instance_ = kInstance;

 private:
  static void AddRows(int columns, std::vector<v2::Value>* values, QueryResult* result) {
    ASSERT_EQ(values->size() % static_cast<size_t>(columns), 0u);
    for (size_t i = 0; i < values->size(); ++i) {
      if (i % static_cast<size_t>(columns) == 0) result->rows.emplace_back();
      std::string& row = result->rows.back();
      row += (row.empty() ? "" : " | ") + Print((*values)[i]);
    }
    values->clear();
  }
};

v2::Type BytesType() {
  v2::Type type;
  type.mutable_bytes_type();
  return type;
}

TEST_F(QueryTest, ColumnsHaveNamesAndTypes) {
  auto query = Prepare("SELECT *, n['visits'] AS visits, CAST(f['q'] AS STRING) AS text FROM t");
  ASSERT_TRUE(query.ok()) << query.status();
  EXPECT_EQ(Columns(*query),
            "_key bytes_type { }; "
            "f map_type { key_type { bytes_type { } } value_type { bytes_type { } } }; "
            "g map_type { key_type { bytes_type { } } value_type { bytes_type { } } }; "
            "n map_type { key_type { bytes_type { } } value_type { int64_type { } } }; "
            "visits int64_type { }; text string_type { }; ");
  EXPECT_GT(query->valid_until().seconds(), clock_.NowMicros() / 1'000'000);
  query = Prepare("SELECT f['q'] AS h FROM t(with_history => TRUE)");
  ASSERT_TRUE(query.ok()) << query.status();
  EXPECT_EQ(Columns(*query),
            "h array_type { element_type { struct_type { "
            "fields { field_name: \"timestamp\" type { timestamp_type { } } } "
            "fields { field_name: \"value\" type { bytes_type { } } } } } }; ");
}

TEST_F(QueryTest, Rows) {
  ASSERT_TRUE(Set(std::string("a\xff\0", 3), "f", "q", 1000, "old").ok());
  ASSERT_TRUE(Set(std::string("a\xff\0", 3), "f", "q", 2'500'000, "new").ok());
  ASSERT_TRUE(Set("z", "g", "", 1000, "\xfe").ok());
  EXPECT_EQ(Query("SELECT * FROM t"),
            (std::vector<std::string>{R"(b'a\xff\x00' | [[b'q',b'new',],] | [] | [])",
                                      R"(b'z' | [] | [[b'',b'\xfe',],] | [])"}));
  EXPECT_EQ(Query("SELECT f['q'] FROM t(with_history => TRUE) WHERE _key < 'b'"),
            std::vector<std::string>{"[[2.500000000,b'new',],[0.001000000,b'old',],]"});
  EXPECT_EQ(Query("SELECT f['q'], f['q'] IS NULL, 1.5, TIMESTAMP '1970-01-01 00:00:01' FROM t "
                  "WHERE _key >= 'z'"),
            std::vector<std::string>{"NULL | true | 1.5 | 1.000000000"});
  EXPECT_EQ(Query("SELECT COUNT(*), MAX(f['q']) FROM t"), std::vector<std::string>{"2 | b'new'"});
  EXPECT_EQ(Query("SELECT _key FROM t WHERE _key = 'none'"), std::vector<std::string>{});
  // A value that the query casts to STRING must be UTF-8.
  EXPECT_EQ(Query("SELECT CAST(g[''] AS STRING) FROM t WHERE _key = 'z'")[0].substr(0, 7),
            "DECODE:");
}

TEST_F(QueryTest, F_A8_TablesHaveNamesAndFunctionsThoseOfGoogle) {
  ASSERT_TRUE(Set("a", "f", "q", 1000, "12").ok());
  EXPECT_EQ(Query("SELECT x._key, SAFE_CAST(CAST(x.f['q'] AS STRING) AS INT64) AS n, "
                  "IFNULL(x.f['none'], b'-') AS other, UNIX_MILLIS(TIMESTAMP_SECONDS(2)) AS ms "
                  "FROM t AS x WHERE REGEXP_CONTAINS(x._key, '^a') AND MAP_CONTAINS_KEY(x.f, 'q')"),
            std::vector<std::string>{"b'a' | 12 | b'-' | 2000"});
  auto query =
      Prepare("SELECT CURRENT_TIMESTAMP() AS now, ARRAY_LENGTH(MAP_KEYS(x.f)) AS n FROM t AS x");
  ASSERT_TRUE(query.ok()) << query.status();
  EXPECT_EQ(Columns(*query), "now timestamp_type { }; n int64_type { }; ");
}

TEST_F(QueryTest, FunctionsOfGoogleSql) {
  ASSERT_TRUE(Set("a#b", "f", "q", 1000, "x,y").ok());
  ASSERT_TRUE(Set("a#b", "f", "q", 2000, "z").ok());
  EXPECT_EQ(Query("SELECT SPLIT(_key, b'#')[OFFSET(1)], BIT_COUNT(f['q']), ~7 & 15, "
                  "ARRAY_TRANSFORM([1, 2], e -> e * 2), SAFE.SQRT(-1), DATE '1970-01-02', "
                  "TO_VECTOR32(b'\\x3f\\x80\\x00\\x00') FROM t w WHERE w._key ILIKE 'A%'"),
            std::vector<std::string>{"b'b' | 5 | 8 | [2,4,] | NULL | 1970-1-2 | [1,]"});
  auto query = Prepare("SELECT MAP_ENTRIES(f) AS e, STRUCT(1 AS n, 'x' AS s) AS s FROM t");
  ASSERT_TRUE(query.ok()) << query.status();
  EXPECT_EQ(Columns(*query),
            "e array_type { element_type { struct_type { "
            "fields { field_name: \"key\" type { bytes_type { } } } "
            "fields { field_name: \"value\" type { bytes_type { } } } } } }; "
            "s struct_type { fields { field_name: \"n\" type { int64_type { } } } "
            "fields { field_name: \"s\" type { string_type { } } } }; ");
  EXPECT_EQ(Execute(*query).rows, std::vector<std::string>{"[[b'q',b'z',],] | [1,'x',]"});
  EXPECT_EQ(
      Query("SELECT * FROM UNPACK((SELECT _key, f['q'] AS q FROM t(with_history => TRUE)))"),
      (std::vector<std::string>{"b'a#b' | b'z' | 0.002000000", "b'a#b' | b'x,y' | 0.001000000"}));
  EXPECT_EQ(
      Query("SELECT part, i FROM t AS w, UNNEST(SPLIT(w._key, b'#')) AS part WITH OFFSET AS i "
            "WHERE _key = b'a#b' AND part != b'x'"),
      (std::vector<std::string>{"b'a' | 0", "b'b' | 1"}));
  query = Prepare("SELECT e.key AS k, e, i FROM t, UNNEST(MAP_ENTRIES(f)) AS e WITH OFFSET AS i");
  ASSERT_TRUE(query.ok()) << query.status();
  EXPECT_EQ(Columns(*query),
            "k bytes_type { }; e struct_type { "
            "fields { field_name: \"key\" type { bytes_type { } } } "
            "fields { field_name: \"value\" type { bytes_type { } } } }; i int64_type { }; ");
  EXPECT_EQ(Execute(*query).rows, std::vector<std::string>{"b'q' | [b'q',b'z',] | 0"});
  EXPECT_EQ(
      Query("SELECT INTERVAL 5 DAY AS d"),
      std::vector<std::string>{"NO_TYPE: column d is a DURATION, which the API does not have; "
                               "CAST(x AS INT64), CAST(x AS STRING)"});
}

TEST_F(QueryTest, Parameters) {
  ASSERT_TRUE(Set("a", "f", "q", 1000, "1").ok());
  ASSERT_TRUE(Set("b", "f", "q", 1000, "2").ok());
  v2::Type list;
  *list.mutable_array_type()->mutable_element_type() = BytesType();
  v2::Type text;
  text.mutable_string_type();
  v2::Type color;
  color.mutable_enum_type();
  EXPECT_EQ(
      Prepare("SELECT _key FROM t WHERE _key = @color", {{"color", color}}).status().message(),
      "param_types: @color: enum_type is not supported; use BYTES, STRING, INT64, FLOAT32, "
      "FLOAT64, BOOL, TIMESTAMP, DATE or an ARRAY of these");
  auto query = Prepare("SELECT _key, @text AS text FROM t WHERE _key IN UNNEST(@keys)",
                       {{"keys", list}, {"text", text}});
  ASSERT_TRUE(query.ok()) << query.status();
  Params params;
  params["keys"].mutable_array_value()->add_values()->set_bytes_value("b");
  params["keys"].mutable_array_value()->add_values()->set_bytes_value("c");
  params["text"] = TextParam("x");
  EXPECT_EQ(Execute(*query, params).rows, std::vector<std::string>{"b'b' | 'x'"});
  params["text"] = v2::Value();  // an empty value is NULL
  EXPECT_EQ(Execute(*query, params).rows, std::vector<std::string>{"b'b' | NULL"});
  params["text"].set_int_value(3);
  EXPECT_EQ(Execute(*query, params).status.error_message(),
            "params: @text was prepared as TEXT, but its value is INT64");
  params.erase("text");
  EXPECT_EQ(Execute(*query, params).status.error_message(), "params: @text (TEXT) has no value");
  params["text"] = TextParam("x");
  params["more"] = TextParam("x");
  QueryResult result = Execute(*query, params);
  EXPECT_EQ(result.status.error_message(), "params: the prepared query has no parameter @more");
  EXPECT_EQ(result.status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
}

v2::Value DateParam(int year, int month, int day) {
  v2::Value value;
  value.mutable_date_value()->set_year(year);
  value.mutable_date_value()->set_month(month);
  value.mutable_date_value()->set_day(day);
  return value;
}

TEST_F(QueryTest, Dates) {
  v2::Type date, list;
  date.mutable_date_type();
  *list.mutable_array_type()->mutable_element_type() = date;
  auto query = Prepare(
      "SELECT @day AS day, @day + 1 AS next, DATE '0001-01-01' AS first, [@day] AS "
      "days, @day IN UNNEST(@list) AS found, TIMESTAMP '2024-02-28' < @day AS later",
      {{"day", date}, {"list", list}});
  ASSERT_TRUE(query.ok()) << query.status();
  EXPECT_EQ(Columns(*query),
            "day date_type { }; next date_type { }; first date_type { }; "
            "days array_type { element_type { date_type { } } }; found bool_type { }; "
            "later bool_type { }; ");
  Params params;
  params["day"] = DateParam(2024, 2, 28);
  *params["list"].mutable_array_value()->add_values() = DateParam(2024, 2, 28);
  EXPECT_EQ(
      Execute(*query, params).rows,
      std::vector<std::string>{"2024-2-28 | 2024-2-29 | 1-1-1 | [2024-2-28,] | true | false"});
  params["day"] = v2::Value();
  EXPECT_EQ(Execute(*query, params).rows,
            std::vector<std::string>{"NULL | NULL | 1-1-1 | [NULL,] | NULL | NULL"});
  // Values that google.type.Date can have and a DATE cannot.
  for (const v2::Value& wrong : {DateParam(0, 1, 1), DateParam(2024, 0, 0), DateParam(2023, 2, 29),
                                 DateParam(10'000, 1, 1), DateParam(2024, 13, 1)}) {
    params["day"] = wrong;
    grpc::Status status = Execute(*query, params).status;
    EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
    EXPECT_NE(status.error_message().find("is not a day of the years 1 to 9999"), std::string::npos)
        << status.error_message();
  }
  params["day"] = TextParam("2024-02-28");
  EXPECT_EQ(Execute(*query, params).status.error_message(),
            "params: @day was prepared as DATE, but its value is TEXT");
}

TEST_F(QueryTest, ErrorsSayWhere) {
  auto error = [this](const std::string& text) {
    auto query = Prepare(text);
    return query.ok() ? "OK" : query.status().ToString();
  };
  EXPECT_EQ(error("SELECT _key FRM t"),
            "INVALID_ARGUMENT: SYNTAX: unexpected 't', expected FROM, WHERE, GROUP BY, ORDER BY, "
            "LIMIT, AFTER, HAVING, a comma or ; [at 1:17]; did you mean FROM instead of FRM?");
  EXPECT_EQ(error("SELECT _key FROM\n  tt"),
            "NOT_FOUND: UNKNOWN_TABLE: table tt not found [at 2:3]");
  EXPECT_EQ(error("SELECT _key FROM t WHERE h['q'] = 'x'"),
            "INVALID_ARGUMENT: UNKNOWN_NAME: name h not found [at 1:26]");
  EXPECT_EQ(error("SELECT @x"),
            "INVALID_ARGUMENT: UNKNOWN_PARAM: no value for @x [at 1:8]; declare it in param_types");
  EXPECT_EQ(error("DELETE FROM t ALL ROWS"),
            "INVALID_ARGUMENT: READ_ONLY: PrepareQuery and ExecuteQuery support only SELECT "
            "[at 1:1]");
  for (const char* text : {"SELECT row FROM CELLS(t) WITH DELETES",
                           "SELECT row FROM (SELECT row FROM CELLS(t) WITH DELETES)"}) {
    EXPECT_NE(error(text).find("WITH DELETES is not supported here"), std::string::npos) << text;
  }
  EXPECT_EQ(error("SELECT 5s AS d"),
            "INVALID_ARGUMENT: NO_TYPE: column d is a DURATION, which the API does not have; "
            "CAST(x AS INT64), CAST(x AS STRING)");
  EXPECT_NE(error("SELECT 1; SELECT 2"), "OK");
  EXPECT_NE(error(""), "OK");
  EXPECT_EQ(error("SELECT _key FROM `p/i/t`").substr(0, 9), "NOT_FOUND");
}

// A query of one instance never reaches tables of another instance, whatever table name it uses.
TEST_F(QueryTest, InstancesAreApart) {
  auto query = Prepare("SELECT _key FROM t");
  ASSERT_TRUE(query.ok());
  for (const char* instance : {"projects/p/instances/j", "projects/sippar/instances/default"}) {
    instance_ = instance;
    EXPECT_EQ(Prepare("SELECT _key FROM t").status().code(), StatusCode::kNotFound);
    EXPECT_EQ(Prepare("SELECT _key FROM `p/i/t`").status().code(), StatusCode::kNotFound);
    EXPECT_EQ(Execute(*query).status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  }
}

TEST_F(QueryTest, GoesOnBehindEveryToken) {
  Fill(3'000);
  for (const char* text :
       {"SELECT _key, f['q'] FROM t", "SELECT * FROM t ORDER BY _key DESC LIMIT 900",
        "SELECT _key FROM t WHERE f['q'] LIKE 'a%' LIMIT 20 OFFSET 3", "SELECT CELLS * FROM t",
        "SELECT value, row FROM CELLS(t)", "SELECT COUNT(*) FROM t",
        "SELECT DISTINCT f['q'] FROM t", "SELECT f['q'] AS v, _key FROM t ORDER BY v LIMIT 700"}) {
    SCOPED_TRACE(text);
    auto query = Prepare(text);
    ASSERT_TRUE(query.ok()) << query.status();
    QueryResult all = Execute(*query);
    ASSERT_TRUE(all.status.ok()) << all.status.error_message();
    ASSERT_FALSE(all.rows.empty());
    EXPECT_LT(all.message_size_max, 1u << 20);
    for (size_t i = 0; i < all.tokens.size(); ++i) {
      QueryResult rest = Execute(*query, {}, all.tokens[i]);
      ASSERT_TRUE(rest.status.ok()) << rest.status.error_message();
      std::vector<std::string> joined(all.rows.begin(),
                                      all.rows.begin() + static_cast<ptrdiff_t>(all.rows_at[i]));
      joined.insert(joined.end(), rest.rows.begin(), rest.rows.end());
      EXPECT_EQ(joined, all.rows);
    }
  }
  auto query = Prepare("SELECT _key, f['q'] FROM t");
  EXPECT_GT(Execute(*query).tokens.size(), 4u);  // 3 MB come in several batches
  EXPECT_EQ(Execute(*query, {}, "nonsense").status.error_code(),
            grpc::StatusCode::INVALID_ARGUMENT);
  auto other = Prepare("SELECT _key FROM t");
  EXPECT_EQ(Execute(*other, {}, Execute(*query).tokens[0]).status.error_code(),
            grpc::StatusCode::INVALID_ARGUMENT);
}

// A client took this estimate for a count of rows, and returned none of them.
TEST_F(QueryTest, F_A2_NoSizeOfABatchIsEstimated) {
  Fill(10);
  auto query = Prepare("SELECT f['q'] FROM t");
  v2::ExecuteQueryRequest request;
  request.set_instance_name(kInstance);
  request.set_prepared_query(query->prepared_query());
  grpc::ClientContext context;
  auto reader = data_->ExecuteQuery(&context, request);
  size_t batches = 0;
  for (v2::ExecuteQueryResponse response; reader->Read(&response); ++batches) {
    EXPECT_EQ(response.results().estimated_batch_size(), 0);
  }
  EXPECT_TRUE(reader->Finish().ok());
  EXPECT_GT(batches, 0u);
}

TEST_F(QueryTest, LargeRowIsCut) {
  ASSERT_TRUE(Set("a", "f", "q", 1000, std::string(9 << 20, 'x')).ok());
  ASSERT_TRUE(Set("b", "f", "q", 1000, "y").ok());
  auto query = Prepare("SELECT LENGTH(f['q']), f['q'] FROM t");
  QueryResult result = Execute(*query);
  ASSERT_TRUE(result.status.ok()) << result.status.error_message();
  EXPECT_EQ(result.rows,
            (std::vector<std::string>{"9437184 | b'xxxxxxxxxxxxxxxxxxxx'", "1 | b'y'"}));
  EXPECT_LT(result.message_size_max, 2u << 20);
}

// A row that a slow scan has found is sent without waiting for the next row.
TEST_F(QueryTest, SlowScanSendsWhatItHas) {
  Fill(10);
  clock_.step_nanos = 300'000'000;
  auto query = Prepare("SELECT _key FROM t LIMIT 5");
  EXPECT_EQ(Execute(*query).rows_at, (std::vector<size_t>{1, 2, 3, 4, 5, 5}));
}

TEST_F(QueryTest, ExpiredPlanSaysSo) {
  auto query = Prepare("SELECT * FROM t");
  auto narrow = Prepare("SELECT _key FROM t");
  ASSERT_TRUE(query.ok() && narrow.ok());
  admin::ModifyColumnFamiliesRequest request;
  request.set_name(kTable);
  auto* modification = request.add_modifications();
  modification->set_id("new");
  modification->mutable_create();
  admin::Table table;
  ASSERT_TRUE(
      Call(admin_.get(), &admin::BigtableTableAdmin::Stub::ModifyColumnFamilies, request, &table)
          .ok());
  EXPECT_TRUE(Execute(*narrow).status.ok());  // the columns of its result are unchanged
  grpc::Status status = Execute(*query).status;
  EXPECT_EQ(status.error_code(), grpc::StatusCode::FAILED_PRECONDITION);
  google::rpc::Status detail;
  google::rpc::PreconditionFailure failure;
  ASSERT_TRUE(detail.ParseFromString(status.error_details()));
  ASSERT_EQ(detail.details_size(), 1);
  ASSERT_TRUE(detail.details(0).UnpackTo(&failure));
  EXPECT_EQ(failure.violations(0).type(), "PREPARED_QUERY_EXPIRED");
  v2::PrepareQueryResponse damaged = *narrow;
  damaged.mutable_prepared_query()->back() ^= 1;
  EXPECT_EQ(Execute(damaged).status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
}

}  // namespace
}  // namespace sippar::cluster
