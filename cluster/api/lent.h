// Lent<T>: a field of a call (row_calls.h) that is only read. Within a process the caller lends the
// value until the call is answered, so the value is not copied, even if several objects pass the
// call on. A call that was decoded owns its value. Copies of a Lent share the value.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace sippar::cluster {

template <class T>
class Lent {
 public:
  Lent() : Lent(Empty()) {}
  // `value` outlives the object. The constructor allocates no memory.
  Lent(const T& value) : value_(std::shared_ptr<const void>(), &value) {}
  Lent(T&& value) : value_(std::make_shared<const T>(std::move(value))) {}

  const T& operator*() const { return *value_; }
  const T* operator->() const { return value_.get(); }

 private:
  static const T& Empty() {
    static const T empty{};
    return empty;
  }

  std::shared_ptr<const T> value_;
};

// Like Lent, for the values of a batch. The values need not be adjacent in memory, so the part of a
// batch that concerns one tablet can be lent, too.
template <class T>
class LentBatch {
 public:
  LentBatch() = default;
  // The pointers and the values outlive the object.
  LentBatch(const T* const* values, size_t count) : values_(values, count) {}
  LentBatch(std::span<const T* const> values) : values_(values) {}
  LentBatch(const std::vector<const T*>& values) : values_(values) {}
  LentBatch(std::vector<T>&& values) {
    auto owned = std::make_shared<Owned>();
    owned->values = std::move(values);
    owned->pointers.reserve(owned->values.size());
    for (const T& value : owned->values) owned->pointers.push_back(&value);
    values_ = owned->pointers;
    owned_ = std::move(owned);
  }

  size_t size() const { return values_.size(); }
  const T& operator[](size_t i) const { return *values_[i]; }
  std::span<const T* const> values() const { return values_; }

 private:
  struct Owned {
    std::vector<T> values;
    std::vector<const T*> pointers;
  };

  std::span<const T* const> values_;
  std::shared_ptr<const Owned> owned_;  // null: the values are lent
};

}  // namespace sippar::cluster
