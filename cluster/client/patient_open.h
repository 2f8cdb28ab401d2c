// Opening a target that may be busy: a directory that another process opens or closes is waited
// for. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "cluster/client/client.h"

namespace sippar::cluster {

struct Patience {
  // How long a directory that another process has open, and does not serve, is waited for; also
  // when the process that this one joined has left.
  int64_t wait_us = 30'000'000;
  // Called now and then meanwhile, from the waiting thread, with what is waited for; false: no
  // more.
  std::function<bool(const std::string& what)> may_wait = nullptr;
};

// As Client::Open, which has the patience that this one has by default. kCancelled: may_wait said
// so.
[[nodiscard]] StatusOr<std::unique_ptr<Client>> OpenPatiently(const std::string& target,
                                                              const ClientOptions& options,
                                                              const Patience& patience);

}  // namespace sippar::cluster
