// SPDX-License-Identifier: Apache-2.0
#include "cluster/serve/listen_address.h"

#include <fmt/format.h>

namespace sippar::cluster {

StatusOr<ListenAddress> ListenAddress::Parse(const std::string& listen) {
  const size_t colon = listen.rfind(':');
  const std::string port = colon == std::string::npos ? "" : listen.substr(colon + 1);
  const bool is_number = !port.empty() && port.size() <= 5 &&
                         port.find_first_not_of("0123456789") == std::string::npos;
  if (!is_number || std::stoi(port) > 65'535) {
    return InvalidArgument(
        fmt::format("address '{}' is not HOST:PORT, e.g. localhost:8086", listen));
  }
  return ListenAddress{listen.substr(0, colon), static_cast<uint16_t>(std::stoi(port))};
}

bool ListenAddress::IsLoopback() const {
  const bool is_dotted =
      host.starts_with("127.") && host.find_first_not_of("0123456789.") == std::string::npos;
  return host == "localhost" || host == "[::1]" || is_dotted;
}

std::string ListenAddress::Host() const {
  return host.starts_with('[') && host.ends_with(']') ? host.substr(1, host.size() - 2) : host;
}

std::string ListenAddress::Numeric() const { return host == "localhost" ? "127.0.0.1" : Host(); }

}  // namespace sippar::cluster
