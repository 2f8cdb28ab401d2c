// Stores messages of the Cloud Bigtable API as named records (AdminApi), one message each. The etag
// of a message is a hash of the stored bytes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <google/protobuf/field_mask.pb.h>
#include <google/protobuf/message.h>

#include <functional>
#include <string>

#include "cluster/api/admin_api.h"

namespace sippar::cluster {

std::string EtagOf(const NamedRecord& record);
[[nodiscard]] Status ParseRecord(const NamedRecord& record, google::protobuf::Message* out);

// Reads the record into `message` (empty if there is none), lets `change` check and modify it, and
// writes it back. Starts again if another call has written the record in between, so `change` may
// be called several times. `change` gets a null `record` if there is none; its error becomes the
// result.
using RecordChange = std::function<Status(const NamedRecord* record)>;
[[nodiscard]] Status ChangeRecord(AdminApi* admin, const std::string& name,
                                  google::protobuf::Message* message, const RecordChange& change);
// Like ChangeRecord, but deletes the record if `check` returns OK. kNotFound: there is no such
// record.
[[nodiscard]] Status DeleteRecord(AdminApi* admin, const std::string& name,
                                  google::protobuf::Message* message, const RecordChange& check);
// Deletes one record, or all whose names start with `prefix`. OK also if there is none.
[[nodiscard]] Status DropRecord(AdminApi* admin, const std::string& name);
[[nodiscard]] Status DropRecords(AdminApi* admin, const std::string& prefix);
// Name of the record of a part of a table, such as a "view"; with the id "", the prefix of all such
// names. Table ids are never reused, so no call finds what is left of a dropped table, unless the
// table is undeleted.
std::string TablePartRecord(const char* kind, uint64_t table_id, const std::string& id);
// kAborted: `wanted` is not "" and not the etag of the record. The message calls the record
// `object`.
[[nodiscard]] Status CheckEtag(const std::string& object, const std::string& wanted,
                               const NamedRecord* record);

// Copies the fields of `mask` from `source` to `target`; with an empty mask or "*", copies the
// fields that are set in `source`. kInvalidArgument: the mask names an unknown field.
[[nodiscard]] Status MergeFields(const google::protobuf::FieldMask& mask,
                                 const google::protobuf::Message& source,
                                 google::protobuf::Message* target);

// Which page of a list a request asks for.
struct Page {
  size_t size = 1'000;
  // Where the page begins; in a list that is sorted by name, the last name of the previous page.
  // "": the first page.
  std::string after;

  [[nodiscard]] static StatusOr<Page> Of(int32_t page_size, const std::string& page_token);
};

}  // namespace sippar::cluster
