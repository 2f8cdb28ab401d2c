// Aggregate families as clients see them.
// SPDX-License-Identifier: Apache-2.0
#include "engine/model/mutation.h"
#include "tests/cluster/serve/api_fixture.h"

namespace sippar::cluster {
namespace {

using admin::BigtableTableAdmin;
using grpc::StatusCode;

class AggregateFamilyTest : public ApiTest {
 protected:
  AggregateFamilyTest() {
    CreateTable();
    Create("sum", [](auto* type) { type->mutable_sum(); });
    Create("min", [](auto* type) { type->mutable_min(); });
    Create("max", [](auto* type) { type->mutable_max(); });
    Create("hll", [](auto* type) { type->mutable_hllpp_unique_count(); });
  }
  admin::ModifyColumnFamiliesRequest Creation(
      const std::string& id, const std::function<void(admin::Type::Aggregate*)>& fill) {
    admin::ModifyColumnFamiliesRequest request;
    request.set_name(kTable);
    auto* modification = request.add_modifications();
    modification->set_id(id);
    auto* type = modification->mutable_create()->mutable_value_type()->mutable_aggregate_type();
    type->mutable_input_type()->mutable_int64_type();
    fill(type);
    return request;
  }
  grpc::Status Modify(const admin::ModifyColumnFamiliesRequest& request) {
    return Call(admin_.get(), &BigtableTableAdmin::Stub::ModifyColumnFamilies, request, &table_);
  }
  void Create(const std::string& id, const std::function<void(admin::Type::Aggregate*)>& fill) {
    grpc::Status status = Modify(Creation(id, fill));
    ASSERT_TRUE(status.ok()) << status.error_message();
  }
  // Fills in an AddToCell or MergeToCell for column q of `family`.
  template <typename Addition>
  void Fill(Addition* addition, const std::string& family, int64_t time_us) {
    addition->set_family_name(family);
    addition->mutable_column_qualifier()->set_raw_value("q");
    addition->mutable_timestamp()->set_raw_timestamp_micros(time_us);
  }
  v2::MutateRowRequest Mutation() {
    v2::MutateRowRequest request;
    request.set_table_name(kTable);
    request.set_row_key("r");
    return request;
  }
  v2::MutateRowRequest Addition(const std::string& family, int64_t input, int64_t time_us = 1000) {
    v2::MutateRowRequest request = Mutation();
    auto* add = request.add_mutations()->mutable_add_to_cell();
    Fill(add, family, time_us);
    add->mutable_input()->set_int_value(input);
    return request;
  }
  grpc::Status Mutate(const v2::MutateRowRequest& request) {
    return Call(data_.get(), &v2::Bigtable::Stub::MutateRow, request,
                static_cast<v2::MutateRowResponse*>(nullptr));
  }
  int64_t Value(const std::string& family) {
    for (const ReadCell& cell : Read().cells) {
      auto number = engine::DecodeInt64(cell.value);
      if (cell.family == family && number.ok()) return *number;
    }
    return -999;
  }

