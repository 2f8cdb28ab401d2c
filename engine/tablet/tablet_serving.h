// Whether a tablet is served, since when, and if not, why: its rows were given to other tablets,
// its table was dropped, or it is unknown which tablets have its rows. giving_way.h describes
// the steps by which a tablet gives its rows to other tablets.
//
// Thread safe, without a lock: a writer that holds its row's lock may call Check and then write,
// since Close first changes the answer and then waits for all row locks.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

#include "engine/tablet/tablet_body.h"

namespace sippar::engine {

// True if a write was not done because its row now belongs to another tablet. The client library
// then routes the write again; its callers never see this status.
inline bool IsMoved(const Status& status) { return HasCause(status, Cause::kNotServed); }

class TabletServing {
 public:
  // `body` outlives this object.
  explicit TabletServing(TabletBody* body)
      : body_(body), since_us_(body->context->clock->NowMicros()) {}
  TabletServing(const TabletServing&) = delete;
  TabletServing& operator=(const TabletServing&) = delete;

  bool is_open() const { return serving_ == Serving::kOpen; }
  bool is_dropped() const { return serving_ == Serving::kDropped; }
  // OK while the tablet is served; else why it is not.
  [[nodiscard]] Status Check() const { return is_open() ? OkStatus() : WhyClosed(); }
  int64_t since_us() const { return since_us_; }

  // From now on new writes fail with IsMoved. Returns when no write is in flight.
  void Close();
  // Undoes Close: the tablet accepts writes again. Does nothing if the tablet was not closed.
  void Reopen();
  // Called after Close when other tablets have the rows.
  void Retire() { Release(Serving::kMoved); }
  // Called after Close when it is unknown which tablets have the rows. No write is accepted until
  // the tablet is opened again.
  void GiveUp() { serving_ = Serving::kUnknown; }
  // Called when the tablet's table was dropped. Writes then fail, and a file that no other state
  // names may be removed once its last reader has ended (FileRegistry::Unname).
  void Drop() { Release(Serving::kDropped); }

 private:
  enum class Serving : uint8_t { kOpen, kMoved, kDropped, kUnknown };

  Status WhyClosed() const;
  void Release(Serving why);

  TabletBody* const body_;
  const int64_t since_us_;
  std::atomic<Serving> serving_{Serving::kOpen};
};

}  // namespace sippar::engine
