// Holds a value on the heap. A Box is copied and compared like its value, so a tree node can hold a
// node of its own type. A Box is empty if it was made without a value or was moved from.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <utility>

namespace sippar::query::syntax {

template <typename T>
class Box {
 public:
  Box() = default;
  explicit Box(T value) : held_(std::make_unique<T>(std::move(value))) {}
  Box(const Box& other) : held_(other.held_ ? std::make_unique<T>(*other.held_) : nullptr) {}
  Box(Box&&) noexcept = default;
  Box& operator=(Box other) noexcept {
    held_ = std::move(other.held_);
    return *this;
  }
  ~Box() = default;

  explicit operator bool() const { return held_ != nullptr; }
  T& operator*() { return *held_; }
  const T& operator*() const { return *held_; }
  T* operator->() { return held_.get(); }
  const T* operator->() const { return held_.get(); }
  bool operator==(const Box& other) const {
    return held_ && other.held_ ? *held_ == *other.held_ : !held_ == !other.held_;
  }

 private:
  std::unique_ptr<T> held_;
};

}  // namespace sippar::query::syntax
