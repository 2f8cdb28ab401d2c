// Random schemas, row mutations and reads from a seed. The keys come from a small, hostile set, so
// that mutations meet in the same rows and keys are prefixes of each other.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/random.h"
#include "engine/model/mutation.h"
#include "engine/model/read_spec.h"
#include "engine/model/schema.h"

namespace sippar::engine {

class RandomHistory {
 public:
  explicit RandomHistory(uint64_t seed) : random_(seed) {}

  TableSchema Schema();
  std::vector<std::string> SplitKeys();
  // Returns a mutation with explicit timestamps within a short interval before `now_us`.
  RowMutation Mutation(const TableSchema& schema, int64_t now_us);
  ReadSpec Read(const TableSchema& schema, int64_t now_us);
  Random* random() { return &random_; }

 private:
  std::string Key();
  std::string Qualifier();
  int64_t Time(int64_t now_us) { return now_us - static_cast<int64_t>(random_.Uniform(20)); }
  NamePattern Pattern(const std::string& text);

  Random random_;
};

}  // namespace sippar::engine
