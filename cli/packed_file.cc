// SPDX-License-Identifier: Apache-2.0
#include "cli/packed_file.h"

#include <fmt/format.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <vector>

namespace sippar::cli {
namespace {

constexpr size_t kBufferSize = 128 << 10;
// zstd's default level, so that the disk and not the compressor limits the speed of an export.
constexpr int kZstdLevel = 3;
// zlib's code for the largest window (15) with a gzip header (16).
constexpr int kGzipWindow = 15 + 16;

Status Broken(const std::string& path, std::string_view why) {
  return DataLoss(fmt::format("{}: cannot unpack: {}", path, why));
}

class ZstdOutput : public query::OutputFile {
 public:
  ZstdOutput(std::string path, std::unique_ptr<query::OutputFile> file)
      : path_(std::move(path)),
        file_(std::move(file)),
        stream_(ZSTD_createCStream(), &ZSTD_freeCStream) {
    ZSTD_initCStream(stream_.get(), kZstdLevel);
    // With the checksum, a damaged file is detected when it is unpacked, instead of being imported.
    ZSTD_CCtx_setParameter(stream_.get(), ZSTD_c_checksumFlag, 1);
  }
  Status Write(std::string_view bytes) override { return Pump(bytes, ZSTD_e_continue); }
  Status Close() override {
    RETURN_IF_ERROR(Pump({}, ZSTD_e_end));
    return file_->Close();
  }

 private:
  Status Pump(std::string_view bytes, ZSTD_EndDirective end) {
    ZSTD_inBuffer input = {bytes.data(), bytes.size(), 0};
    for (size_t left = 1; left > 0 || input.pos < input.size;) {
      ZSTD_outBuffer output = {buffer_.data(), buffer_.size(), 0};
      left = ZSTD_compressStream2(stream_.get(), &output, &input, end);
      if (ZSTD_isError(left)) {
        return Internal(
            fmt::format("{}: zstd cannot pack it ({})", path_, ZSTD_getErrorName(left)));
      }
      RETURN_IF_ERROR(file_->Write({buffer_.data(), output.pos}));
      // With ZSTD_e_continue, zstd may keep output for a later call, so the loop ends with the
      // input. With ZSTD_e_end, zstd must write all output.
      if (end == ZSTD_e_continue && input.pos == input.size) break;
    }
    return OkStatus();
  }

  const std::string path_;
  std::unique_ptr<query::OutputFile> file_;
  std::unique_ptr<ZSTD_CStream, decltype(&ZSTD_freeCStream)> stream_;
  std::vector<char> buffer_ = std::vector<char>(kBufferSize);
};

class ZstdInput : public query::InputFile {
 public:
  ZstdInput(std::string path, std::unique_ptr<query::InputFile> file)
      : path_(std::move(path)),
        file_(std::move(file)),
        stream_(ZSTD_createDStream(), &ZSTD_freeDStream) {
    ZSTD_initDStream(stream_.get());
  }
  // A file may consist of several frames, as `cat a.zst b.zst` makes it, but must not end inside a
  // frame.
  StatusOr<size_t> Read(char* buffer, size_t size) override {
    ZSTD_outBuffer output = {buffer, size, 0};
    while (output.pos == 0) {
      if (input_.pos == input_.size) {
        ASSIGN_OR_RETURN(input_.size, file_->Read(buffer_.data(), buffer_.size()));
        input_.pos = 0;
        if (input_.size == 0 && whole_) return 0;
        if (input_.size == 0) return Broken(path_, "it is cut short");
      }
      size_t left = ZSTD_decompressStream(stream_.get(), &output, &input_);
      if (ZSTD_isError(left)) return Broken(path_, ZSTD_getErrorName(left));
      whole_ = left == 0;  // a frame ends here; another may follow
    }
    return output.pos;
  }
  double Share() const override { return file_->Share(); }

