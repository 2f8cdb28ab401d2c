// SPDX-License-Identifier: Apache-2.0
#include "fuse/tree/node.h"

#include "engine/base/check.h"
#include "engine/base/checksum.h"
#include "engine/base/coding.h"

namespace sippar::fuse {
namespace {

// The bytes "SIPPAR01". Another value would give all files new inode numbers.
constexpr uint64_t kInodeSeed = 0x5349505041523031;
constexpr uint8_t kKindMask = 0x1f;
constexpr uint8_t kSelectionFlag = 0x20;
constexpr uint8_t kRowFormFlag = 0x40;
constexpr uint8_t kAsOfFlag = 0x80;

// Encodes the fields that InodeNumber hashes. The kind takes the low five bits of the first byte,
// flags take the upper three.
void EncodeIdentity(const Node& node, std::string* out) {
  out->clear();
  auto head = static_cast<uint8_t>(node.kind);
  if (node.is_row_form) head |= kRowFormFlag;
  if (node.as_of.has_value()) head |= kAsOfFlag;
  if (!node.selection.empty()) head |= kSelectionFlag;
  out->push_back(static_cast<char>(head));
  if (node.as_of.has_value()) engine::PutSigned(out, *node.as_of);
  engine::PutVarint(out, node.table_id);
  engine::PutBytes(out, node.row);
  engine::PutBytes(out, node.family);
  engine::PutBytes(out, node.qualifier);
  if (!node.selection.empty()) engine::PutBytes(out, node.selection);
  if (node.kind != NodeKind::kCell) return;
  engine::PutSigned(out, node.timestamp_us);
  engine::PutVarint(out, node.sequence);
}

}  // namespace

void EncodeNode(const Node& node, std::string* out) {
  EncodeIdentity(node, out);
  // The text of a node never changes, so another text makes another node in the inode table. The
  // identity leaves the text out, so that .status keeps its inode number for users.
  if (node.kind == NodeKind::kText || node.kind == NodeKind::kSymlink) {
    engine::PutBytes(out, node.text);
  }
}

Node DecodeNode(std::string_view bytes) {
  engine::Reader reader(bytes);
  Node node;
  uint8_t head = reader.Byte();
  node.kind = static_cast<NodeKind>(head & kKindMask);
  node.is_row_form = (head & kRowFormFlag) != 0;
  if ((head & kAsOfFlag) != 0) node.as_of = reader.Signed();
  node.table_id = reader.Varint();
  node.row = reader.Bytes();
  node.family = reader.Bytes();
  node.qualifier = reader.Bytes();
  if ((head & kSelectionFlag) != 0) node.selection = reader.Bytes();
  if (node.kind == NodeKind::kCell) {
    node.timestamp_us = reader.Signed();
    node.sequence = reader.Varint();
  }
  if (node.kind == NodeKind::kText || node.kind == NodeKind::kSymlink) node.text = reader.Bytes();
  CHECK(reader.AtEnd());  // never fails, because EncodeNode wrote these bytes in this process
  return node;
}

Node ParentOf(const Node& directory) {
  Node parent;
  parent.as_of = directory.as_of;
  parent.table_id = directory.table_id;
  parent.selection = directory.selection;
  parent.row = directory.row;
  parent.family = directory.family;
  parent.is_row_form = directory.is_row_form;
  switch (directory.kind) {
    case NodeKind::kFamily:
    case NodeKind::kRowVersions:
      parent.kind = NodeKind::kRow;
      parent.family.clear();
      break;
    case NodeKind::kFamilyVersions:
      parent.kind = directory.is_row_form ? NodeKind::kRowVersions : NodeKind::kFamily;
      parent.is_row_form = false;
      if (directory.is_row_form) parent.family.clear();
      break;
    case NodeKind::kColumnVersions:
      parent.kind = NodeKind::kFamilyVersions;
      break;
    case NodeKind::kRow:
    case NodeKind::kSelectionHome:
    case NodeKind::kExport:
    case NodeKind::kFanOut:
      parent.kind = NodeKind::kTable;
      parent.row.clear();
      break;
    default:
      parent = Node();
      if (directory.kind == NodeKind::kTable) parent.as_of = directory.as_of;
      if (directory.kind == NodeKind::kRoot && directory.as_of.has_value()) {
        parent.kind = NodeKind::kAsOf;
      }
      break;
  }
  return parent;
}

uint64_t InodeNumber(const Node& node) {
  thread_local std::string identity;
  EncodeIdentity(node, &identity);
  // Keeps 63 bits, so that the number is positive in programs that read st_ino as signed.
  uint64_t number = engine::Checksum(identity, kInodeSeed) >> 1;
  return number < 2 ? number + 2 : number;
}

}  // namespace sippar::fuse
