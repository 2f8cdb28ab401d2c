// SPDX-License-Identifier: Apache-2.0
#include "cluster/node/cluster_findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "cluster/node/health_findings.h"
#include "cluster/node/store_file.h"
#include "engine/base/printable.h"

namespace sippar::cluster {
namespace {

using engine::PrintableBytes;
using zookeeper::MemberState;

// Only ZooKeeper has the schemas of the tables and the record of the root tablet, through which
// everything else is found. So no command can rebuild the tree from the directory.
constexpr std::string_view kPutTreeBack =
    "end ZooKeeper, put the data directories of all its members (dataDir and dataLogDir of "
    "zoo.cfg) "
    "back from where they were moved or from a copy, start it, and then the cluster's processes, "
    "which have ended meanwhile; init and collapse cannot help, because only ZooKeeper has the "
    "tables' schemas and the root tablet's record";

class Diagnosis {
 public:
  explicit Diagnosis(const ClusterFacts& facts) : facts_(facts) {}

  std::vector<ClusterFinding> Run() {
    LookAtZooKeeper();
    LookAtTree();
    LookAtStore();
    LookAtMasters();
    LookAtServers();
    AddHealthFindings(facts_, &findings_);
    return std::move(findings_);
  }

 private:
  void Add(std::string about, std::string what, std::string why, std::string way_out) {
    findings_.push_back(
        {true, std::move(about), std::move(what), std::move(why), std::move(way_out)});
  }
  std::string Cluster() const { return "cluster " + facts_.target; }
  // False also if the target is a member's address.
  bool has_session() const { return !facts_.zookeeper.empty() && facts_.session.ok(); }
  bool is_missing() const { return facts_.session.code() == StatusCode::kNotFound; }

  void LookAtZooKeeper() {
    for (const ZooKeeperFact& member : facts_.zookeeper) {
      if (member.look.state == MemberState::kServes) continue;
      // If ZooKeeper forbids the command that shows a member's state, this is no defect as long as
      // sessions work.
      if (member.look.state == MemberState::kUnknown && facts_.session.ok()) continue;
      const bool is_alone = member.look.state == MemberState::kNoLeader;
      Add("zookeeper", "ZooKeeper " + member.address, member.look.detail,
          is_alone ? "start the members that do not run, or mend the network between them"
                   : "start this member, or look whether this machine can reach it");
    }
    if (facts_.session.code() != StatusCode::kUnavailable) return;
    Add("zookeeper", Cluster(),
        fmt::format("ZooKeeper does not answer ({})", MessageOf(facts_.session)),
        "start its members, more than half of them; tablet servers stop serving when their leases "
        "end, and go on by themselves when it answers again");
  }

  void LookAtTree() {
    const Status& session = facts_.session;
    if (session.ok() || session.code() == StatusCode::kUnavailable) {
      if (has_session()) LookAtMark();
      return;
    }
    if (is_missing()) return Add("cluster", Cluster(), WhyMissing(), WayOutOfMissing());
    const bool is_damaged = session.code() == StatusCode::kDataLoss;
    Add("cluster", Cluster(), std::string(MessageOf(session)),
        is_damaged ? std::string(kPutTreeBack)
        : session.code() == StatusCode::kPermissionDenied
            ? "name the file with the cluster's secret in SIPPAR_ZK_SECRET"
            : "mend what the message names");
  }

  // True if the directory is this cluster's and has been filled: the cluster existed once.
  bool HasStore() const {
    return facts_.store.has_value() && !facts_.store->id.empty() && !facts_.store->target.empty();
  }

  std::string WhyMissing() const {
    if (HasStore()) {
      return fmt::format(
          "ZooKeeper has lost it: {} is the store of this cluster (id '{}'), and ZooKeeper has no "
          "tree of it; its data were wiped or replaced, or another ZooKeeper answers there",
          facts_.store->directory, PrintableBytes(facts_.store->id));
    }
    return "ZooKeeper has no tree of it: the cluster was never made, or was collapsed, or "
           "ZooKeeper's data were wiped or replaced";
  }

  std::string WayOutOfMissing() const {
    if (HasStore()) {
      return fmt::format("leave {} as it is; {}", facts_.store->directory, kPutTreeBack);
    }
    return fmt::format(
        "if there was one, leave its directory as it is (`sippar admin doctor DIR` looks at it) "
        "and "
        "{}; if there was none, make it with `sippar admin init {} --store posix:DIR`",
        kPutTreeBack, facts_.target);
  }

  // Reports a cluster that is incomplete according to the file `store`.
  void LookAtMark() {
    const std::string& store = facts_.locks.store;
    if (store.empty() && facts_.locks.id.empty()) {
      return Add("cluster", Cluster(), WhyMissing(), WayOutOfMissing());
    }
    auto file = ParseStoreFile(store);
    if (!file.ok() && !store.empty()) {
      return Add("cluster", Cluster(), std::string(MessageOf(file.status())),
                 "use the version of sippar that made the cluster");
    }
    if (file.ok() && file->phase == StorePhase::kComplete) return;
    if (file.ok() && file->phase == StorePhase::kCollapsing) {
      return Add("cluster", Cluster(), "a collapse of it has not ended, so no process starts",
                 fmt::format("repeat it: `sippar admin collapse {} {}`", facts_.target,
                             PrintableBytes(file->place.directory)));
    }
    Add("cluster", Cluster(), "an init of it has not ended, so no process starts",
        fmt::format("repeat it: `sippar admin init {} --store {}`", facts_.target,
                    file.ok() ? PrintableBytes(PrintStorePlace(file->place)) : "posix:DIR"));
  }

