// SPDX-License-Identifier: Apache-2.0
#include "cluster/node/cluster_client.h"

#include <unistd.h>

#include <utility>

#include "cluster/net/failure.h"

namespace sippar::cluster {
namespace {

LineSettings SettingsOf(ClusterSite* site, const ClusterLinesOptions& options,
                        net::LaneLoops* loops) {
  LineSettings settings;
  settings.loops = loops;
  settings.clock = site->options().clock;
  settings.hello.role = options.role;
  settings.hello.name = options.name;
  settings.hello.cluster = site->id();
  settings.tls = options.tls;
  settings.keepalive = options.keepalive;
  return settings;
}

class ClusterClient final : public Client {
 public:
  ClusterClient(std::shared_ptr<ClusterSite> site, std::shared_ptr<ClusterLines> lines,
                CancelFlag cancel)
      : site_(std::move(site)),
        lines_(std::move(lines)),
        cancel_(std::move(cancel)),
        admin_(lines_->transport(), site_->session(),
               {.clock = clock(), .retry = {}, .cancel = cancel_}) {}

  Status Open() {
    ClusterPlace place;
    place.locks = site_->locks();
    place.transport = lines_->transport();
    place.clock = clock();
    place.session = site_->session();
    place.cancel = cancel_;
    ASSIGN_OR_RETURN(view_, ClusterView::Open(place, "client of " + site_->target()));
    return OkStatus();
  }

  DataApi* data() override { return view_->data(); }
  AdminApi* admin() override { return &admin_; }
  engine::Clock* clock() override { return site_->options().clock; }
  const std::string& target() const override { return site_->target(); }
  Status Close() override { return OkStatus(); }

 private:
  const std::shared_ptr<ClusterSite> site_;
  const std::shared_ptr<ClusterLines> lines_;
  const CancelFlag cancel_;
  ReigningAdmin admin_;
  std::unique_ptr<ClusterView> view_;
};

StatusOr<std::unique_ptr<Client>> Open(std::shared_ptr<ClusterSite> site,
                                       std::shared_ptr<ClusterLines> lines, CancelFlag cancel) {
  auto client =
      std::make_unique<ClusterClient>(std::move(site), std::move(lines), std::move(cancel));
  RETURN_IF_ERROR(client->Open());
  return std::unique_ptr<Client>(std::move(client));
}

}  // namespace

ClusterLines::ClusterLines(ClusterSite* site, const ClusterLinesOptions& options)
    : addresses_(site->session()), transport_(SettingsOf(site, options, &loops_), &addresses_) {}

void ReigningAdmin::Carry(const AnyCall& call, const CallOptions& options) {
  if (const auto* asked = std::get_if<Pending<calls::GetSchema>>(&call)) {
    asked->answer = schemas_.Get(asked->call.table, CallTime(settings_.clock, options));
    return;
  }
  CarryToMaster(call, options);
  if (RuleOf(call).repeat == Repeat::kUnsafe) schemas_.Forget();
}

void ReigningAdmin::CarryToMaster(const AnyCall& call, const CallOptions& options) {
  CallCourse course(settings_, options);
  for (;;) {
    auto now = course.OptionsNow();
    if (!now.ok()) return Refuse(call, now.status());
    admin_->Carry(call, *now);
    const Status outcome = AnswerOf(call);
    if (outcome.code() != StatusCode::kUnavailable) return;
    const Repeat repeat = net::IsNotBegun(outcome) ? Repeat::kSafe : RuleOf(call).repeat;
    Status again = course.AfterFailure(outcome, repeat);
    if (!again.ok()) return Refuse(call, again);
  }
}

StatusOr<std::unique_ptr<Client>> OpenClusterClient(std::shared_ptr<ClusterSite> site,
                                                    const std::shared_ptr<net::TlsKeys>& tls) {
  ClusterLinesOptions lines;
  lines.name = std::to_string(::getpid());
  lines.tls = tls;
  // When the lease of a frozen server is over, its tablets move. A call that waits for that server
  // must fail by then, so that it is sent to the next server. The lease is about as long as this
  // session's timeout.
  lines.keepalive = net::Keepalive::OfLease(site->options().session_us);
  auto own = std::make_shared<ClusterLines>(site.get(), lines);
  return Open(std::move(site), std::move(own), nullptr);
}

StatusOr<std::unique_ptr<Client>> OpenClientOfMember(ClusterSite* site, ClusterLines* lines,
                                                     const CancelFlag& cancel) {
  const std::shared_ptr<void> unowned;
  return Open(std::shared_ptr<ClusterSite>(unowned, site),
              std::shared_ptr<ClusterLines>(unowned, lines), cancel);
}

}  // namespace sippar::cluster
