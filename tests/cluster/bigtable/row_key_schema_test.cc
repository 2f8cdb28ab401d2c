// Row key schemas: stored and returned, and rejected if they do not describe keys.
// SPDX-License-Identifier: Apache-2.0
#include <google/protobuf/text_format.h>

#include "tests/cluster/serve/api_fixture.h"

namespace sippar::cluster {
namespace {

using grpc::StatusCode;
using Stub = admin::BigtableTableAdmin::Stub;

constexpr const char* kKey = R"(
  fields { field_name: "id" type { string_type { encoding { utf8_bytes {} } } } }
  fields { field_name: "code" type { int64_type { encoding { big_endian_bytes {} } } } }
  encoding { delimited_bytes { delimiter: "#" } })";

class RowKeySchemaTest : public ApiTest {
 protected:
  static admin::Type::Struct Key(const std::string& text) {
    admin::Type::Struct key;
    EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &key)) << text;
    return key;
  }
  grpc::Status Create(const std::string& text) {
    admin::CreateTableRequest request;
    request.set_parent(kInstance);
    request.set_table_id("t");
    (*request.mutable_table()->mutable_column_families())["f"];
    *request.mutable_table()->mutable_row_key_schema() = Key(text);
    return Call(admin_.get(), &Stub::CreateTable, request);
  }
  // Sets the schema `text`; "" removes the schema.
  grpc::Status Update(const std::string& text, bool ignore_warnings = false) {
    admin::UpdateTableRequest request;
    request.mutable_table()->set_name(kTable);
    if (!text.empty()) *request.mutable_table()->mutable_row_key_schema() = Key(text);
    request.mutable_update_mask()->add_paths("row_key_schema");
    request.set_ignore_warnings(ignore_warnings);
    return Call(admin_.get(), &Stub::UpdateTable, request);
  }
  admin::Table Get() {
    admin::GetTableRequest request;
    request.set_name(kTable);
    admin::Table table;
    EXPECT_TRUE(Call(admin_.get(), &Stub::GetTable, request, &table).ok());
    return table;
  }
};

TEST_F(RowKeySchemaTest, IsGivenBackAsItCame) {
  ASSERT_TRUE(Create(kKey).ok());
  EXPECT_EQ(Get().row_key_schema().SerializeAsString(), Key(kKey).SerializeAsString());
  // Other changes of the table keep the schema.
  admin::UpdateTableRequest update;
  update.mutable_table()->set_name(kTable);
  update.mutable_table()->set_deletion_protection(true);
  update.mutable_update_mask()->add_paths("deletion_protection");
  ASSERT_TRUE(Call(admin_.get(), &Stub::UpdateTable, update).ok());
  EXPECT_EQ(Get().row_key_schema().fields_size(), 2);
}

TEST_F(RowKeySchemaTest, IsSetOnceAndRemovedOnPurpose) {
  CreateTable();
  EXPECT_FALSE(Get().has_row_key_schema());
  ASSERT_TRUE(Update(kKey).ok());
  EXPECT_EQ(Get().row_key_schema().fields_size(), 2);
  EXPECT_TRUE(Update(kKey).ok());  // sending the same call twice is allowed
  EXPECT_EQ(Update(R"(fields { field_name: "x" type { bytes_type { encoding { raw {} } } } }
                      encoding { singleton {} })")
                .error_code(),
            StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(Update("").error_code(), StatusCode::INVALID_ARGUMENT);
  ASSERT_TRUE(Update("", /*ignore_warnings=*/true).ok());
  EXPECT_FALSE(Get().has_row_key_schema());
}

TEST_F(RowKeySchemaTest, ANewFamilyHasAnotherNameThanItsFields) {
  ASSERT_TRUE(Create(kKey).ok());
  admin::ModifyColumnFamiliesRequest request;
  request.set_name(kTable);
  auto* modification = request.add_modifications();
  modification->set_id("code");
  modification->mutable_create();
  EXPECT_EQ(Call(admin_.get(), &Stub::ModifyColumnFamilies, request).error_code(),
            StatusCode::INVALID_ARGUMENT);
}

TEST_F(RowKeySchemaTest, MalformedOnesAreRefused) {
  const std::string bytes = "type { bytes_type { encoding { raw {} } } }";
  const std::string ordered = " encoding { ordered_code_bytes {} }";
  for (const std::string& text : {
           std::string(""),
           ordered,
           "fields { field_name: 'a' " + bytes + " }",
           "fields { " + bytes + " }" + ordered,
           "fields { field_name: '_key' " + bytes + " }" + ordered,
           "fields { field_name: 'f' " + bytes + " }" + ordered,
           "fields { field_name: 'a' " + bytes + " } fields { field_name: 'a' " + bytes + " }" +
               ordered,
           "fields { field_name: 'a' " + bytes + " } fields { field_name: 'b' " + bytes +
               " } encoding { singleton {} }",
           "fields { field_name: 'a' " + bytes + " } encoding { delimited_bytes {} }",
           "fields { field_name: 'a' " + bytes + " } encoding { delimited_bytes { delimiter: '" +
               std::string(51, '#') + "' } }",
           "fields { field_name: 'a' type { int64_type {} } }" + ordered,
           "fields { field_name: 'a' type { bool_type {} } }" + ordered,
           "fields { field_name: 'a' type { array_type {} } }" + ordered,
           "fields { field_name: 'a' }" + ordered,
       }) {
    SCOPED_TRACE(text);
    grpc::Status status = Create(text);
    EXPECT_EQ(status.error_code(), StatusCode::INVALID_ARGUMENT) << status.error_message();
    EXPECT_NE(status.error_message().find("row_key_schema"), std::string::npos);
  }
}

}  // namespace
}  // namespace sippar::cluster
