// SPDX-License-Identifier: Apache-2.0
#include "cluster/master/act/action_job.h"

#include <type_traits>

namespace sippar::cluster::master {
namespace {

// Passes `asked` to the first part that has a Do for it. Does not compile if no part has one.
template <class Asked, class Part, class... Others>
event::Done DoByOne(const Asked& asked, Part* part, Others*... others) {
  if constexpr (requires { part->Do(asked); }) {
    return part->Do(asked);
  } else {
    return DoByOne(asked, others...);
  }
}

}  // namespace

event::Done ActionJob::CarryOut(const Action& action) {
  event::Done done = std::visit(
      [this](const auto& asked) -> event::Done {
        // MasterDriver itself passes a reply to the administrator, so there is nothing to do here.
        if constexpr (std::is_same_v<decltype(asked), const action::Reply&>)
          return {};
        else
          return DoByOne(asked, &servers_, &records_, &tables_, &recovery_, &sweep_);
      },
      action.body);
  done.op = action.op;
  return done;
}

}  // namespace sippar::cluster::master
