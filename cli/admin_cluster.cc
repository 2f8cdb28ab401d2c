// SPDX-License-Identifier: Apache-2.0
#include "cli/admin_cluster.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <cstdio>
#include <memory>

#include "cli/arguments.h"
#include "cli/cluster_report.h"
#include "cli/cluster_wait.h"
#include "cli/exit_code.h"
#include "cli/message.h"
#include "cli/wait_option.h"
#include "cluster/api/tablet_record.h"
#include "cluster/node/target.h"
#include "engine/base/clock.h"

namespace sippar::cli {
namespace {

using cluster::ClusterHealth;

// `status` waits up to this long for a healthy answer from a directory: this process may have just
// opened the store, which then still loads its tablets.
constexpr int64_t kOpeningMicros = 5'000'000;
constexpr int64_t kPollMicros = 20'000;

int ExitOf(const Status& status) {
  return status.ok() ? kExitOk : Failed("sippar admin", status, kExitFailed);
}

StatusOr<ClusterHealth> AskHealth(cluster::Client* client, const std::string& target) {
  ASSIGN_OR_RETURN(cluster::Target place, cluster::ParseTarget(target));
  engine::Clock* clock = engine::Clock::System();
  const int64_t since_ns = clock->MonotonicNanos();
  for (;;) {
    ASSIGN_OR_RETURN(ClusterHealth health, client->admin()->Do(cluster::calls::ClusterStatus{}));
    health.cluster.name = place.cluster;
    const int64_t waited_us = (clock->MonotonicNanos() - since_ns) / 1000;
    const bool may_be_opening = !place.directory.empty() && waited_us < kOpeningMicros;
    if (health.healthy || !may_be_opening) return health;
    clock->SleepMicros(kPollMicros);
  }
}

// The named table, or METADATA and all tables if none is named.
StatusOr<std::vector<std::string>> TablesOf(cluster::Client* client, const std::string& wanted) {
  if (!wanted.empty()) return std::vector<std::string>{wanted};
  ASSIGN_OR_RETURN(std::vector<cluster::TableInfo> infos,
                   client->admin()->Do(cluster::calls::ListTables{}));
  std::vector<std::string> names = {cluster::kMetadataName};
  for (const cluster::TableInfo& info : infos) names.push_back(info.schema.name);
  return names;
}

}  // namespace

CLI::App* ClusterCommands::Add(CLI::App* app, const char* name, const char* summary, Work work) {
  CLI::App* sub = app->add_subcommand(name, summary);
  sub->add_option("TARGET", target_, kTargetHelp)->required();
  actions_.push_back({sub, std::move(work)});
  return sub;
}

void ClusterCommands::AddTo(CLI::App* app) {
  auto add_format = [this](CLI::App* sub) {
    sub->add_option("--format", format_, "json: for scripts")
        ->check(CLI::IsMember({"text", "json"}))
        ->capture_default_str();
    AddWaitOption(sub, &patience_);
  };
  add_format(Add(app, "status", "servers, tablets, what is not served; exit code 0: all is served",
                 [](auto* self, auto* client) { return self->ShowStatus(client); }));
  wait_ = Add(app, "wait", "wait until all is served; exit code 5: not in time", nullptr);
  wait_->add_option("--servers", servers_, "wait also until exactly so many servers are live")
      ->check(CLI::Range(int64_t{0}, int64_t{1'000'000}));
  AddDurationOption(wait_, "--timeout", &timeout_us_, "how long to wait")->default_str("30s");
  for (CLI::App* sub :
       {Add(app, "tablets", "every tablet with its server and sizes",
            [](auto*self, auto*client) { return self->ShowTablets(client); }),
        Add(app, "events", "what happened to tablets, the newest last",
            [](auto*self, auto*client) { return self->ShowEvents(client); }),
        Add(app, "traces", "where the time of calls went: one in 1,000, and slow ones",
            [](auto*self, auto*client) { return self->ShowTraces(client); })}) {
    sub->add_option("TABLE", table_, "one table; all when left out");
    add_format(sub);
  }
  CLI::App* move = Add(app, "move", "move the tablet of a row", [](auto* self, auto* client) {
    return ExitOf(
        client->admin()->Do(cluster::calls::MoveTablet{self->table_, self->row_, self->server_}));
  });
  move->add_option("TABLE", table_, "the table")->required();
  move->add_option("ROW", row_, "a row of the tablet; '' for the first one")->required();
  move->add_option("SERVER", server_, "NAME or NAME.EPOCH of a live server")->required();
  CLI::App* letback =
      Add(app, "letback",
          "let servers load a tablet that was set aside because servers that had it crashed",
          [](auto* self, auto* client) {
            return ExitOf(client->admin()->Do(cluster::calls::LetBack{self->table_, self->row_}));
          });
  letback->add_option("TABLE", table_, "the table")->required();
  letback->add_option("ROW", row_, "a row of the tablet; '' for the first one")->required();
  Add(app, "balance", "whether the master evens out the load",
      [](auto* self, auto* client) { return self->Balance(client); })
      ->add_option("SETTING", balance_, "on, off, or now for one round; shows it when left out")
      ->check(CLI::IsMember({"on", "off", "now"}));
  for (bool on : {true, false}) {
    Add(app, on ? "drain" : "undrain",
        on ? "move all tablets off a server and give it none" : "give a server tablets again",
        [on](auto* self, auto* client) {
          return ExitOf(client->admin()->Do(cluster::calls::DrainServer{self->server_, on}));
        })
        ->add_option("SERVER", server_, "NAME or NAME.EPOCH")
        ->required();
  }
}

bool ClusterCommands::parsed() const {
  for (const Action& action : actions_) {
    if (action.app->parsed()) return true;
  }
  return false;
}

int ClusterCommands::Run() {
  if (wait_->parsed()) return Wait();
  auto client = cluster::OpenClient(target_, {}, patience_);
  if (!client.ok()) return Failed("sippar admin", client.status(), kExitNoStore);
  int code = kExitOk;
  for (const Action& action : actions_) {
    if (action.app->parsed()) code = action.work(this, client->get());
  }
  Status closed = (*client)->Close();
  return code != kExitOk || closed.ok() ? code : Failed("sippar admin", closed, kExitFailed);
}

// Returns kExitFailed if the cluster answers that it is not healthy, but kExitNoStore if there is
// no answer, so that scripts can tell the two apart.
int ClusterCommands::ShowStatus(cluster::Client* client) {
  auto health = AskHealth(client, target_);
  if (!health.ok()) return Failed("sippar admin", health.status(), kExitNoStore);
  fmt::print("{}", format_ == "json" ? HealthJson(*health) : HealthText(*health));
  return health->healthy ? kExitOk : kExitFailed;
}

int ClusterCommands::ShowTablets(cluster::Client* client) {
  auto tables = TablesOf(client, table_);
  if (!tables.ok()) return Failed("sippar admin", tables.status(), kExitFailed);
  for (const std::string& table : *tables) {
    auto tablets = client->data()->Do(cluster::calls::ListTablets{table});
    // A table may have been dropped since the list was made.
    if (tablets.status().code() == StatusCode::kNotFound && table_.empty()) continue;
    if (!tablets.ok()) return Failed("sippar admin", tablets.status(), kExitFailed);
    for (const cluster::TabletInfo& tablet : *tablets) {
      fmt::print("{}", format_ == "json" ? TabletJson(table, tablet) : TabletText(table, tablet));
    }
  }
  return kExitOk;
}

int ClusterCommands::ShowEvents(cluster::Client* client) {
  auto events = client->admin()->Do(cluster::calls::TabletEvents{table_});
  if (!events.ok()) return Failed("sippar admin", events.status(), kExitFailed);
  for (const cluster::TabletEventInfo& event : *events) {
    fmt::print("{}", format_ == "json" ? EventJson(event) : EventText(event));
  }
  return kExitOk;
}

int ClusterCommands::ShowTraces(cluster::Client* client) {
  auto traces = client->admin()->Do(cluster::calls::Traces{table_});
  if (!traces.ok()) return Failed("sippar admin", traces.status(), kExitFailed);
  for (const cluster::CallTraceInfo& trace : *traces) {
    fmt::print("{}", format_ == "json" ? TraceJson(trace) : TraceText(trace));
  }
  return kExitOk;
}

int ClusterCommands::Balance(cluster::Client* client) {
  if (balance_ == "now") return ExitOf(client->admin()->Do(cluster::calls::BalanceNow{}));
  if (!balance_.empty()) {
    return ExitOf(client->admin()->Do(cluster::calls::SetBalancing{balance_ == "on"}));
  }
  auto health = client->admin()->Do(cluster::calls::ClusterStatus{});
  if (!health.ok()) return Failed("sippar admin", health.status(), kExitFailed);
  fmt::print("balancing is {}\n", health->orders.balancing ? "on" : "off");
  return kExitOk;
}

int ClusterCommands::Wait() {
  ClusterWait wait;
  wait.target = target_;
  if (servers_ >= 0) wait.servers = static_cast<uint64_t>(servers_);
  wait.timeout_us = timeout_us_;
  return WaitForCluster(wait);
}

}  // namespace sippar::cli
