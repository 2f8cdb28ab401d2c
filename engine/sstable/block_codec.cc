// Block frames with libzstd.
// SPDX-License-Identifier: Apache-2.0
#define ZSTD_STATIC_LINKING_ONLY  // needed for raw-content dictionaries by reference
#include "engine/sstable/block_codec.h"

#include <fmt/format.h>
#include <zstd.h>
#include <zstd_errors.h>

#include <algorithm>
#include <cstring>

#include "engine/base/checksum.h"
#include "engine/base/coding.h"

namespace sippar::engine {
namespace {

constexpr unsigned kDictionaryHashLogMin = 15;
// A compression buffer that a huge block made larger than this is freed after the block.
constexpr size_t kScratchKept = 4 << 20;

// Each thread keeps one context: a context takes 160 KB, too much to create one for each block.
ZSTD_DCtx* ThreadDecodeContext() {
  struct Free {
    void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
  };
  thread_local std::unique_ptr<ZSTD_DCtx, Free> context(ZSTD_createDCtx());
  return context.get();
}

// Reserves room for the trailer too: if *out had to double later, the old and the new buffer
// together would take three times the size of a huge block.
void AppendExactly(std::string_view payload, std::string* out) {
  if (payload.size() >= kScratchKept)
    out->reserve(out->size() + payload.size() + kBlockTrailerSize);
  out->append(payload);
}

void AppendTrailer(BlockType type, uint64_t seed, size_t start, std::string* out) {
  out->push_back(static_cast<char>(type));
  PutFixed64(out, Checksum(std::string_view(*out).substr(start), seed));
}

// Returns a problem with the announced sizes, or "". Checked before memory is allocated.
std::string SizeProblem(const BlockHandle& handle, std::string_view payload, BlockType type,
                        uint64_t size_max) {
  uint64_t raw = handle.raw_size;
  if (raw > size_max) return fmt::format("{} raw bytes; the limit is {}", raw, size_max);
  if (type == BlockType::kRaw) {
    return raw == payload.size() ? "" : fmt::format("{} bytes instead of {}", payload.size(), raw);
  }
  uint64_t content = ZSTD_getFrameContentSize(payload.data(), payload.size());
  if (content == raw && raw / kZstdRatioMax <= payload.size()) return "";
  return fmt::format("the zstd header says {} bytes (stored in {}), the index says {}", content,
                     payload.size(), raw);
}

size_t Decompress(std::string_view payload, Block* block, const DecodeDictionary* dictionary) {
  size_t size = block->bytes().size();
  ZSTD_DCtx* context = ThreadDecodeContext();
  if (context == nullptr) return static_cast<size_t>(-ZSTD_error_memory_allocation);
  if (dictionary == nullptr) {
    return ZSTD_decompressDCtx(context, block->data(), size, payload.data(), payload.size());
  }
  return ZSTD_decompress_usingDDict(context, block->data(), size, payload.data(), payload.size(),
                                    dictionary->get());
}

}  // namespace

void ZstdFree::operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
void ZstdFree::operator()(ZSTD_CDict* dictionary) const { ZSTD_freeCDict(dictionary); }
void ZstdFree::operator()(ZSTD_DDict* dictionary) const { ZSTD_freeDDict(dictionary); }

BlockEncoder::BlockEncoder(uint64_t file_id, Compression compression, int level,
                           std::string dictionary)
    : file_id_(file_id),
      compression_(compression),
      level_(level),
      dictionary_(std::move(dictionary)) {}

StatusOr<std::unique_ptr<BlockEncoder>> BlockEncoder::Create(uint64_t file_id,
                                                             Compression compression, int level,
                                                             std::string dictionary) {
  if (compression == Compression::kNone) dictionary.clear();
  std::unique_ptr<BlockEncoder> encoder(
      new BlockEncoder(file_id, compression, level, std::move(dictionary)));
  RETURN_IF_ERROR(encoder->Open());
  return encoder;
}

Status BlockEncoder::Open() {
  if (compression_ == Compression::kNone) return OkStatus();
  context_.reset(ZSTD_createCCtx());
  if (context_ == nullptr)
    return ResourceExhausted(
        "no memory to compress blocks (zstd context); give the process more memory");
  ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_compressionLevel, level_);
  if (dictionary_.empty()) return OkStatus();
  // Loaded as raw content: zstd would otherwise mistake a sample that happens to begin like a
  // trained dictionary for one.
  ZSTD_compressionParameters parameters = ZSTD_getCParams(level_, 0, dictionary_.size());
  // zstd level 1 would index the dictionary in 2^14 slots. Measured on web pages: 2^15 slots save
  // 1-4 % of the bytes at the same speed; more slots are only slower. Attaching the table instead
  // of copying it (ZSTD_c_forceAttachDict) is only slower, too.
  parameters.hashLog = std::max(parameters.hashLog, kDictionaryHashLogMin);
  encode_dictionary_.reset(ZSTD_createCDict_advanced(dictionary_.data(), dictionary_.size(),
                                                     ZSTD_dlm_byRef, ZSTD_dct_rawContent,
                                                     parameters, ZSTD_defaultCMem));
  if (encode_dictionary_ == nullptr) {
    return ResourceExhausted(
        "no memory to compress blocks (zstd dictionary); give the process more memory");
  }
  ZSTD_CCtx_refCDict(context_.get(), encode_dictionary_.get());
  return OkStatus();
}

