// SPDX-License-Identifier: Apache-2.0
#include "cluster/node/joined_client.h"

#include "cluster/node/joined_calls.h"

namespace sippar::cluster {
namespace {

class JoinedClient final : public Client {
 public:
  JoinedClient(std::string target, engine::Clock* clock, int64_t wait_us, ReachedStore store,
               ReachStore reach)
      : target_(std::move(target)),
        clock_(clock),
        joined_(clock, wait_us, std::move(store), std::move(reach)),
        data_(&joined_),
        admin_(&joined_) {}
  ~JoinedClient() override { (void)Close(); }

  DataApi* data() override { return &data_; }
  AdminApi* admin() override { return &admin_; }
  engine::Clock* clock() override { return clock_; }
  const std::string& target() const override { return target_; }
  Status Close() override { return joined_.Close(); }

 private:
  const std::string target_;
  engine::Clock* const clock_;
  JoinedStore joined_;
  JoinedData data_;
  JoinedAdmin admin_;
};

}  // namespace

std::unique_ptr<Client> NewJoinedClient(ReachedStore store, int64_t wait_us, ReachStore reach) {
  Client* client = store.remote != nullptr ? store.remote.get() : store.opened.get();
  return std::make_unique<JoinedClient>(client->target(), client->clock(), wait_us,
                                        std::move(store), std::move(reach));
}

}  // namespace sippar::cluster
