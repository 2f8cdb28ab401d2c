// Tests SampleRowKeys.
// SPDX-License-Identifier: Apache-2.0
#include <functional>

#include "tests/cluster/serve/api_fixture.h"

namespace sippar::cluster {
namespace {

using Keys = std::vector<std::string>;

class SampleRowsTest : public ApiTest {
 protected:
  // Returns the sampled keys. Checks that offsets never decrease.
  Keys Samples(v2::SampleRowKeysRequest request) {
    if (request.authorized_view_name().empty()) request.set_table_name(kTable);
    grpc::ClientContext context;
    auto reader = data_->SampleRowKeys(&context, request);
    Keys keys;
    int64_t offset = 0;
    for (v2::SampleRowKeysResponse sample; reader->Read(&sample);) {
      keys.push_back(sample.row_key());
      EXPECT_GE(sample.offset_bytes(), offset);
      offset = sample.offset_bytes();
    }
    grpc::Status status = reader->Finish();
    EXPECT_TRUE(status.ok()) << status.error_message();
    return keys;
  }
  Keys Within(const std::function<void(v2::RowRange*)>& fill, const std::string& view = "") {
    v2::SampleRowKeysRequest request;
    request.set_authorized_view_name(view);
    fill(request.mutable_row_range());
    return Samples(request);
  }
  Keys Between(const std::string& start, const std::string& end, const std::string& view = "") {
    return Within(
        [&](v2::RowRange* range) {
          if (!start.empty()) range->set_start_key_closed(start);
          if (!end.empty()) range->set_end_key_open(end);
        },
        view);
  }
};

TEST_F(SampleRowsTest, F_A4_TheLastSampleIsTheRangesEndAndTheStartIsNone) {
  CreateTable({"b", "d", "f", "h"});
  for (const char* row : {"a", "c", "e", "g", "i"}) {
    ASSERT_TRUE(Set(row, "f", "q", 0, std::string(1000, 'x')).ok());
  }
  EXPECT_EQ(Between("b", "f"), (Keys{"d", "f"}));
  EXPECT_EQ(Between("", ""), (Keys{"b", "d", "f", "h", ""}));
  EXPECT_EQ(Between("a", "b"), (Keys{"b"}));
  EXPECT_EQ(Between("b", "e"), (Keys{"d", "e"}));
  EXPECT_EQ(Between("c", "c9"), (Keys{"c9"}));
  EXPECT_EQ(Between("f", ""), (Keys{"h", ""}));
  EXPECT_EQ(Between("", "d"), (Keys{"b", "d"}));
  EXPECT_EQ(Between("x", ""), (Keys{""}));
  EXPECT_EQ(Between("b", "b"), (Keys{}));
  EXPECT_EQ(Within([](v2::RowRange* range) {
              range->set_start_key_open("b");
              range->set_end_key_closed("d");
            }),
            (Keys{"d", std::string("d\0", 2)}));
}

TEST_F(SampleRowsTest, F_A4_ThroughAViewTheEndIsTheRangesAsWell) {
  CreateTable({"b", "d", "f", "h"});
  admin::CreateAuthorizedViewRequest create;
  create.set_parent(kTable);
  create.set_authorized_view_id("v");
  auto* subset = create.mutable_authorized_view()->mutable_subset_view();
  for (const char* prefix : {"c", "d", "g"}) subset->add_row_prefixes(prefix);
  google::longrunning::Operation operation;
  ASSERT_TRUE(
      Call(admin_.get(), &admin::BigtableTableAdmin::Stub::CreateAuthorizedView, create, &operation)
          .ok());
  const std::string view = std::string(kTable) + "/authorizedViews/v";
  EXPECT_EQ(Between("", "", view), (Keys{"d", ""}));  // the view contains no row of b, f and h
  EXPECT_EQ(Between("b", "f", view), (Keys{"d", "f"}));
  EXPECT_EQ(Between("d", "h", view), (Keys{"h"}));
}

// The client's cached tablet location is outdated, yet it sees the split at once.
TEST_F(SampleRowsTest, F_A4_ASplitIsSeenAtOnce) {
  CreateTable();
  for (const char* row : {"a", "m", "z"}) ASSERT_TRUE(Set(row, "f", "q", 0, "v").ok());
  EXPECT_EQ(Between("", ""), (Keys{""}));
  ASSERT_TRUE(client_->admin()->Do(calls::Split{"p/i/t", "m"}).ok());
  EXPECT_EQ(Between("", ""), (Keys{"m", ""}));
}

}  // namespace
}  // namespace sippar::cluster
