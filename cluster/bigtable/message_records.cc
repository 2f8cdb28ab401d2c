// SPDX-License-Identifier: Apache-2.0
#include "cluster/bigtable/message_records.h"

#include <fmt/format.h>
#include <google/protobuf/util/field_mask_util.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "engine/base/checksum.h"
#include "engine/base/printable.h"

namespace sippar::cluster {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::FieldMask;
using google::protobuf::Message;
using google::protobuf::util::FieldMaskUtil;

constexpr int kRacesMax = 100;  // lost races before a call gives up
constexpr int32_t kPageSizeMax = 1'000;

// Reads the record, lets `change` decide, and calls `write` with the version that was read (0: no
// record). The write is conditional on that version, so no other change is overwritten.
Status OnRecord(AdminApi* admin, const std::string& name, Message* message,
                const RecordChange& change, const std::function<Status(uint64_t version)>& write) {
  for (int i = 0; i < kRacesMax; ++i) {
    message->Clear();  // drops the changes of the previous try
    std::optional<NamedRecord> record;
    auto found = admin->Do(calls::GetRecord{name});
    if (found.ok()) {
      RETURN_IF_ERROR(ParseRecord(*found, message));
      record = std::move(*found);
    } else if (found.status().code() != StatusCode::kNotFound) {
      return found.status();
    }
    RETURN_IF_ERROR(change(record ? &*record : nullptr));
    Status status = write(record ? record->version : 0);
    if (status.code() != StatusCode::kAborted) return status;
  }
  return Aborted(fmt::format(
      "stored record {}: other callers changed it during each of {} attempts; try again", name,
      kRacesMax));
}

}  // namespace

std::string EtagOf(const NamedRecord& record) {
  return fmt::format("{:016x}", engine::Hash(record.body));
}

Status ParseRecord(const NamedRecord& record, Message* out) {
  if (out->ParseFromString(record.body)) return OkStatus();
  return DataLoss(
      fmt::format("stored record {} cannot be decoded; put lock file records/{} back from a copy",
                  record.name, engine::RecordFileName(record.name)));
}

Status ChangeRecord(AdminApi* admin, const std::string& name, Message* message,
                    const RecordChange& change) {
  return OnRecord(admin, name, message, change, [&](uint64_t version) {
    return admin->Do(calls::PutRecord{name, message->SerializeAsString(), version});
  });
}

Status DeleteRecord(AdminApi* admin, const std::string& name, Message* message,
                    const RecordChange& check) {
  return OnRecord(admin, name, message, check, [&](uint64_t version) {
    return admin->Do(calls::DeleteRecord{name, version});
  });
}

Status DropRecord(AdminApi* admin, const std::string& name) {
  auto record = admin->Do(calls::GetRecord{name});
  Status status = record.status();
  if (status.ok()) status = admin->Do(calls::DeleteRecord{name, record->version});
  return status.code() == StatusCode::kNotFound ? OkStatus() : status;
}

Status DropRecords(AdminApi* admin, const std::string& prefix) {
  ASSIGN_OR_RETURN(std::vector<NamedRecord> records, admin->Do(calls::ListRecords{prefix}));
  for (const NamedRecord& record : records) RETURN_IF_ERROR(DropRecord(admin, record.name));
  return OkStatus();
}

std::string TablePartRecord(const char* kind, uint64_t table_id, const std::string& id) {
  return fmt::format("{}/{}/{}", kind, table_id, id);
}

Status CheckEtag(const std::string& object, const std::string& wanted, const NamedRecord* record) {
  if (wanted.empty() || (record != nullptr && wanted == EtagOf(*record))) return OkStatus();
  constexpr size_t kShownMax = 40;
  const std::string found = engine::PrintableBytes(wanted.substr(0, kShownMax));
  if (record == nullptr) {
    return Aborted(fmt::format(
        "{}: the etag of the request does not match (found '{}', expected none, because "
        "nothing is stored for it); read it again",
        object, found));
  }
  return Aborted(
      fmt::format("{}: the etag of the request does not match (found '{}', expected '{}'); another "
                  "caller may have changed it since it was read: read it again",
                  object, found, EtagOf(*record)));
}

Status MergeFields(const FieldMask& mask, const Message& source, Message* target) {
  FieldMask fields;
  if (mask.paths().empty() || (mask.paths_size() == 1 && mask.paths(0) == "*")) {
    std::vector<const FieldDescriptor*> set;
    source.GetReflection()->ListFields(source, &set);
    for (const FieldDescriptor* field : set) fields.add_paths(field->name());
  } else {
    for (const std::string& path : mask.paths()) {
      if (!FieldMaskUtil::GetFieldDescriptors(target->GetDescriptor(), path, nullptr)) {
        return InvalidArgument(fmt::format("update_mask names '{}', which is not a field of {}",
                                           path, target->GetDescriptor()->name()));
      }
      fields.add_paths(path);
    }
  }
  // The default would merge nested messages and append to lists, but an update replaces them.
  FieldMaskUtil::MergeOptions options;
  options.set_replace_message_fields(true);
  options.set_replace_repeated_fields(true);
  FieldMaskUtil::MergeMessageTo(source, fields, options, target);
  return OkStatus();
}

StatusOr<Page> Page::Of(int32_t page_size, const std::string& page_token) {
  if (page_size < 0)
    return InvalidArgument(fmt::format("page_size is {}; it may not be negative", page_size));
  Page page;
  page.after = page_token;
  if (page_size > 0) page.size = static_cast<size_t>(std::min(page_size, kPageSizeMax));
  return page;
}

}  // namespace sippar::cluster
