// Families whose value_type is a string, as clients see them: their values are UTF-8.
// SPDX-License-Identifier: Apache-2.0
#include "tests/cluster/serve/api_fixture.h"

namespace sippar::cluster {
namespace {

using admin::BigtableTableAdmin;
using grpc::StatusCode;

class TextFamilyTest : public ApiTest {
 protected:
  TextFamilyTest() {
    CreateTable();
    admin::Type type;
    type.mutable_string_type();
    EXPECT_TRUE(Create("s", type).ok());
  }
  grpc::Status Create(const std::string& id, const admin::Type& type) {
    admin::ModifyColumnFamiliesRequest request;
    request.set_name(kTable);
    auto* modification = request.add_modifications();
    modification->set_id(id);
    *modification->mutable_create()->mutable_value_type() = type;
    return Modify(request);
  }
  grpc::Status UpdateType(const std::string& id, const admin::Type& type) {
    admin::ModifyColumnFamiliesRequest request;
    request.set_name(kTable);
    auto* modification = request.add_modifications();
    modification->set_id(id);
    *modification->mutable_update()->mutable_value_type() = type;
    modification->mutable_update_mask()->add_paths("value_type");
    return Modify(request);
  }
  grpc::Status Modify(const admin::ModifyColumnFamiliesRequest& request) {
    return Call(admin_.get(), &BigtableTableAdmin::Stub::ModifyColumnFamilies, request, &table_);
  }
  admin::Type TypeOf(const std::string& family) {
    return table_.column_families().at(family).value_type();
  }
  grpc::Status ReadModifyWrite(const std::function<void(v2::ReadModifyWriteRule*)>& fill) {
    v2::ReadModifyWriteRowRequest request;
    request.set_table_name(kTable);
    request.set_row_key("r");
    for (int i = 0; i < 2; ++i) {
      v2::ReadModifyWriteRule* rule = request.add_rules();
      rule->set_family_name(i == 0 ? "f" : "s");
      rule->set_column_qualifier("q");
      rule->set_append_value("+");
    }
    fill(request.mutable_rules(1));
    return Call(data_.get(), &v2::Bigtable::Stub::ReadModifyWriteRow, request,
                static_cast<v2::ReadModifyWriteRowResponse*>(nullptr));
  }

