// Declares the commands. Each is in the file or folder that has its name; RunRestore is in
// dump/restore_command.cc. The table in main.cc lists the commands of this build: CMakeLists.txt
// defines SIPPAR_WITH_… for each optional command that is built.
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace sippar::cli {

int RunQuery(int argc, char** argv);
int RunShell(int argc, char** argv);
int RunImport(int argc, char** argv);
int RunExport(int argc, char** argv);
int RunDump(int argc, char** argv);
int RunRestore(int argc, char** argv);
int RunMount(int argc, char** argv);
int RunAdmin(int argc, char** argv);
int RunDemo(int argc, char** argv);
int RunServe(int argc, char** argv);
int RunCluster(int argc, char** argv);
int RunBench(int argc, char** argv);

}  // namespace sippar::cli
