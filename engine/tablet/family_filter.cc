// SPDX-License-Identifier: Apache-2.0
#include "engine/tablet/family_filter.h"

#include "engine/model/cell_key.h"

namespace sippar::engine {
namespace {

// A row tombstone has no family: it may hide cells of any family, so every group needs it.
class FamilyFilter final : public EntryIterator {
 public:
  FamilyFilter(std::unique_ptr<EntryIterator> input, const std::set<std::string>* families)
      : input_(std::move(input)), families_(families) {}

  bool Valid() const override { return input_->Valid(); }
  std::string_view key() const override { return input_->key(); }
  std::string_view value() const override { return input_->value(); }
  uint64_t value_size() const override { return input_->value_size(); }
  Status status() const override { return input_->status(); }

  void Seek(std::string_view key) override {
    input_->Seek(key);
    while (input_->Valid() && !IsWanted()) input_->Next();
  }
  void Next() override {
    do {
      input_->Next();
    } while (input_->Valid() && !IsWanted());
  }
  void SeekBefore(std::string_view key) override {
    input_->SeekBefore(key);
    while (input_->Valid() && !IsWanted()) {
      // Copied, as the key does not outlive the seek. Seeking is the only way back: there is no
      // step to the previous entry.
      std::string at(input_->key());
      input_->SeekBefore(at);
    }
  }

 private:
  // A key that does not parse is kept, so that the consumer, which parses it too, reports the
  // damage.
  bool IsWanted() {
    ParsedKey parsed;
    if (!ParseKey(input_->key(), &parsed) || parsed.family.empty()) return true;
    // Entries are sorted, so the last family answers most calls without a lookup in the set.
    if (parsed.family != family_) {
      family_ = parsed.family;
      wanted_ = families_->contains(family_);
    }
    return wanted_;
  }

  std::unique_ptr<EntryIterator> input_;
  const std::set<std::string>* families_;
  std::string family_;  // the family for which wanted_ was computed
  bool wanted_ = false;
};

}  // namespace

std::unique_ptr<EntryIterator> NewFamilyFilter(std::unique_ptr<EntryIterator> input,
                                               const std::set<std::string>* families) {
  return std::make_unique<FamilyFilter>(std::move(input), families);
}

}  // namespace sippar::engine
