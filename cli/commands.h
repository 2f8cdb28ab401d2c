// The commands, each in the file of its name. main.cc lists those that are built: CMakeLists.txt
// sets SIPPAR_WITH_… for each optional command whose file exists.
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace sippar::cli {

int RunQuery(int argc, char** argv);
int RunShell(int argc, char** argv);
int RunImport(int argc, char** argv);
int RunExport(int argc, char** argv);
int RunMount(int argc, char** argv);
int RunAdmin(int argc, char** argv);
int RunServe(int argc, char** argv);
int RunCluster(int argc, char** argv);
int RunBench(int argc, char** argv);

}  // namespace sippar::cli
