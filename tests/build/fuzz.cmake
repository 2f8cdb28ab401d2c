# First values of a build directory, for cmake -C: libFuzzer programs.
# SPDX-License-Identifier: Apache-2.0
set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "")
set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "-O1 -g1" CACHE STRING "")
set(CMAKE_C_COMPILER clang-14 CACHE STRING "")
set(CMAKE_CXX_COMPILER clang++-14 CACHE STRING "")
set(SIPPAR_SANITIZE "fuzzer-no-link,address,undefined" CACHE STRING "")
set(SIPPAR_FUZZ ON CACHE BOOL "")
