// The settings of `sippar serve` from a file and from the environment, under the names of its
// options. The command line overrides the environment, and the environment overrides the file.
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace CLI {
class App;
}

namespace sippar::cli {

// Must be called after all options were added. The file that --config names has lines such as
// `lease = 8s`; an unknown key is an error that suggests the nearest option. The variable
// SIPPAR_LEASE sets --lease, and so on. The --tls-… options have no variable here, so the
// environment does not override their values in the file. If a member of a cluster gets no
// certificates from options or file, it reads SIPPAR_TLS_CERT, SIPPAR_TLS_KEY and SIPPAR_TLS_CA as
// every client does.
void AddSettings(CLI::App* app);

}  // namespace sippar::cli
