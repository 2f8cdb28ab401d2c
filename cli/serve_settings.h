// The settings of `sippar serve` from a file and from the environment, under the names of its
// options. An option counts before the environment, and the environment before the file.
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace CLI {
class App;
}

namespace sippar::cli {

// To be called after all options were added. --config FILE has lines such as `lease = 8s`; a key
// that is no option's name is refused with the nearest one. The environment has SIPPAR_LEASE for
// --lease, and so on for each option. (The certificates of SIPPAR_TLS_CERT, SIPPAR_TLS_KEY and
// SIPPAR_TLS_CA are those of a member of a cluster, as of every client.)
void AddSettings(CLI::App* app);

}  // namespace sippar::cli
