// SPDX-License-Identifier: Apache-2.0
#include "cli/dump/dump_output.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <vector>

#include "cli/output_file.h"
#include "engine/base/thread.h"

namespace sippar::cli {
namespace {

class FileDump final : public DumpOutput {
 public:
  explicit FileDump(std::unique_ptr<query::OutputFile> file) : file_(std::move(file)) {}
  Status Text(std::string_view text) override { return Write(text); }
  Status BeginCells(const std::string& table, size_t) override {
    table_ = table;
    return Write(PrintDirective({"cells", {table}}));
  }
  Status Cells(size_t, std::string_view lines) override { return Write(lines); }
  Status EndPiece(size_t) override { return OkStatus(); }
  Status EndCells(const CellSum& sum) override { return Write(PrintEnd(table_, sum)); }
  Status Close() override { return file_->Close(); }

 private:
  Status Write(std::string_view bytes) {
    engine::MutexLock lock(&mutex_);
    return file_->Write(bytes);
  }

  const std::unique_ptr<query::OutputFile> file_;
  engine::Mutex mutex_;  // held while bytes go to file_
  std::string table_;
};

// Keeps the text until Close, which writes it as schema.sql after all the files that it names.
class FolderDump final : public DumpOutput {
 public:
  FolderDump(std::string path, std::string temporary)
      : path_(std::move(path)), temporary_(std::move(temporary)) {}
  ~FolderDump() override {
    files_.clear();
    // The error is ignored: a folder that cannot be removed keeps its temporary name.
    std::error_code ignored;
    if (!done_) std::filesystem::remove_all(temporary_, ignored);
  }
  Status Text(std::string_view text) override {
    text_ += text;
    return OkStatus();
  }
  Status BeginCells(const std::string& table, size_t pieces) override {
    table_ = table;
    names_.clear();
    files_.clear();
    files_.resize(pieces);
    for (size_t piece = 0; piece < pieces; ++piece) {
      names_.push_back(CellsFileName(table, piece, pieces));
      text_ += PrintDirective({"file", {table, names_.back()}});
    }
    return OkStatus();
  }
  // Opens the file of a piece when the first cells of the piece arrive, because a table may have
  // more pieces than a process may have open files.
  Status Cells(size_t piece, std::string_view lines) override {
    if (files_[piece] == nullptr) {
      ASSIGN_OR_RETURN(
          files_[piece],
          OpenOutputFile(fmt::format("{}/{}", temporary_, names_[piece]), Appearance::kWhole));
    }
    return files_[piece]->Write(lines);
  }
  Status EndPiece(size_t piece) override {
    RETURN_IF_ERROR(Cells(piece, {}));
    RETURN_IF_ERROR(files_[piece]->Close());
    files_[piece].reset();
    return OkStatus();
  }
  Status EndCells(const CellSum& sum) override {
    files_.clear();
    text_ += PrintEnd(table_, sum);
    return OkStatus();
  }
  Status Close() override {
    ASSIGN_OR_RETURN(auto file, OpenOutputFile(fmt::format("{}/{}", temporary_, kSchemaFile),
                                               Appearance::kWhole));
    RETURN_IF_ERROR(file->Write(text_));
    RETURN_IF_ERROR(file->Close());
    // The folder is synced before the rename, as its files were. Otherwise, after a crash, the new
    // name could lead to a folder without these files.
    RETURN_IF_ERROR(SyncFolder(temporary_));
    // rename() replaces an empty folder of this name.
    if (std::rename(temporary_.c_str(), path_.c_str()) != 0) return FileError(path_, "create");
    done_ = true;
    return SyncFolder(FolderOf(path_));
  }

 private:
  const std::string path_;
  const std::string temporary_;
  std::string text_;
  std::string table_;
  // The name and the file of each piece of the table. The file is null before the piece's first
  // cells and after its last.
  std::vector<std::string> names_;
  std::vector<std::unique_ptr<query::OutputFile>> files_;
  bool done_ = false;
};

StatusOr<std::unique_ptr<DumpOutput>> OpenFolder(std::string path) {
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  std::error_code error;
  bool present = std::filesystem::exists(path, error);
  if (present && !std::filesystem::is_empty(path, error)) {
    return AlreadyExists(fmt::format(
        "{}: the folder already exists and is not empty; name another, or remove it", path));
  }
  std::string temporary = fmt::format("{}.{}.part", path, ::getpid());
  if (::mkdir(temporary.c_str(), 0777) != 0) return FileError(temporary, "create");
  return std::make_unique<FolderDump>(path, temporary);
}

}  // namespace

StatusOr<std::unique_ptr<DumpOutput>> OpenDumpOutput(const std::string& path) {
  std::error_code error;
  bool folder = path.ends_with('/') || std::filesystem::is_directory(path, error);
  if (folder) return OpenFolder(path);
  ASSIGN_OR_RETURN(auto file, OpenOutputFile(path, Appearance::kWhole));
  return std::make_unique<FileDump>(std::move(file));
}

}  // namespace sippar::cli
