#!/bin/sh
# Installs what a bare Debian 12 lacks to build and test Sippar; needs root only when something is
# missing. Safe to run again.
# SPDX-License-Identifier: Apache-2.0
set -eu
packages="ca-certificates git cmake ninja-build g++ ccache pkg-config python3
  libabsl-dev libre2-dev libzstd-dev zlib1g-dev libxxhash-dev libutf8proc-dev libfarmhash-dev libfmt-dev libantlr4-runtime-dev antlr4
  libreadline-dev libfuse3-dev fuse3 libgumbo-dev libcli11-dev nlohmann-json3-dev
  libzookeeper-mt-dev libasio-dev libssl-dev
  libgrpc++-dev libprotobuf-dev protobuf-compiler protobuf-compiler-grpc
  libgtest-dev libgmock-dev libbenchmark-dev attr rsync iproute2"
if [ "${1:-}" = --checks ]; then
  packages="$packages clang-format-14 clang-tidy-14 zookeeper openjdk-17-jre-headless jq rclone borgbackup"
fi
if [ "${1:-}" = --bench ]; then  # for the target bench_peers
  packages="$packages librocksdb-dev libleveldb-dev"
fi
missing=""
for package in $packages; do
  if [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" != installed ]; then
    missing="$missing $package"
  fi
done
[ -n "$missing" ] || exit 0
if [ "$(id -u)" != 0 ]; then
  echo "these Debian packages are missing; install them as root:$missing" >&2
  exit 1
fi
echo "installing:$missing" >&2
export DEBIAN_FRONTEND=noninteractive
apt-get -qq -o DPkg::Lock::Timeout=600 update
# shellcheck disable=SC2086  # a list of words
apt-get -qq -y -o DPkg::Lock::Timeout=600 install --no-install-recommends $missing >/dev/null
