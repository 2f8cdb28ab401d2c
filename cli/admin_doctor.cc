// SPDX-License-Identifier: Apache-2.0
#include "cli/admin_doctor.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <memory>
#include <vector>

#include "cli/cluster_report.h"
#include "cli/exit_code.h"
#include "cli/message.h"
#include "cluster/node/cluster_findings.h"
#include "cluster/node/doctor.h"
#include "cluster/node/examine_cluster.h"
#include "cluster/node/server_client.h"
#include "cluster/node/target.h"
#include "cluster/node/target_file.h"
#include "engine/program/value.h"

namespace sippar::cli {
namespace {

constexpr const char* kExamples =
    "A directory whose store no process has open is examined like at a start: its files are read.\n"
    "Of a cluster ZooKeeper, the store's directory, the master and every member are asked. Each\n"
    "line says what is wrong, why, and the way out; nothing is changed. Exit code 0: nothing is\n"
    "wrong, 1: something is, 3: ZooKeeper or the master gives no answer.\n"
    "examples:\n"
    "  sippar admin doctor ./data\n"
    "  sippar admin doctor zk://127.0.0.1:2181/demo\n"
    "  sippar admin doctor /srv/demo         the directory of a cluster: when ZooKeeper has lost "
    "it\n";

// A directory that belongs to no cluster is a store of one process.
StatusOr<bool> IsStoreOfOne(const std::string& target) {
  ASSIGN_OR_RETURN(cluster::Target place, cluster::ParseTarget(target));
  if (place.directory.empty()) return false;
  std::unique_ptr<engine::FileSystem> fs = cluster::FileSystemOf(place.directory);
  const Status found = cluster::ReadTargetFile(fs.get(), place.directory).status();
  if (found.code() == StatusCode::kNotFound) return true;
  RETURN_IF_ERROR(found);
  return false;
}

}  // namespace

void DoctorCommand::AddTo(CLI::App* app) {
  doctor_ = app->add_subcommand("doctor", "what is wrong with a store or a cluster");
  doctor_
      ->add_option("TARGET", target_,
                   "directory of a store that is not open, or zk://HOST:PORT,HOST:PORT/NAME")
      ->required();
  doctor_->add_option("--format", format_, "json: an object for each finding, for scripts")
      ->check(CLI::IsMember({"text", "json"}))
      ->capture_default_str();
  doctor_->footer(kExamples);
}

bool DoctorCommand::parsed() const { return doctor_->parsed(); }

int DoctorCommand::Run() const {
  auto is_store = IsStoreOfOne(target_);
  if (!is_store.ok()) {
    const bool is_usage = is_store.status().code() == StatusCode::kInvalidArgument;
    return Failed("sippar admin", is_store.status(), is_usage ? kExitUsage : kExitFailed);
  }
  return *is_store ? ExamineDirectory() : ExamineTheCluster();
}

void DoctorCommand::Print(const std::string& line) const {
  if (format_ != "json") {
    fmt::print("{}\n", line);
    return;
  }
  cluster::ClusterFinding finding;
  finding.about = "store";
  finding.what = target_;
  finding.why = line;
  fmt::print("{}", FindingJson(finding));
}

int DoctorCommand::ExamineDirectory() const {
  bool any = false;
  Status status = cluster::ExamineStore(target_, [&](std::string_view line) {
    any = true;
    Print(std::string(line));
  });
  // The findings were printed already; the status would repeat them.
  if (any && (status.ok() || status.code() == StatusCode::kDataLoss)) return kExitFailed;
  if (!status.ok()) return Failed("sippar admin", status, kExitFailed);
  if (format_ != "json") fmt::print("{}: nothing is missing, foreign or damaged\n", target_);
  return kExitOk;
}

int DoctorCommand::ExamineTheCluster() const {
  cluster::ExamineOptions options;
  options.secret_file = cluster::SecretFileOfEnvironment();
  auto facts = cluster::ExamineCluster(target_, options);
  if (!facts.ok()) {
    const bool is_usage = facts.status().code() == StatusCode::kInvalidArgument;
    return Failed("sippar admin", facts.status(), is_usage ? kExitUsage : kExitNoStore);
  }
  const std::vector<cluster::ClusterFinding> findings = cluster::FindingsOf(*facts);
  for (const cluster::ClusterFinding& finding : findings) {
    fmt::print("{}", format_ == "json" ? FindingJson(finding) : FindingText(finding));
  }
  if (findings.empty() && format_ != "json") {
    fmt::print("{}: nothing is wrong\n", engine::PrintEscaped(target_));
  }
  if (!facts->health.ok()) return kExitNoStore;
  const bool is_trouble = std::any_of(findings.begin(), findings.end(),
                                      [](const auto& each) { return each.is_trouble; });
  return is_trouble ? kExitFailed : kExitOk;
}

}  // namespace sippar::cli
