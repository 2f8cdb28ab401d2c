// A store that is served over cluster/net: a client in another process gets the same answers as a
// client in the store's own process.
// SPDX-License-Identifier: Apache-2.0
#include "cluster/serve/wire_server.h"

#include <gtest/gtest.h>

#include "cluster/node/open_client.h"
#include "cluster/serve/listen_address.h"
#include "cluster/wire/remote_client.h"
#include "engine/fs/memory_file_system.h"

namespace sippar::cluster {
namespace {

class WireServerTest : public testing::Test {
 protected:
  WireServerTest() {
    ClientOptions options;
    options.create_if_missing = true;
    options.fs = &fs_;
    store_ = OpenClient("/store", options).value();
    server_ = WireServer::Start(store_.get(), {}).value();
    const ListenAddress address = ListenAddress::Parse(server_->address()).value();
    LineSettings settings;
    settings.loops = &loops_;
    settings.clock = engine::Clock::System();
    settings.hello.role = "client";
    settings.hello.name = "c1";
    client_ = RemoteClient::Connect({address.Numeric(), address.port, ""}, "the server", settings)
                  .value();

    TableSchema schema;
    schema.name = "t";
    schema.families.resize(1);
    schema.families[0].name = "f";
    EXPECT_TRUE(client_->admin()->Do(calls::CreateTable{schema, {"m"}}).ok());
  }
  // The row, column and value of each cell.
  static std::vector<std::string> Cells(Client* client, engine::ReadCounters* counters = nullptr) {
    std::vector<std::string> found;
    auto cells = client->data()->Read("t", ReadSpec(), {nullptr, 0, counters});
    EXPECT_TRUE(cells.ok()) << cells.status();
    if (!cells.ok()) return found;
    for (; (*cells)->Valid(); (*cells)->Next()) {
      const CellView& cell = (*cells)->cell();
      found.push_back(std::string(cell.row) + " " + std::string(cell.qualifier) + " " +
                      std::string(cell.value));
    }
    EXPECT_TRUE((*cells)->status().ok()) << (*cells)->status();
    return found;
  }

  engine::MemoryFileSystem fs_;
  net::LaneLoops loops_{"client"};
  std::unique_ptr<Client> store_;
  std::unique_ptr<WireServer> server_;
  std::unique_ptr<RemoteClient> client_;
};

TEST_F(WireServerTest, WritesReadsAndErrorsAreThoseOfTheStore) {
  std::vector<RowMutation> batch = {RowMutation("a").Set("f", "q", "1"),
                                    RowMutation("b").Set("unknown", "q", "2"),
                                    RowMutation("x").Set("f", "q", std::string(3 << 20, 'v'))};
  std::vector<Status> statuses = client_->data()->ApplyBatch("t", batch);
  ASSERT_EQ(statuses.size(), 3u);
  EXPECT_TRUE(statuses[0].ok()) << statuses[0];
  EXPECT_EQ(statuses[1], store_->data()->ApplyBatch("t", batch)[1]);
  EXPECT_TRUE(statuses[2].ok()) << statuses[2];

  engine::ReadCounters counters;
  const std::vector<std::string> cells = Cells(client_.get(), &counters);
  EXPECT_EQ(cells, Cells(store_.get()));
  EXPECT_GE(cells.size(), 2u);
  EXPECT_EQ(counters.cells_returned, cells.size());
  EXPECT_EQ(counters.reads, 2u);  // two tablets

  EXPECT_EQ(client_->data()->Apply("none", batch[0]), store_->data()->Apply("none", batch[0]));
  EXPECT_EQ(client_->admin()->Do(calls::GetTable{"none"}).status(),
            store_->admin()->Do(calls::GetTable{"none"}).status());
  auto ranges = client_->data()->Do(calls::TabletRanges{"t"});
  ASSERT_TRUE(ranges.ok()) << ranges.status();
  EXPECT_EQ(ranges->size(), 2u);
  EXPECT_EQ(client_->data()->ReadChanges("t", {}, {}).status().code(),
            StatusCode::kFailedPrecondition);  // the table has no change stream
}

TEST_F(WireServerTest, AClientOfAServerThatHasStoppedIsLost) {
  EXPECT_TRUE(client_->data()->Apply("t", RowMutation("a").Set("f", "q", "1")).ok());
  server_->Stop(1'000'000);
  Status late = client_->data()->Apply("t", RowMutation("a").Set("f", "q", "2"));
  EXPECT_EQ(late.code(), StatusCode::kUnavailable) << late;
  EXPECT_TRUE(client_->is_lost());
  EXPECT_EQ(Cells(store_.get()), std::vector<std::string>{"a q 1"});
}

TEST_F(WireServerTest, AnAddressForOthersNeedsCertificates) {
  for (const char* listen : {"0.0.0.0:0", "[::]:0", "localhost"}) {
    WireServerOptions options;
    options.listen = listen;
    EXPECT_EQ(WireServer::Start(store_.get(), options).status().code(),
              StatusCode::kInvalidArgument)
        << listen;
  }
}

}  // namespace
}  // namespace sippar::cluster
