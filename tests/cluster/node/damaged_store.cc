// Makes stores in eight states, damages their files, and checks what a start does.
// SPDX-License-Identifier: Apache-2.0
#include "tests/cluster/node/damaged_store.h"

#include <fmt/format.h>

#include <algorithm>

#include "cluster/node/open_client.h"
#include "engine/base/thread.h"
#include "engine/fs/fault_file_system.h"
#include "engine/model/change_config.h"

namespace sippar::cluster {
namespace {

constexpr int64_t kDayMicros = int64_t{24} * 3600 * 1'000'000;
constexpr int64_t kHangMicros = 30'000'000;

void Walk(engine::FileSystem* fs, const std::string& path, StoreImage* image) {
  auto names = fs->List(path);
  if (!names.ok()) {
    auto bytes = engine::ReadFile(fs, path);
    // If the read fails, the file has just been removed.
    if (bytes.ok()) image->files[path] = *std::move(bytes);
    return;
  }
  image->directories.insert(path);
  for (const std::string& name : *names) Walk(fs, path + "/" + name, image);
}

void WriteBack(engine::FileSystem* fs, std::string path, const std::string& bytes) {
  // If the log was renamed in the meantime, writes the bytes back under its new name.
  const std::string parent = path.substr(0, path.rfind('/'));
  if (!*fs->Exists(parent)) path = parent + ".sealed" + path.substr(parent.size());
  (void)fs->Remove(path);
  auto file = *fs->Create(path);
  EXPECT_OK(file->Append(bytes));
  EXPECT_OK(file->Sync());
  EXPECT_OK(file->Close());
}

std::string ChangesOf(Client* client) {
  auto info = client->admin()->Do(calls::GetTable{"t"});
  if (!info.ok()) return info.status().ToString();
  auto config = engine::ChangeStreamOf(info->schema);
  ChangesRequest request;
  request.partition = RowRange::All();
  request.start_us = config->since_us;
  auto stream = client->data()->ReadChanges("t", request, {});
  if (!stream.ok()) return stream.status().ToString();
  std::string text;
  for (;;) {
    auto batch = (*stream)->Next(1);
    if (!batch.ok()) return batch.status().ToString();
    if (batch->changes.empty()) return text;
    for (const Change& change : batch->changes) text += change.mutation.row + " ";
  }
}

std::string BackupsOf(Client* client) {
  auto backups = client->admin()->Do(calls::ListBackups{});
  if (!backups.ok()) return backups.status().ToString();
  std::string text;
  for (const BackupInfo& backup : *backups) text += backup.name + " ";
  return text;
}

std::string TablesOf(Client* client) {
  auto tables = client->admin()->Do(calls::ListTables{});
  if (!tables.ok()) return tables.status().ToString();
  std::string text;
  for (const TableInfo& table : *tables) text += table.schema.name + " ";
  return text;
}

std::string AskAll(Client* client) {
  std::string text = "tables " + TablesOf(client);
  auto tables = client->admin()->Do(calls::ListTables{});
  if (!tables.ok()) return text;
  for (const TableInfo& table : *tables) {
    const std::string& name = table.schema.name;
    if (name == "again" || name == "dropped") continue;
    text += fmt::format("\n{}: {}", name, RowsOf(client, name));
  }
  return text;
}

void Fill(Client* client, const std::string& mark, const std::string& table = "t") {
  for (int i = 0; i < 20; ++i) {
    EXPECT_OK(PutRow(client, fmt::format("{}{:02}", mark, i), mark, table));
  }
}

StoreState Asked(std::string name, StoreImage image,
                 std::function<std::string(Client* client)> ask) {
  StoreState state{std::move(name), std::move(image), std::move(ask), ""};
  auto disk = state.image.Make();
  auto client = OpenStore(disk.get());
  EXPECT_TRUE(client.ok()) << state.name << ": " << client.status();
  if (client.ok()) state.answer = state.ask(client->get());
  return state;
}

std::unique_ptr<Client> WithTable(engine::FileSystem* disk, TableSchema schema = SchemaOf("t")) {
  auto client = *OpenStore(disk);
  EXPECT_OK(client->admin()->Do(calls::CreateTable{schema, {}}));
  return client;
}

StoreState Fresh() {
  engine::MemoryFileSystem disk;
  EXPECT_OK((*OpenStore(&disk))->Close());
  return Asked("fresh", StoreImage::Of(&disk), AskAll);
}

StoreState Flushed() {
  engine::MemoryFileSystem disk;
  auto client = WithTable(&disk);
  Fill(client.get(), "a");
  EXPECT_OK(client->Close());
  return Asked("flushed", StoreImage::Of(&disk), AskAll);
}

StoreState SeveralLives() {
  engine::MemoryFileSystem disk;
  std::unique_ptr<engine::MemoryFileSystem> next;  // outlives the client
  auto client = WithTable(&disk);
  for (const char* mark : {"a", "b", "c"}) {
    Fill(client.get(), mark);
    EXPECT_OK(client->admin()->Do(calls::Flush{"t"}));
    Fill(client.get(), fmt::format("{}x", mark));
    auto left = StoreImage::Of(next == nullptr ? &disk : next.get()).Make();
    client.reset();
    next = std::move(left);
    client = *OpenStore(next.get());
  }
  Fill(client.get(), "d");
  return Asked("several lives", StoreImage::Of(next.get()), AskAll);
}

StoreState Split() {
  engine::MemoryFileSystem disk;
  auto client = WithTable(&disk);
  Fill(client.get(), "a");
  EXPECT_OK(client->admin()->Do(calls::Split{"t", "a10"}));
  EXPECT_OK(client->Close());
  client = *OpenStore(&disk);
  Fill(client.get(), "b");
  return Asked("split", StoreImage::Of(&disk), AskAll);
}

StoreState DroppedAndKept() {
  engine::MemoryFileSystem disk;
  auto client = WithTable(&disk);
  Fill(client.get(), "a");
  EXPECT_OK(client->admin()->Do(calls::CreateTable{SchemaOf("dropped"), {}}));
  Fill(client.get(), "b", "dropped");
  EXPECT_OK(client->admin()->Do(calls::DropAndKeepTable{"dropped", kDayMicros}));
  EXPECT_OK(client->Close());
  return Asked("dropped table kept", StoreImage::Of(&disk), [](Client* store) {
    std::string text = AskAll(store).substr(std::string("tables ").size());
    Status back = store->admin()->Do(calls::UndeleteTable{"dropped"});
    text = text.substr(text.find('\n') + 1);
    if (!back.ok() && back.code() != StatusCode::kNotFound) return back.ToString();
    return text + "\nback: " + RowsOf(store, "dropped");
  });
}

StoreState WithChangeStream() {
  engine::MemoryFileSystem disk;
  TableSchema schema = SchemaOf("t");
  engine::SetChangeStream(engine::ChangeStreamConfig{kDayMicros, 0}, &schema);
  auto client = WithTable(&disk, schema);
  for (const char* mark : {"a", "b", "c"}) {
    Fill(client.get(), mark);
    EXPECT_OK(client->admin()->Do(calls::Flush{"t"}));
  }
  Fill(client.get(), "d");
  return Asked("change stream", StoreImage::Of(&disk),
               [](Client* store) { return AskAll(store) + "\nchanges: " + ChangesOf(store); });
}

StoreState WithBackups() {
  engine::MemoryFileSystem disk;
  auto client = WithTable(&disk);
  Fill(client.get(), "a");
  EXPECT_OK(client->admin()->Do(calls::CreateBackup{"b", "t", INT64_MAX}));
  Fill(client.get(), "c");
  EXPECT_OK(client->admin()->Do(calls::Compact{"t", ""}));
  EXPECT_OK(client->Close());
  return Asked("backups", StoreImage::Of(&disk), [](Client* store) {
    std::string text = RowsOf(store, "t") + "\nbackups: " + BackupsOf(store);
    Status restored = store->admin()->Do(calls::RestoreTable{"b", "again"});
    if (!restored.ok() && restored.code() != StatusCode::kAlreadyExists) {
      return text + restored.ToString();
    }
    return text + "\nagain: " + RowsOf(store, "again");
  });
}

StoreState KilledInASplit() {
  engine::MemoryFileSystem disk;
  engine::FaultFileSystem faulty(&disk);
  auto client = WithTable(&faulty);
  Fill(client.get(), "a");
  engine::Mutex mutex;  // the server and the master sync, too
  std::vector<StoreImage> images;
  faulty.OnSync([&] {
    engine::MutexLock lock(&mutex);
    images.push_back(StoreImage::Of(&disk));
  });
  EXPECT_OK(client->admin()->Do(calls::Split{"t", "a10"}));
  faulty.OnSync({});
  EXPECT_GT(images.size(), 3u);
  return Asked("killed in a split", images[images.size() * 2 / 3], AskAll);
}

bool Names(const std::string& text, const std::string& path) {
  const std::string name = path.substr(path.rfind('/') + 1);
  return text.find(name) != std::string::npos;
}

// Returns the store's answer now, and sets `is_right`; or returns the error.
std::string AskStore(const StoreState& state, engine::FileSystem* disk, bool* is_right) {
  auto client = OpenStore(disk);
  if (!client.ok()) return client.status().ToString();
  std::string answer = state.ask(client->get());
  *is_right = answer == state.answer;
  (void)(*client)->Close();
  return answer;
}

std::string Damaged(const std::string& bytes, const DamageTry& damage) {
  if (damage.kind == "emptied") return "";
  if (damage.kind == "cut") return bytes.substr(0, damage.at);
  std::string flipped = bytes;
  flipped[damage.at] = static_cast<char>(flipped[damage.at] ^ (1 << damage.at % 8));
  return flipped;
}

}  // namespace

// The files are read one after the other while a store may flush or compact: two equal readings
// show one moment.
StoreImage StoreImage::Of(engine::FileSystem* fs) {
  StoreImage image;
  for (;;) {
    StoreImage again;
    Walk(fs, "/db", &again);
    if (again == image) return image;
    image = std::move(again);
  }
}

std::unique_ptr<engine::MemoryFileSystem> StoreImage::Make() const {
  auto disk = std::make_unique<engine::MemoryFileSystem>();
  for (const std::string& path : directories) EXPECT_OK(disk->CreateDir(path));
  for (const auto& [path, bytes] : files) WriteBack(disk.get(), path, bytes);
  return disk;
}

StatusOr<std::unique_ptr<Client>> OpenStore(engine::FileSystem* fs) {
  ClientOptions options;
  options.fs = fs;
  options.create_if_missing = true;
  options.memory_limit = 256 << 20;
  return OpenClient("/db", options);
}

TableSchema SchemaOf(const std::string& name) {
  TableSchema schema;
  schema.name = name;
  schema.families.emplace_back().name = "f";
  schema.Normalize();
  return schema;
}

Status PutRow(Client* client, const std::string& row, const std::string& value,
              const std::string& table) {
  return client->data()->Apply(table, RowMutation(row).Set("f", "q", value));
}

std::string RowsOf(Client* client, const std::string& table) {
  ReadSpec read;
  read.rows = engine::RowSet::All();
  read.versions_per_column = 1;
  CallOptions options;
  options.timeout_us = kHangMicros / 3;
  auto cells = client->data()->Read(table, read, options);
  if (!cells.ok()) return cells.status().ToString();
  std::string text;
  for (; (*cells)->Valid(); (*cells)->Next()) {
    text += fmt::format("{}={} ", (*cells)->cell().row, (*cells)->cell().value);
  }
  return (*cells)->status().ok() ? text : (*cells)->status().ToString();
}

int CountRows(Client* client, const std::string& table) {
  const std::string rows = RowsOf(client, table);
  return static_cast<int>(std::count(rows.begin(), rows.end(), '='));
}

std::vector<StoreState> EightStates() {
  std::vector<StoreState> states;
  for (auto make : {Fresh, Flushed, SeveralLives, Split, DroppedAndKept, WithChangeStream,
                    WithBackups, KilledInASplit}) {
    states.push_back(make());
  }
  return states;
}

std::string DamageTry::Print() const {
  return fmt::format("state '{}': {} {} @{}", state->name, path, kind, at);
}

void AddTries(const StoreState& state, size_t places, std::vector<DamageTry>* tries) {
  for (const auto& [path, bytes] : state.image.files) {
    tries->push_back({&state, path, "removed", 0});
    tries->push_back({&state, path, "emptied", 0});
    if (bytes.empty()) continue;
    // Only the written bytes are damaged; reserved zeros follow them.
    const size_t size = std::max<size_t>(1, bytes.find_last_not_of('\0') + 1);
    for (size_t i = 0; i < places; ++i) {
      tries->push_back({&state, path, "cut", (2 * i + 1) * size / (2 * places)});
      tries->push_back({&state, path, "flipped", (2 * i + 1) * size / (2 * places)});
    }
    tries->push_back({&state, path, "cut", size - 1});
    tries->push_back({&state, path, "flipped", size - 1});
  }
}

std::string TryDamage(const StoreState& state, const DamageTry* damage) {
  auto disk = state.image.Make();
  if (damage != nullptr && damage->kind == "removed") {
    EXPECT_OK(disk->Remove(damage->path));
  } else if (damage != nullptr) {
    WriteBack(disk.get(), damage->path, Damaged(state.image.files.at(damage->path), *damage));
  }
  const int64_t begin_us = engine::Clock::System()->NowMicros();
  bool is_right = false;
  std::string answer = AskStore(state, disk.get(), &is_right);
  const int64_t took_us = engine::Clock::System()->NowMicros() - begin_us;
  if (took_us > kHangMicros) return fmt::format("{} s: {}", took_us / 1'000'000, answer);
  if (is_right) return "";
  if (damage == nullptr) return "wrong: " + answer;
  if (!Names(answer, damage->path)) return "lost or wrong: " + answer;
  WriteBack(disk.get(), damage->path, state.image.files.at(damage->path));
  answer = AskStore(state, disk.get(), &is_right);
  return is_right ? "" : "after it was put back: " + answer;
}

}  // namespace sippar::cluster