  void LookAtStore() {
    if (!facts_.store.has_value()) return;
    const StoreFacts& store = *facts_.store;
    const std::string what = "store " + store.directory;
    if (store.read.code() == StatusCode::kNotFound) {
      return Add("store", what, "its file CLUSTER is missing on this machine",
                 fmt::format("mount the directory of {} here; if it is mounted, its files were "
                             "removed: put them back from a copy",
                             facts_.target));
    }
    if (!store.read.ok()) {
      return Add("store", what, std::string(MessageOf(store.read)),
                 "mend what the message names, or put the file back from a copy");
    }
    if (!has_session() || facts_.locks.id.empty()) return;
    if (store.id != facts_.locks.id) {
      return Add(
          "store", what,
          fmt::format("it belongs to cluster '{}', and {} has the id '{}'",
                      PrintableBytes(store.id), facts_.target, PrintableBytes(facts_.locks.id)),
          "mount the directory of this cluster there; or, if ZooKeeper's data were replaced "
          "by another cluster's, put the right ones back");
    }
    auto file = ParseStoreFile(facts_.locks.store);
    if (store.target.empty() && file.ok() && file->phase == StorePhase::kComplete) {
      Add("store", what,
          "its file TARGET is missing or damaged, so a program could take it for a "
          "store of one process",
          fmt::format("printf 'sippar cluster\\ntarget {}\\n' > {}/TARGET", facts_.target,
                      store.directory));
    }
    if (facts_.locks.next_epoch == 0 || store.top_epoch < facts_.locks.next_epoch) return;
    Add("store", what,
        fmt::format(
            "it has logs of epoch {}, and ZooKeeper gives out {} next: ZooKeeper's data are "
            "an older copy",
            store.top_epoch, facts_.locks.next_epoch),
        "end the cluster's processes and put the newest copy of ZooKeeper's data back; with the "
        "older one, tables and tablets that changed since are lost or wrong");
  }

  void AddSilent(const MemberFact& member) {
    Add(member.is_server ? "server" : "master",
        fmt::format("{} {}", member.is_server ? "server" : "master", member.name),
        fmt::format("it holds its lock and does not answer this machine ({})",
                    MessageOf(member.answer)),
        fmt::format("look at {}: kill it if it is frozen; otherwise mend the network or the "
                    "certificates between the two machines",
                    member.process));
  }

  void LookAtMasters() {
    if (has_session() && !facts_.locks.id.empty() && !facts_.locks.has_master) AddNoMaster();
    for (const MemberFact& member : facts_.members) {
      if (!member.is_server && !member.answer.ok()) AddSilent(member);
    }
    const bool may_answer = facts_.zookeeper.empty() || facts_.locks.has_master;
    if (facts_.health.ok() || !may_answer) return;
    Add("master", Cluster(),
        fmt::format("its master does not say how it is ({})", MessageOf(facts_.health.status())),
        "try again; if it goes on, end the master's process: another one takes over");
  }

  void AddNoMaster() {
    std::string waiting;
    for (const MemberFact& member : facts_.members) {
      if (!member.is_server) waiting += (waiting.empty() ? "" : ", ") + member.name;
    }
    constexpr std::string_view kHarm = "tablets of servers that end are not given to others";
    if (waiting.empty()) {
      return Add("master", Cluster(), fmt::format("no master runs: {}", kHarm),
                 fmt::format("start one: `sippar serve --cluster {} --roles master --name m1`",
                             facts_.target));
    }
    Add("master", Cluster(), fmt::format("no master reigns, {} wait: {}", waiting, kHarm),
        "wait for one lease; if none takes over, look at what their processes say");
  }

  bool HasLiveServer() const {
    return std::any_of(facts_.members.begin(), facts_.members.end(),
                       [](const MemberFact& member) { return member.is_server; });
  }

  void LookAtServers() {
    if (has_session() && !facts_.locks.id.empty() && !HasLiveServer()) {
      Add("server", Cluster(), "no tablet server runs, so no tablet is served",
          fmt::format("start some: `sippar serve --cluster {} --roles tabletserver --name ts1`",
                      facts_.target));
    }
    for (const MemberFact& member : facts_.members) {
      if (member.is_server && !member.answer.ok()) AddSilent(member);
    }
  }

  const ClusterFacts& facts_;
  std::vector<ClusterFinding> findings_;
};

}  // namespace

std::vector<ClusterFinding> FindingsOf(const ClusterFacts& facts) { return Diagnosis(facts).Run(); }

}  // namespace sippar::cluster
