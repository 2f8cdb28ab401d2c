// Images of stores in eight states, and a check of what a start does if one file is damaged.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "cluster/client/client.h"
#include "engine/fs/memory_file_system.h"
#include "tests/cluster/lock/lock_world.h"

namespace sippar::cluster {

struct StoreImage {
  std::set<std::string> directories;
  std::map<std::string, std::string> files;

  // Image of /db as a process that ends now leaves it.
  static StoreImage Of(engine::FileSystem* fs);
  std::unique_ptr<engine::MemoryFileSystem> Make() const;
  bool operator==(const StoreImage&) const = default;
};

StatusOr<std::unique_ptr<Client>> OpenStore(engine::FileSystem* fs);
TableSchema SchemaOf(const std::string& name);
Status PutRow(Client* client, const std::string& row, const std::string& value,
              const std::string& table = "t");
// Rows and values as text, or the error.
std::string RowsOf(Client* client, const std::string& table);
int CountRows(Client* client, const std::string& table);

struct StoreState {
  std::string name;
  StoreImage image;
  // Returns the answers to all possible questions as text, or the errors.
  std::function<std::string(Client* client)> ask;
  std::string answer;
};
std::vector<StoreState> EightStates();

struct DamageTry {
  const StoreState* state = nullptr;
  std::string path;
  std::string kind;  // "removed", "emptied", "cut", "flipped"
  size_t at = 0;

  std::string Print() const;
};
// Adds attempts for every file: removed, emptied, and cut and flipped in `places` places each.
void AddTries(const StoreState& state, size_t places, std::vector<DamageTry>* tries);
// Returns "" if the result is right; nullptr: no damage.
std::string TryDamage(const StoreState& state, const DamageTry* damage);

}  // namespace sippar::cluster