StatusOr<BlockHandle> BlockEncoder::Append(std::string_view raw, uint64_t offset,
                                           std::string* out) {
  size_t start = out->size();
  BlockType type = BlockType::kRaw;
  if (compression_ == Compression::kZstd) {
    ASSIGN_OR_RETURN(std::string_view compressed, Compress(raw));
    if (compressed.size() < raw.size() - raw.size() / 16) {
      type = dictionary_.empty() ? BlockType::kZstd : BlockType::kZstdDictionary;
      AppendExactly(compressed, out);
    }
    if (scratch_size_ > kScratchKept) {
      scratch_.reset();
      scratch_size_ = 0;
    }
  }
  if (type == BlockType::kRaw) AppendExactly(raw, out);
  dictionary_used_ = dictionary_used_ || type == BlockType::kZstdDictionary;
  AppendTrailer(type, BlockSeed(file_id_, offset), start, out);
  return BlockHandle{offset, out->size() - start, raw.size()};
}

StatusOr<std::string_view> BlockEncoder::Compress(std::string_view raw) {
  size_t bound = ZSTD_compressBound(raw.size());
  if (bound > scratch_size_) {
    scratch_ = std::make_unique_for_overwrite<char[]>(bound);
    scratch_size_ = bound;
  }
  size_t size =
      ZSTD_compress2(context_.get(), scratch_.get(), scratch_size_, raw.data(), raw.size());
  if (ZSTD_isError(size))
    return Internal(fmt::format("compressing a block: zstd: {}", ZSTD_getErrorName(size)));
  return std::string_view(scratch_.get(), size);
}

DecodeDictionary::DecodeDictionary(std::shared_ptr<const Block> content,
                                   ZstdPtr<ZSTD_DDict> dictionary)
    : content_(std::move(content)), dictionary_(std::move(dictionary)) {}

StatusOr<std::unique_ptr<DecodeDictionary>> DecodeDictionary::Create(
    std::shared_ptr<const Block> content) {
  std::string_view bytes = content->bytes();
  ZstdPtr<ZSTD_DDict> dictionary(ZSTD_createDDict_advanced(
      bytes.data(), bytes.size(), ZSTD_dlm_byRef, ZSTD_dct_rawContent, ZSTD_defaultCMem));
  if (dictionary == nullptr) {
    return ResourceExhausted(
        "no memory to decompress blocks (zstd dictionary); give the process more memory");
  }
  return std::unique_ptr<DecodeDictionary>(
      new DecodeDictionary(std::move(content), std::move(dictionary)));
}

size_t DecodeDictionary::memory_bytes() const {
  return content_->charge() + ZSTD_sizeof_DDict(dictionary_.get());
}

Status CheckFrame(const FileName& file, std::string_view what, const BlockHandle& handle,
                  std::string_view stored) {
  if (stored.size() != handle.stored_size || stored.size() < kBlockTrailerSize) {
    return SstableDamage(file, what, handle.offset, "the file ends within it");
  }
  uint64_t expected = GetFixed64(stored.data() + stored.size() - 8);
  uint64_t found =
      Checksum(stored.substr(0, stored.size() - 8), BlockSeed(file.file_id, handle.offset));
  if (found == expected) return OkStatus();
  return SstableDamage(file, what, handle.offset,
                       fmt::format("checksum expected {:016x}, found {:016x}", expected, found));
}

StatusOr<std::shared_ptr<Block>> DecodeBlock(const FileName& file, std::string_view what,
                                             const BlockHandle& handle, std::string_view stored,
                                             uint64_t size_max,
                                             const DecodeDictionary* dictionary) {
  RETURN_IF_ERROR(CheckFrame(file, what, handle, stored));
  auto damage = [&](std::string_view problem) {
    return SstableDamage(file, what, handle.offset, problem);
  };
  auto type = static_cast<BlockType>(stored[stored.size() - kBlockTrailerSize]);
  std::string_view payload = stored.substr(0, stored.size() - kBlockTrailerSize);
  if (type > BlockType::kZstdDictionary) return damage("unknown block type");
  if (type != BlockType::kZstdDictionary) dictionary = nullptr;
  if (type == BlockType::kZstdDictionary && dictionary == nullptr) {
    return damage("it needs the file's dictionary, which is missing or damaged");
  }
  std::string problem = SizeProblem(handle, payload, type, size_max);
  if (!problem.empty()) return damage(problem);
  auto block = std::make_shared<Block>(handle.raw_size);
  if (type == BlockType::kRaw) {
    std::memcpy(block->data(), payload.data(), payload.size());
    return block;
  }
  size_t size = Decompress(payload, block.get(), dictionary);
  if (ZSTD_isError(size)) return damage(fmt::format("zstd: {}", ZSTD_getErrorName(size)));
  if (size != handle.raw_size) return damage(fmt::format("zstd returned {} bytes", size));
  return block;
}

}  // namespace sippar::engine
