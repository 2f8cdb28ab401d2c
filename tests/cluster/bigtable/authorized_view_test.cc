// Authorized views: their administration, and the cells that calls through them see.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <functional>

#include "engine/base/random.h"
#include "tests/cluster/serve/api_fixture.h"

namespace sippar::cluster {
namespace {

using admin::BigtableTableAdmin;
using google::longrunning::Operation;
using grpc::StatusCode;
using v2::Bigtable;

constexpr const char* kView = "projects/p/instances/i/tables/t/authorizedViews/v";

class AuthorizedViewTest : public ApiTest {
 protected:
  AuthorizedViewTest() {
    CreateTable({"m"});
    for (const char* row : {"a1", "a2", "b1", "z1"}) {
      for (const char* column : {"p1", "p2", "q", "r"}) {
        EXPECT_TRUE(Set(row, "f", column, 1000, "v").ok());
        EXPECT_TRUE(Set(row, "g", column, 1000, "w").ok());
      }
    }
  }
  // A view of the rows a* and z*, with f:p*, f:q and all of g.
  static admin::AuthorizedView Wanted() {
    admin::AuthorizedView view;
    auto* subset = view.mutable_subset_view();
    subset->add_row_prefixes("a");
    subset->add_row_prefixes("z");
    auto& families = *subset->mutable_family_subsets();
    families["f"].add_qualifiers("q");
    families["f"].add_qualifier_prefixes("p");
    families["g"].add_qualifier_prefixes("");
    return view;
  }
  grpc::Status Create(const admin::AuthorizedView& view, const std::string& id = "v",
                      Operation* operation = nullptr) {
    admin::CreateAuthorizedViewRequest request;
    request.set_parent(kTable);
    request.set_authorized_view_id(id);
    *request.mutable_authorized_view() = view;
    return Call(admin_.get(), &BigtableTableAdmin::Stub::CreateAuthorizedView, request, operation);
  }
  grpc::Status Get(admin::AuthorizedView* view, const std::string& name = kView,
                   admin::AuthorizedView::ResponseView parts = admin::AuthorizedView::FULL) {
    admin::GetAuthorizedViewRequest request;
    request.set_name(name);
    request.set_view(parts);
    return Call(admin_.get(), &BigtableTableAdmin::Stub::GetAuthorizedView, request, view);
  }
  grpc::Status Update(const admin::AuthorizedView& view, const std::string& path) {
    admin::UpdateAuthorizedViewRequest request;
    *request.mutable_authorized_view() = view;
    request.mutable_update_mask()->add_paths(path);
    Operation operation;
    return Call(admin_.get(), &BigtableTableAdmin::Stub::UpdateAuthorizedView, request, &operation);
  }
  grpc::Status Delete(const std::string& etag = "") {
    admin::DeleteAuthorizedViewRequest request;
    request.set_name(kView);
    request.set_etag(etag);
    google::protobuf::Empty empty;
    return Call(admin_.get(), &BigtableTableAdmin::Stub::DeleteAuthorizedView, request, &empty);
  }
  v2::ReadRowsRequest Through(const std::string& view = kView) {
    v2::ReadRowsRequest request;
    request.set_table_name(" ");  // keeps the fixture from filling in a table
    request.set_authorized_view_name(view);
    return request;
  }
  grpc::Status Mutate(const std::string& row, const std::function<void(v2::Mutation*)>& fill) {
    v2::MutateRowRequest request;
    request.set_authorized_view_name(kView);
    request.set_row_key(row);
    fill(request.add_mutations());
    v2::MutateRowResponse response;
    return Call(data_.get(), &Bigtable::Stub::MutateRow, request, &response);
  }
  static std::function<void(v2::Mutation*)> SetCell(const std::string& family,
                                                    const std::string& qualifier) {
    return [=](v2::Mutation* mutation) {
      mutation->mutable_set_cell()->set_family_name(family);
      mutation->mutable_set_cell()->set_column_qualifier(qualifier);
    };
  }
};

TEST_F(AuthorizedViewTest, ViewsAreMadeReadListedChangedAndDropped) {
  Operation operation;
  grpc::Status status = Create(Wanted(), "v", &operation);
  ASSERT_TRUE(status.ok()) << status.error_message();
  admin::AuthorizedView made, view;
  ASSERT_TRUE(operation.done() && operation.response().UnpackTo(&made));
  EXPECT_EQ(made.name(), kView);
  ASSERT_TRUE(Get(&view).ok());
  EXPECT_EQ(view.subset_view().SerializeAsString().size(),
            Wanted().subset_view().SerializeAsString().size());
  EXPECT_EQ(view.etag(), made.etag());
  EXPECT_EQ(Create(Wanted()).error_code(), StatusCode::ALREADY_EXISTS);
  EXPECT_EQ(Create(admin::AuthorizedView(), "x").error_code(), StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(Create(Wanted(), "a b").error_code(), StatusCode::INVALID_ARGUMENT);
  ASSERT_TRUE(Get(&view, kView, admin::AuthorizedView::NAME_ONLY).ok());
  EXPECT_FALSE(view.has_subset_view());
  ASSERT_TRUE(Create(Wanted(), "w").ok());
  admin::ListAuthorizedViewsRequest list;
  list.set_parent(kTable);
  list.set_page_size(1);
  admin::ListAuthorizedViewsResponse page;
  ASSERT_TRUE(Call(admin_.get(), &BigtableTableAdmin::Stub::ListAuthorizedViews, list, &page).ok());
  ASSERT_EQ(page.authorized_views_size(), 1);
  EXPECT_EQ(page.authorized_views(0).name(), kView);
  list.set_page_token(page.next_page_token());
  ASSERT_TRUE(Call(admin_.get(), &BigtableTableAdmin::Stub::ListAuthorizedViews, list, &page).ok());
  ASSERT_EQ(page.authorized_views_size(), 1);
  EXPECT_EQ(page.next_page_token(), "");
  // An update with an outdated etag is rejected.
  made.set_deletion_protection(true);
  ASSERT_TRUE(Update(made, "deletion_protection").ok());
  EXPECT_EQ(Update(made, "deletion_protection").error_code(), StatusCode::ABORTED);
  EXPECT_EQ(Update(made, "nonsense").error_code(), StatusCode::ABORTED);
  made.clear_etag();
  EXPECT_EQ(Update(made, "nonsense").error_code(), StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(Delete().error_code(), StatusCode::FAILED_PRECONDITION);
  admin::DeleteTableRequest drop;
  drop.set_name(kTable);
  google::protobuf::Empty empty;
  EXPECT_EQ(Call(admin_.get(), &BigtableTableAdmin::Stub::DeleteTable, drop, &empty).error_code(),
            StatusCode::FAILED_PRECONDITION);
  made.set_deletion_protection(false);
  ASSERT_TRUE(Update(made, "deletion_protection").ok());
  EXPECT_EQ(Delete("stale").error_code(), StatusCode::ABORTED);
  EXPECT_TRUE(Delete().ok());
  EXPECT_EQ(Get(&view).error_code(), StatusCode::NOT_FOUND);
  // A new table of the same name does not get the views of the old table.
  ASSERT_TRUE(Call(admin_.get(), &BigtableTableAdmin::Stub::DeleteTable, drop, &empty).ok());
  CreateTable();
  EXPECT_EQ(Get(&view, "projects/p/instances/i/tables/t/authorizedViews/w").error_code(),
            StatusCode::NOT_FOUND);
}

TEST_F(AuthorizedViewTest, ReadsAndSamplesAreTrimmed) {
  ASSERT_TRUE(Create(Wanted()).ok());
  ReadResult all = Read(Through());
  ASSERT_TRUE(all.status.ok()) << all.status.error_message();
  EXPECT_EQ(all.rows, (std::vector<std::string>{"a1", "a2", "z1"}));
  EXPECT_EQ(all.cells.size(), 3u * 7);
  v2::ReadRowsRequest request = Through();
  request.mutable_rows()->add_row_keys("b1");
  EXPECT_TRUE(Read(request).rows.empty());
  request = Through();
  request.mutable_filter()->set_column_qualifier_regex_filter("r");
  EXPECT_EQ(Read(request).Print(), "a1 g:r@1000=w\na2 g:r@1000=w\nz1 g:r@1000=w\n");
  EXPECT_EQ(Read(Through("projects/p/instances/i/tables/t/authorizedViews/x")).status.error_code(),
            StatusCode::NOT_FOUND);
  v2::SampleRowKeysRequest samples;
  samples.set_authorized_view_name(kView);
  grpc::ClientContext context;
  auto reader = data_->SampleRowKeys(&context, samples);
  std::string keys;
  for (v2::SampleRowKeysResponse sample; reader->Read(&sample);) keys += sample.row_key() + ";";
  EXPECT_EQ(keys, ";");  // row m, at which the table is split, is not in the view
}

// Every filter outputs through a view what it would output for a table with only the view's cells.
TEST_F(AuthorizedViewTest, FiltersSeeTheViewAlone) {
  admin::AuthorizedView wanted = Wanted();
  (*wanted.mutable_subset_view()->mutable_family_subsets())["f"].add_qualifier_prefixes("p1");
  ASSERT_TRUE(Create(wanted).ok());
  v2::RowFilter inside;
  auto* parts = inside.mutable_interleave();
  auto add = [&](const char* family, const char* qualifiers) {
    auto* chain = parts->add_filters()->mutable_chain();
    chain->add_filters()->set_row_key_regex_filter("(a|z).*");
    chain->add_filters()->set_family_name_regex_filter(family);
    chain->add_filters()->set_column_qualifier_regex_filter(qualifiers);
  };
  add("f", "(q|p.*)");
  add("g", ".*");
  engine::Random random{7};
  auto one = [&](v2::RowFilter* filter) {
    switch (random.Uniform(9)) {
      case 0:
        return filter->set_column_qualifier_regex_filter("p.*");
      case 1:
        return filter->set_column_qualifier_regex_filter(random.OneIn(2) ? "q" : "[pr].?");
      case 2:
        return filter->set_family_name_regex_filter(random.OneIn(2) ? "f" : "n");
      case 3:
        return filter->set_cells_per_row_limit_filter(1 + static_cast<int>(random.Uniform(5)));
      case 4:
        return filter->set_cells_per_row_offset_filter(1 + static_cast<int>(random.Uniform(5)));
      case 5:
        return filter->set_row_key_regex_filter("[ab]1");
      case 6: {
        auto* range = filter->mutable_column_range_filter();
        range->set_family_name(random.OneIn(2) ? "f" : "g");
        range->set_start_qualifier_closed("p2");
        return range->set_end_qualifier_closed(random.OneIn(2) ? "q" : "p9");
      }
      case 7: {
        auto* condition = filter->mutable_condition();
        condition->mutable_predicate_filter()->set_column_qualifier_regex_filter("r");
        condition->mutable_true_filter()->set_strip_value_transformer(true);
        return condition->mutable_false_filter()->set_pass_all_filter(true);
      }
      default:
        return filter->set_cells_per_column_limit_filter(1);
    }
  };
  for (int i = 0; i < 400; ++i) {
    v2::ReadRowsRequest through = Through();
    auto* chain = through.mutable_filter()->mutable_chain();
    for (uint64_t links = 2 + random.Uniform(2); links > 0; --links) one(chain->add_filters());
    v2::ReadRowsRequest whole;
    *whole.mutable_filter()->mutable_chain()->add_filters() = inside;
    *whole.mutable_filter()->mutable_chain()->add_filters() = through.filter();
    ReadResult expected = Read(whole), found = Read(through);
    ASSERT_TRUE(found.status.ok()) << found.status.error_message();
    ASSERT_EQ(found.Print(), expected.Print()) << through.filter().ShortDebugString();
  }
}

TEST_F(AuthorizedViewTest, WritesOutsideAreRefused) {
  ASSERT_TRUE(Create(Wanted()).ok());
  EXPECT_TRUE(Mutate("a1", SetCell("f", "q")).ok());
  EXPECT_TRUE(Mutate("a9", SetCell("f", "p9")).ok());
  EXPECT_TRUE(Mutate("z1", SetCell("g", "anything")).ok());
  EXPECT_EQ(Mutate("b1", SetCell("f", "q")).error_code(), StatusCode::PERMISSION_DENIED);
  EXPECT_EQ(Mutate("a1", SetCell("f", "r")).error_code(), StatusCode::PERMISSION_DENIED);
  EXPECT_EQ(Mutate("a1", SetCell("n", "q")).error_code(), StatusCode::PERMISSION_DENIED);
  auto of_family = [](const char* family) {
    return [family](v2::Mutation* m) { m->mutable_delete_from_family()->set_family_name(family); };
  };
  EXPECT_TRUE(Mutate("a1", of_family("g")).ok());
  EXPECT_EQ(Mutate("a1", of_family("f")).error_code(), StatusCode::PERMISSION_DENIED);
  EXPECT_EQ(Mutate("a1", [](v2::Mutation* m) { m->mutable_delete_from_row(); }).error_code(),
            StatusCode::PERMISSION_DENIED);
  v2::MutateRowsRequest batch;
  batch.set_authorized_view_name(kView);
  for (const char* row : {"a5", "b5"}) {
    auto* entry = batch.add_entries();
    entry->set_row_key(row);
    SetCell("f", "q")(entry->add_mutations());
  }
  grpc::ClientContext context;
  auto reader = data_->MutateRows(&context, batch);
  v2::MutateRowsResponse response;
  ASSERT_TRUE(reader->Read(&response));
  ASSERT_EQ(response.entries_size(), 2);
  EXPECT_EQ(response.entries(0).status().code(), 0);
  EXPECT_EQ(response.entries(1).status().code(), static_cast<int>(StatusCode::PERMISSION_DENIED));
}

// Callers that see only a part of the table do not learn whether the table has a family.
TEST_F(AuthorizedViewTest, F_A7_AFamilyThatTheTableLacksIsOutsideOfTheView) {
  ASSERT_TRUE(Create(Wanted()).ok());
  grpc::Status status = Mutate("a1", SetCell("unknown", "q"));
  EXPECT_EQ(status.error_code(), StatusCode::PERMISSION_DENIED);
  EXPECT_NE(status.error_message().find("outside the Authorized View"), std::string::npos)
      << status.error_message();
  v2::ReadModifyWriteRowRequest append;
  append.set_authorized_view_name(kView);
  append.set_row_key("a1");
  append.add_rules()->set_family_name("unknown");
  append.mutable_rules(0)->set_append_value("+");
  v2::ReadModifyWriteRowResponse row;
  EXPECT_EQ(Call(data_.get(), &Bigtable::Stub::ReadModifyWriteRow, append, &row).error_code(),
            StatusCode::PERMISSION_DENIED);
  v2::CheckAndMutateRowRequest check;
  check.set_authorized_view_name(kView);
  check.set_row_key("a1");
  SetCell("unknown", "q")(check.add_false_mutations());
  v2::CheckAndMutateRowResponse matched;
  EXPECT_EQ(Call(data_.get(), &Bigtable::Stub::CheckAndMutateRow, check, &matched).error_code(),
            StatusCode::PERMISSION_DENIED);
  // Callers of the table itself do learn it.
  EXPECT_EQ(Set("a1", "unknown", "q", 0, "v").error_code(), StatusCode::NOT_FOUND);
}

TEST_F(AuthorizedViewTest, F_A5_AViewIsGivenWholeUnlessLessIsAskedFor) {
  ASSERT_TRUE(Create(Wanted()).ok());
  admin::AuthorizedView view;
  ASSERT_TRUE(Get(&view, kView, admin::AuthorizedView::RESPONSE_VIEW_UNSPECIFIED).ok());
  EXPECT_EQ(view.subset_view().row_prefixes_size(), 2);
  EXPECT_FALSE(view.etag().empty());
  ASSERT_TRUE(Get(&view, kView, admin::AuthorizedView::BASIC).ok());
  EXPECT_FALSE(view.has_subset_view());
}

TEST_F(AuthorizedViewTest, ConditionsAndIncrementsKeepToTheView) {
  ASSERT_TRUE(Create(Wanted()).ok());
  v2::CheckAndMutateRowRequest check;
  check.set_authorized_view_name(kView);
  check.set_row_key("a1");
  check.mutable_predicate_filter()->mutable_chain()->add_filters()->set_family_name_regex_filter(
      "f");
  check.mutable_predicate_filter()
      ->mutable_chain()
      ->add_filters()
      ->set_column_qualifier_regex_filter("r");
  SetCell("f", "q")(check.add_true_mutations());
  v2::CheckAndMutateRowResponse matched;
  auto ask = [&] {
    return Call(data_.get(), &Bigtable::Stub::CheckAndMutateRow, check, &matched).error_code();
  };
  ASSERT_EQ(ask(), StatusCode::OK);
  EXPECT_FALSE(matched.predicate_matched());  // f:r exists, but not in the view
  SetCell("f", "r")(check.add_false_mutations());
  EXPECT_EQ(ask(), StatusCode::PERMISSION_DENIED);
  v2::ReadModifyWriteRowRequest append;
  append.set_authorized_view_name(kView);
  append.set_row_key("a1");
  auto* rule = append.add_rules();
  rule->set_family_name("f");
  rule->set_column_qualifier("p1");
  rule->set_append_value("+");
  v2::ReadModifyWriteRowResponse row;
  auto run = [&] {
    return Call(data_.get(), &Bigtable::Stub::ReadModifyWriteRow, append, &row).error_code();
  };
  EXPECT_EQ(run(), StatusCode::OK);
  rule->set_column_qualifier("r");
  EXPECT_EQ(run(), StatusCode::PERMISSION_DENIED);
}

}  // namespace
}  // namespace sippar::cluster
