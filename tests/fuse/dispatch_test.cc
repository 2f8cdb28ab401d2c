// How long the kernel may keep names. Needs no /dev/fuse.
// SPDX-License-Identifier: Apache-2.0
#include "fuse/kernel/dispatch.h"

#include <gtest/gtest.h>

#include "tests/fuse/fake_client.h"

namespace sippar::fuse {
namespace {

TEST(NameSeconds, AreLessByTheAgeAndByTheTimeOfTheLookup) {
  FakeClient client;
  TreeView tree(&client, TreeOptions());
  DispatchOptions options;
  options.name_age_us_max = 1'000'000;
  Dispatch dispatch(&tree, client.clock(), options);
  Entry entry;
  entry.age_us = 300'000;
  EXPECT_DOUBLE_EQ(dispatch.NameSeconds(entry, 0), 0.7);
  EXPECT_DOUBLE_EQ(dispatch.NameSeconds(entry, 500'000), 0.2);
  EXPECT_EQ(dispatch.NameSeconds(entry, 5'000'000), 0) << "a slow lookup";
  EXPECT_DOUBLE_EQ(dispatch.FollowedNameSeconds(Node(), entry, 500'000), 0.2) << "not followed";
  entry.is_volatile = true;
  EXPECT_EQ(dispatch.NameSeconds(entry, 0), 0);
}

}  // namespace
}  // namespace sippar::fuse