  admin::Table table_;
};

TEST_F(TextFamilyTest, ItIsTextInTheQueryLanguage) {
  EXPECT_EQ(client_->admin()->Do(calls::GetTable{"p/i/t"})->schema.FindFamily("s")->type,
            engine::FamilyType::kText);
  EXPECT_TRUE(TypeOf("s").string_type().encoding().has_utf8_bytes());
  ASSERT_TRUE(Set("r", "s", "q", 1000, "\xc3\xa4\xe2\x82\xac").ok());
  v2::PrepareQueryRequest prepare;
  prepare.set_instance_name(kInstance);
  prepare.set_query("SELECT s['q'] AS q, s, LENGTH(s['q']) FROM t");
  v2::PrepareQueryResponse prepared;
  grpc::Status status = Call(data_.get(), &v2::Bigtable::Stub::PrepareQuery, prepare, &prepared);
  ASSERT_TRUE(status.ok()) << status.error_message();
  const auto& columns = prepared.metadata().proto_schema().columns();
  EXPECT_TRUE(columns[0].type().has_string_type());
  EXPECT_TRUE(columns[1].type().map_type().key_type().has_bytes_type());
  EXPECT_TRUE(columns[1].type().map_type().value_type().has_string_type());
  v2::ExecuteQueryRequest execute;
  execute.set_instance_name(kInstance);
  execute.set_prepared_query(prepared.prepared_query());
  grpc::ClientContext context;
  auto reader = data_->ExecuteQuery(&context, execute);
  std::string batch;
  for (v2::ExecuteQueryResponse part; reader->Read(&part);) {
    batch += part.results().proto_rows_batch().batch_data();
  }
  ASSERT_TRUE(reader->Finish().ok());
  v2::ProtoRows rows;
  ASSERT_TRUE(rows.ParseFromString(batch));
  ASSERT_EQ(rows.values_size(), 3);
  EXPECT_EQ(rows.values(0).string_value(), "\xc3\xa4\xe2\x82\xac");
  const v2::ArrayValue& entry = rows.values(1).array_value().values(0).array_value();
  EXPECT_EQ(entry.values(0).bytes_value(), "q");
  EXPECT_EQ(entry.values(1).string_value(), "\xc3\xa4\xe2\x82\xac");
  EXPECT_EQ(rows.values(2).int_value(), 2);
}

TEST_F(TextFamilyTest, OtherBytesAreRefusedWithTheirWholeRow) {
  v2::MutateRowRequest request;
  request.set_table_name(kTable);
  request.set_row_key("r");
  for (const char* family : {"f", "s"}) {
    auto* set = request.add_mutations()->mutable_set_cell();
    set->set_family_name(family);
    set->set_column_qualifier("q");
    set->set_value("a\xff");
  }
  grpc::Status status = Call(data_.get(), &v2::Bigtable::Stub::MutateRow, request,
                             static_cast<v2::MutateRowResponse*>(nullptr));
  EXPECT_EQ(status.error_code(), StatusCode::INVALID_ARGUMENT);
  EXPECT_NE(status.error_message().find("s:q is not UTF-8 (byte 1 is 0xff)"), std::string::npos)
      << status.error_message();
  EXPECT_EQ(ReadModifyWrite([](auto* rule) { rule->set_append_value("\xe2\x82"); }).error_code(),
            StatusCode::INVALID_ARGUMENT);
  EXPECT_TRUE(Read().cells.empty());
  EXPECT_TRUE(ReadModifyWrite([](auto* rule) { rule->set_append_value("\xe2\x82\xac"); }).ok());
}

TEST_F(TextFamilyTest, ItIsNeitherIncrementedNorAddedTo) {
  EXPECT_EQ(ReadModifyWrite([](auto* rule) { rule->set_increment_amount(1); }).error_code(),
            StatusCode::INVALID_ARGUMENT);
  v2::MutateRowRequest request;
  request.set_table_name(kTable);
  request.set_row_key("r");
  auto* add = request.add_mutations()->mutable_add_to_cell();
  add->set_family_name("s");
  add->mutable_column_qualifier()->set_raw_value("q");
  add->mutable_timestamp()->set_raw_timestamp_micros(1000);
  add->mutable_input()->set_int_value(1);
  EXPECT_EQ(Call(data_.get(), &v2::Bigtable::Stub::MutateRow, request,
                 static_cast<v2::MutateRowResponse*>(nullptr))
                .error_code(),
            StatusCode::INVALID_ARGUMENT);
  EXPECT_TRUE(Read().cells.empty());
}

// The query language drops and adds families by themselves, without the types of the API.
TEST_F(TextFamilyTest, AnApiTypeEndsWithItsFamily) {
  admin::Type string;
  string.mutable_string_type()->mutable_encoding()->mutable_utf8_bytes();
  ASSERT_TRUE(UpdateType("f", string).ok());
  ASSERT_TRUE(TypeOf("f").has_string_type());
  auto info = client_->admin()->Do(calls::GetTable{"p/i/t"});
  ASSERT_TRUE(info.ok()) << info.status();
  engine::FamilySchema family;
  family.name = "f";
  family.incarnation = info->schema.FindFamily("f")->incarnation + 1;
  info->schema.DropFamily("f");
  info->schema.families.push_back(family);
  info->schema.Normalize();
  auto altered = client_->admin()->Do(calls::AlterTable{info->schema, info->schema_version});
  ASSERT_TRUE(altered.ok()) << altered;
  admin::GetTableRequest get;
  get.set_name(kTable);
  ASSERT_TRUE(Call(admin_.get(), &BigtableTableAdmin::Stub::GetTable, get, &table_).ok());
  EXPECT_EQ(TypeOf("f").kind_case(), admin::Type::KIND_NOT_SET);
}

TEST_F(TextFamilyTest, TypesBecomeNoOthers) {
  admin::Type string, bytes;
  string.mutable_string_type()->mutable_encoding()->mutable_utf8_bytes();
  bytes.mutable_bytes_type();
  EXPECT_TRUE(UpdateType("s", string).ok());
  EXPECT_EQ(UpdateType("s", bytes).error_code(), StatusCode::FAILED_PRECONDITION);
  // A family of bytes may be called one of strings; it still takes any bytes.
  ASSERT_TRUE(UpdateType("f", string).ok());
  EXPECT_TRUE(TypeOf("f").has_string_type());
  EXPECT_TRUE(Set("r", "f", "q", 1000, "\xff").ok());
  ASSERT_TRUE(UpdateType("f", bytes).ok());
  EXPECT_TRUE(TypeOf("f").has_bytes_type());
}

}  // namespace
}  // namespace sippar::cluster
