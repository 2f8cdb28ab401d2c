// SPDX-License-Identifier: Apache-2.0
#include "cluster/master/act/clock_note.h"

#include <charconv>
#include <string>

#include "cluster/lock/lock_paths.h"
#include "engine/model/named_record.h"

namespace sippar::cluster::master {
namespace {

// A later time is damage: year 9999 in microseconds.
constexpr int64_t kNoteMaxUs = 253'402'300'800'000'000;

}  // namespace

std::optional<int64_t> ReadClockNote(LockSession* session) {
  auto file = session->Read(lock_paths::Record(kClockRecord), Freshness::kCached);
  if (file.status().code() == StatusCode::kNotFound) return 0;
  if (file.status().code() == StatusCode::kDataLoss) return 0;
  if (!file.ok()) return std::nullopt;
  auto record = engine::NamedRecord::Decode(file->content);
  if (!record.ok()) return 0;
  int64_t noted_us = 0;
  const char* end = record->body.data() + record->body.size();
  const auto parsed = std::from_chars(record->body.data(), end, noted_us);
  return parsed.ec == std::errc() && parsed.ptr == end && noted_us > 0 && noted_us < kNoteMaxUs
             ? noted_us
             : 0;
}

void WriteClockNote(LockSession* session, int64_t wall_us) {
  const std::string path = lock_paths::Record(kClockRecord);
  const std::string content =
      engine::NamedRecord{kClockRecord, std::to_string(wall_us), 0}.Encode();
  auto file = session->Read(path, Freshness::kCached);
  if (file.ok()) {
    static_cast<void>(session->Write(path, content, file->version));
  } else if (file.status().code() == StatusCode::kNotFound) {
    static_cast<void>(session->Create(path, content, LockFileKind::kLasting));
  }
}

}  // namespace sippar::cluster::master
