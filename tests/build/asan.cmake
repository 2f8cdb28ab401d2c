# First values of a build directory, for cmake -C: AddressSanitizer and UndefinedBehaviorSanitizer.
# SPDX-License-Identifier: Apache-2.0
set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "")
set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "-O1 -g1" CACHE STRING "")
set(SIPPAR_SANITIZE "address,undefined" CACHE STRING "")