  admin::Table table_;
};

TEST_F(AggregateFamilyTest, TypesComeBackWithTheirStateType) {
  const auto& sum = table_.column_families().at("sum").value_type().aggregate_type();
  EXPECT_TRUE(sum.has_sum() && sum.input_type().has_int64_type() &&
              sum.state_type().int64_type().encoding().has_big_endian_bytes());
  const auto& hll = table_.column_families().at("hll").value_type().aggregate_type();
  EXPECT_TRUE(hll.has_hllpp_unique_count() && hll.input_type().has_int64_type() &&
              hll.state_type().has_bytes_type());
  admin::ModifyColumnFamiliesRequest change = Creation("sum", [](auto* t) { t->mutable_max(); });
  admin::ColumnFamily family = change.modifications(0).create();
  *change.mutable_modifications(0)->mutable_update() = family;
  change.mutable_modifications(0)->mutable_update_mask()->add_paths("value_type");
  EXPECT_EQ(Modify(change).error_code(), StatusCode::INVALID_ARGUMENT);
}

TEST_F(AggregateFamilyTest, InputsAddUpPerColumnAndTime) {
  for (int64_t input : {5, -2, 4}) {
    for (const char* family : {"sum", "min", "max", "hll"}) {
      grpc::Status status = Mutate(Addition(family, input));
      ASSERT_TRUE(status.ok()) << status.error_message();
    }
  }
  EXPECT_EQ(Value("sum"), 7);
  EXPECT_EQ(Value("min"), -2);
  EXPECT_EQ(Value("max"), 5);
  EXPECT_EQ(Read().cells.size(), 4u);
  ASSERT_TRUE(Mutate(Addition("sum", 1, 2000)).ok());
  EXPECT_EQ(Read().cells.size(), 5u);
}

TEST_F(AggregateFamilyTest, StatesThatWereReadAreMerged) {
  ASSERT_TRUE(Mutate(Addition("sum", 40)).ok());
  ASSERT_TRUE(Mutate(Addition("hll", 40)).ok());
  for (const ReadCell& cell : Read().cells) {
    v2::MutateRowRequest request = Mutation();
    auto* merge = request.add_mutations()->mutable_merge_to_cell();
    Fill(merge, cell.family, 1000);
    merge->mutable_input()->set_raw_value(cell.value);
    ASSERT_TRUE(Mutate(request).ok());
    merge->clear_input();  // an empty input is allowed and has no effect
    ASSERT_TRUE(Mutate(request).ok());
  }
  EXPECT_EQ(Value("sum"), 80);
}

TEST_F(AggregateFamilyTest, OnlyAdditionsOfTheRightKindAreTaken) {
  EXPECT_EQ(Set("r", "sum", "q", 0, engine::EncodeInt64(1)).error_code(),
            StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(Mutate(Addition("f", 1)).error_code(), StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(Mutate(Addition("nowhere", 1)).error_code(), StatusCode::NOT_FOUND);
  EXPECT_EQ(Mutate(Addition("sum", 1, 1001)).error_code(), StatusCode::INVALID_ARGUMENT);
  v2::MutateRowRequest text = Addition("sum", 1);
  text.mutable_mutations(0)->mutable_add_to_cell()->mutable_input()->set_string_value("1");
  EXPECT_EQ(Mutate(text).error_code(), StatusCode::INVALID_ARGUMENT);
  v2::MutateRowRequest timeless = Addition("sum", 1);
  timeless.mutable_mutations(0)->mutable_add_to_cell()->clear_timestamp();
  EXPECT_EQ(Mutate(timeless).error_code(), StatusCode::INVALID_ARGUMENT);
  v2::ReadModifyWriteRowRequest increment;
  increment.set_table_name(kTable);
  increment.set_row_key("r");
  auto* rule = increment.add_rules();
  rule->set_family_name("sum");
  rule->set_increment_amount(1);
  v2::ReadModifyWriteRowResponse row;
  EXPECT_EQ(
      Call(data_.get(), &v2::Bigtable::Stub::ReadModifyWriteRow, increment, &row).error_code(),
      StatusCode::INVALID_ARGUMENT);
  EXPECT_TRUE(Read().cells.empty());
}

TEST_F(AggregateFamilyTest, AnAdditionWithATokenIsDoneOnce) {
  v2::MutateRowRequest request = Addition("sum", 5);
  request.mutable_idempotency()->set_token("token-one");
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(Mutate(request).ok());
  request.mutable_idempotency()->set_token("token-two");
  ASSERT_TRUE(Mutate(request).ok());
  EXPECT_EQ(Value("sum"), 10);
  request.mutable_idempotency()->set_token("short");
  EXPECT_EQ(Mutate(request).error_code(), StatusCode::INVALID_ARGUMENT);
}

TEST_F(AggregateFamilyTest, AConditionDecidesWhatIsAdded) {
  v2::CheckAndMutateRowRequest request;
  request.set_table_name(kTable);
  request.set_row_key("r");
  *request.add_false_mutations() = Addition("sum", 1).mutations(0);
  *request.add_true_mutations() = Addition("sum", 10).mutations(0);
  v2::CheckAndMutateRowResponse response;
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(Call(data_.get(), &v2::Bigtable::Stub::CheckAndMutateRow, request, &response).ok());
  }
  EXPECT_EQ(Value("sum"), 21);
}

}  // namespace
}  // namespace sippar::cluster
