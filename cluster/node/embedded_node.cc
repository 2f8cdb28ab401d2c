// The embedded shape (architecture.md): store, tablet server and master in this process, reached by
// direct calls. SPDX-License-Identifier: Apache-2.0
#include "cluster/node/embedded_node.h"

#include "cluster/master/admin_handler.h"
#include "cluster/tabletserver/data_handler.h"
#include "engine/store/store.h"

namespace sippar::cluster {
namespace {

class EmbeddedClient final : public Client {
 public:
  EmbeddedClient(std::string target, std::unique_ptr<engine::FileSystem> own_fs,
                 engine::Clock* clock, std::unique_ptr<engine::Store> store)
      : target_(std::move(target)),
        own_fs_(std::move(own_fs)),
        clock_(clock),
        store_(std::move(store)),
        data_(store_.get(), clock, "embedded"),
        admin_(store_.get()) {}
  ~EmbeddedClient() override { (void)Close(); }

  DataApi* data() override { return &data_; }
  AdminApi* admin() override { return &admin_; }
  engine::Clock* clock() override { return clock_; }
  const std::string& target() const override { return target_; }
  Status Close() override { return store_->Close(); }

 private:
  std::string target_;
  std::unique_ptr<engine::FileSystem> own_fs_;
  engine::Clock* clock_;
  std::unique_ptr<engine::Store> store_;
  DataHandler data_;
  AdminHandler admin_;
};

}  // namespace

StatusOr<std::unique_ptr<Client>> OpenEmbedded(const std::string& directory,
                                               const ClientOptions& options) {
  std::unique_ptr<engine::FileSystem> own_fs;
  engine::StoreOptions store_options;
  store_options.fs = options.fs;
  if (options.fs == nullptr) {
    own_fs = engine::NewPosixFileSystem();
    store_options.fs = own_fs.get();
  }
  store_options.clock = options.clock == nullptr ? engine::Clock::System() : options.clock;
  store_options.create_if_missing = options.create_if_missing;
  store_options.sync_writes = options.sync_writes;
  if (options.memory_limit != 0) store_options.DivideMemory(options.memory_limit);
  ASSIGN_OR_RETURN(std::unique_ptr<engine::Store> store,
                   engine::Store::Open(directory, store_options));
  return std::unique_ptr<Client>(
      new EmbeddedClient(directory, std::move(own_fs), store_options.clock, std::move(store)));
}

}  // namespace sippar::cluster
