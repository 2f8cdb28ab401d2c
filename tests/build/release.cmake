# First values of a build directory, for cmake -C: what users run.
# SPDX-License-Identifier: Apache-2.0
set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "")
set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "-O2 -g1" CACHE STRING "")
