// The stage of mount_test.py: fills a store and mounts it in one process, so that cells can be
// written while the kernel looks. Commands on stdin, one line each, fields separated by tabs, bytes
// as hex; each is answered by "ok" or "error ...".
//   stage DIR MOUNTPOINT [QUERIES]      open (create) the store, mount, obey commands:
//     table NAME FAMILY...      set TABLE ROW FAMILY QUALIFIER TIME VALUE
//     fill TABLE FAMILY COUNT [HEAD]   rows r00000000.. with one small cell     drop-row TABLE ROW
//     huge TABLE ROW FAMILY SIZE     one cell, see HugeValue     flush TABLE     rss     counters
//     stop                      end of input means the same
//   stage serve DIR MOUNTPOINT [--daemon] [--follow] [--max-nodes N]      what `sippar mount` does
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <fstream>
#include <iostream>
#include <sstream>

#include "cli/mount_answers.h"
#include "cluster/node/open_client.h"
#include "engine/base/thread.h"
#include "fuse/kernel/mount.h"
#include "fuse/kernel/serve_mount.h"

namespace sippar::fuse {
namespace {

using Words = std::vector<std::string>;

constexpr size_t kBatchRows = 50;  // TSan follows no more than 64 locks of one thread

std::string FromHex(const std::string& hex) {
  std::string bytes;
  for (size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes.push_back(static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16)));
  }
  return bytes;
}

Status MakeTable(cluster::Client* client, const Words& words) {
  cluster::TableSchema schema;
  schema.name = words.at(1);
  for (size_t i = 2; i < words.size(); ++i) {
    schema.families.emplace_back().name = words[i];
  }
  schema.Normalize();
  return client->admin()->Do(cluster::calls::CreateTable{schema, {}});
}

Status Fill(cluster::Client* client, const Words& words) {
  int64_t count = std::stoll(words.at(3));
  std::vector<cluster::RowMutation> batch;
  for (int64_t i = 0; i < count; ++i) {
    batch.emplace_back(fmt::format("{}r{:08}", words.size() > 4 ? words[4] : "", i))
        .Set(words.at(2), "q", fmt::format("v{}", i), i);
    if (batch.size() < kBatchRows && i + 1 < count) continue;
    for (const Status& status : client->data()->ApplyBatch(words.at(1), batch)) {
      RETURN_IF_ERROR(status);
    }
    batch.clear();
  }
  return OkStatus();
}

// Bytes that do not compress, each known by its place.
std::string HugeValue(size_t size) {
  std::string value(size, '\0');
  for (size_t i = 0; i < size; ++i) {
    value[i] = static_cast<char>((static_cast<uint32_t>(i) * 2654435761u) >> 24);
  }
  return value;
}

std::string ResidentKiB() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmRSS:")) return line;
  }
  return "";
}

Status Obey(cluster::Client* client, Mount* mount, const Words& words) {
  const std::string& verb = words.at(0);
  if (verb == "table") return MakeTable(client, words);
  if (verb == "fill") return Fill(client, words);
  if (verb == "flush") return client->admin()->Do(cluster::calls::Flush{words.at(1)});
  if (verb == "set") {
    cluster::RowMutation mutation(FromHex(words.at(2)));
    mutation.Set(words.at(3), FromHex(words.at(4)), FromHex(words.at(6)), std::stoll(words.at(5)));
    return client->data()->Apply(words.at(1), mutation);
  }
  if (verb == "huge") {
    cluster::RowMutation mutation(words.at(2));
    mutation.Set(words.at(3), "q", HugeValue(std::stoull(words.at(4))), 1);
    return client->data()->Apply(words.at(1), mutation);
  }
  if (verb == "drop-row") {
    return client->data()->Apply(words.at(1),
                                 cluster::RowMutation(FromHex(words.at(2))).DeleteRow());
  }
  if (verb == "rss") return Unavailable(ResidentKiB());
  if (verb == "counters") return Unavailable(mount->Counters());
  return InvalidArgument("unknown command " + verb);
}

Status RunStage(const std::string& directory, const std::string& mount_point,
                const std::string& queries) {
  cluster::ClientOptions client_options;
  client_options.create_if_missing = true;
  client_options.sync_writes = false;
  ASSIGN_OR_RETURN(auto client, cluster::OpenClient(directory, client_options));
  MountOptions options;
  options.mount_point = mount_point;
  options.source = directory;
  options.make_answers = [&](cluster::Client* answering) {
    return cli::NewMountAnswers(answering, queries);
  };
  ASSIGN_OR_RETURN(auto mount, Mount::Attach(client.get(), options));
  engine::Thread server("serve", [&] {
    Status status = mount->Serve();
    if (!status.ok()) std::cerr << status << std::endl;
  });
  std::cout << "ok" << std::endl;
  for (std::string line; std::getline(std::cin, line) && line != "stop";) {
    Words words;
    std::istringstream stream(line);
    for (std::string word; std::getline(stream, word, '\t');) words.push_back(word);
    if (line.ends_with('\t')) words.emplace_back();
    Status status = Obey(client.get(), mount.get(), words);
    std::string text = status.ok() ? "ok" : "error " + std::string(MessageOf(status));
    for (char& c : text) c = c == '\n' ? ' ' : c;
    std::cout << text << std::endl;
  }
  mount->Stop();
  server.Join();
  mount.reset();
  return client->Close();
}

int Main(int argc, char** argv) {
  Status status;
  if (argc >= 4 && std::string(argv[1]) == "serve") {
    ServeOptions options;
    options.target = argv[2];
    options.mount.mount_point = argv[3];
    for (int i = 4; i < argc; ++i) {
      std::string flag = argv[i];
      options.is_daemon |= flag == "--daemon";
      options.mount.follows_changes |= flag == "--follow";
      if (flag == "--max-nodes") options.mount.nodes_max = std::stoull(argv[++i]);
    }
    status = ServeMount(options);
  } else if (argc == 3 || argc == 4) {
    status = RunStage(argv[1], argv[2], argc == 4 ? argv[3] : "");
  } else {
    status = InvalidArgument(
        "usage: mount_stage [serve] DIR MOUNTPOINT [--daemon] [--follow] [--max-nodes N]");
  }
  if (status.ok()) return 0;
  std::cerr << "sippar mount: " << MessageOf(status) << std::endl;
  return 1;
}

}  // namespace
}  // namespace sippar::fuse

int main(int argc, char** argv) { return sippar::fuse::Main(argc, argv); }