 private:
  std::string path_;
  std::unique_ptr<query::InputFile> file_;
  std::unique_ptr<ZSTD_DStream, decltype(&ZSTD_freeDStream)> stream_;
  std::vector<char> buffer_ = std::vector<char>(kBufferSize);
  ZSTD_inBuffer input_ = {buffer_.data(), 0, 0};
  bool whole_ = false;
};

Bytef* BytesOf(const char* text) {
  return reinterpret_cast<Bytef*>(const_cast<char*>(text));  // zlib does not change the bytes
}

class GzipOutput : public query::OutputFile {
 public:
  explicit GzipOutput(std::unique_ptr<query::OutputFile> file) : file_(std::move(file)) {
    ready_ = deflateInit2(&stream_, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kGzipWindow, 8,
                          Z_DEFAULT_STRATEGY) == Z_OK;
  }
  ~GzipOutput() override { deflateEnd(&stream_); }
  Status Write(std::string_view bytes) override {
    constexpr size_t kPiece = 1 << 30;  // zlib counts bytes in 32 bits
    for (; !bytes.empty(); bytes.remove_prefix(std::min(bytes.size(), kPiece))) {
      RETURN_IF_ERROR(Pump(bytes.substr(0, kPiece), Z_NO_FLUSH));
    }
    return OkStatus();
  }
  Status Close() override {
    RETURN_IF_ERROR(Pump({}, Z_FINISH));
    return file_->Close();
  }

 private:
  Status Pump(std::string_view bytes, int flush) {
    if (!ready_) return ResourceExhausted("output file: not enough memory to pack it with gzip");
    stream_.next_in = BytesOf(bytes.data());
    stream_.avail_in = static_cast<uInt>(bytes.size());
    do {
      stream_.next_out = BytesOf(buffer_.data());
      stream_.avail_out = static_cast<uInt>(buffer_.size());
      deflate(&stream_, flush);
      RETURN_IF_ERROR(file_->Write({buffer_.data(), buffer_.size() - stream_.avail_out}));
    } while (stream_.avail_out == 0);
    return OkStatus();
  }

  std::unique_ptr<query::OutputFile> file_;
  std::vector<char> buffer_ = std::vector<char>(kBufferSize);
  z_stream stream_ = {};
  bool ready_ = false;
};

class GzipInput : public query::InputFile {
 public:
  GzipInput(std::string path, std::unique_ptr<query::InputFile> file)
      : path_(std::move(path)), file_(std::move(file)) {
    ready_ = inflateInit2(&stream_, kGzipWindow) == Z_OK;
  }
  ~GzipInput() override { inflateEnd(&stream_); }
  StatusOr<size_t> Read(char* buffer, size_t size) override {
    if (!ready_) {
      return ResourceExhausted(fmt::format("{}: not enough memory to unpack it with gzip", path_));
    }
    stream_.next_out = BytesOf(buffer);
    stream_.avail_out = static_cast<uInt>(size);
    while (stream_.avail_out == size) {
      if (stream_.avail_in == 0) {
        ASSIGN_OR_RETURN(size_t got, file_->Read(buffer_.data(), buffer_.size()));
        if (got == 0 && whole_) return 0;
        if (got == 0) return Broken(path_, "it is cut short");
        stream_.next_in = BytesOf(buffer_.data());
        stream_.avail_in = static_cast<uInt>(got);
      }
      // Gzip files may consist of several members, as `cat a.gz b.gz` makes them.
      if (whole_) inflateReset(&stream_);  // another member follows
      int result = inflate(&stream_, Z_NO_FLUSH);
      whole_ = result == Z_STREAM_END;
      if (!whole_ && result != Z_OK && result != Z_BUF_ERROR) {
        return Broken(path_, stream_.msg == nullptr ? "it is not gzip data" : stream_.msg);
      }
    }
    return size - stream_.avail_out;
  }
  double Share() const override { return file_->Share(); }

 private:
  std::string path_;
  std::unique_ptr<query::InputFile> file_;
  std::vector<char> buffer_ = std::vector<char>(kBufferSize);
  z_stream stream_ = {};
  bool ready_ = false;
  bool whole_ = false;
};

}  // namespace

// The method depends on the suffix of the name and not on the content of the file, so that reading
// a file uses the method that wrote it.
std::unique_ptr<query::OutputFile> PackByName(const std::string& path,
                                              std::unique_ptr<query::OutputFile> file) {
  if (path.ends_with(".zst")) return std::make_unique<ZstdOutput>(path, std::move(file));
  if (path.ends_with(".gz")) return std::make_unique<GzipOutput>(std::move(file));
  return file;
}

std::unique_ptr<query::InputFile> UnpackByName(const std::string& path,
                                               std::unique_ptr<query::InputFile> file) {
  if (path.ends_with(".zst")) return std::make_unique<ZstdInput>(path, std::move(file));
  if (path.ends_with(".gz")) return std::make_unique<GzipInput>(path, std::move(file));
  return file;
}

}  // namespace sippar::cli
