// What a statement that was stopped says of the rows that it has written.
// SPDX-License-Identifier: Apache-2.0
#include "query/execute/row_writer.h"

#include <gtest/gtest.h>

#include "query/session/query_error.h"

namespace sippar::query {
namespace {

TEST(RowWriter, WhatIsKnownToBeDoneIsAtLeastThat) {
  EXPECT_EQ(KnownDone(0, false), "no row is written");
  EXPECT_EQ(KnownDone(0, true), "no row is known to be written");
  EXPECT_EQ(KnownDone(1, false), "1 row written");
  EXPECT_EQ(KnownDone(2000, true, "deleted"), "at least 2000 rows deleted");
}

TEST(RowWriter, ALaterErrorIsToldWithTheFirst) {
  const Status first = ErrorAt("DECODE", {}, "broken", "mend it");
  const Status later = Unavailable("no answer");
  EXPECT_TRUE(WithLater(OkStatus(), OkStatus()).ok());
  EXPECT_EQ(WithLater(OkStatus(), later), later);
  EXPECT_EQ(WithLater(first, OkStatus()), first);
  const Status both = WithLater(first, later);
  EXPECT_EQ(both.code(), first.code());
  EXPECT_EQ(QueryErrorOf(both).code, "DECODE");
  EXPECT_EQ(QueryErrorOf(both).message, "broken; then no answer");
  EXPECT_EQ(QueryErrorOf(both).hint, "mend it");
}

}  // namespace
}  // namespace sippar::query
