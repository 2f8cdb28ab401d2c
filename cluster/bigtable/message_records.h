// Messages of the API that are kept as they are, each as a named record (AdminApi). Their etag is
// made of the bytes that are kept. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <google/protobuf/field_mask.pb.h>
#include <google/protobuf/message.h>

#include <functional>
#include <string>

#include "cluster/api/admin_api.h"

namespace sippar::cluster {

std::string EtagOf(const NamedRecord& record);
[[nodiscard]] Status ParseRecord(const NamedRecord& record, google::protobuf::Message* out);

// Reads the record into `message` (empty when there is none), lets `change` check and change it,
// and writes it; once more when somebody else was faster. `record` is null when there is none, and
// an error of `change` is the result.
using RecordChange = std::function<Status(const NamedRecord* record)>;
[[nodiscard]] Status ChangeRecord(AdminApi* admin, const std::string& name,
                                  google::protobuf::Message* message, const RecordChange& change);
// The same, and it is gone. kNotFound.
[[nodiscard]] Status DeleteRecord(AdminApi* admin, const std::string& name,
                                  google::protobuf::Message* message, const RecordChange& check);
// It is gone, or was not there; those whose names begin with `prefix` are.
[[nodiscard]] Status DropRecord(AdminApi* admin, const std::string& name);
[[nodiscard]] Status DropRecords(AdminApi* admin, const std::string& prefix);
// Of a part of a table, e.g. a "view"; of all of them with the id "". Ids of tables are never used
// twice, so what is left of a dropped one is found by none.
std::string TablePartRecord(const char* kind, uint64_t table_id, const std::string& id);
// kAborted when `wanted` is given and is not the record's.
[[nodiscard]] Status CheckEtag(const std::string& wanted, const NamedRecord* record);

// Puts the fields of `mask` from `source` into `target`; without a mask, or with "*", those that
// `source` has. kInvalidArgument: no such field.
[[nodiscard]] Status MergeFields(const google::protobuf::FieldMask& mask,
                                 const google::protobuf::Message& source,
                                 google::protobuf::Message* target);

// One page of a list in order of name.
struct Page {
  size_t size = 1'000;
  std::string after;  // the name that ended the page before

  [[nodiscard]] static StatusOr<Page> Of(int32_t page_size, const std::string& page_token);
};

}  // namespace sippar::cluster
