# SPDX-License-Identifier: GPL-2.0
# Setup of a test of a build, to be sourced. The test's first argument is the build's directory.
# Sets $here, $data, $build, $memorizer, and $tmp, a directory that is removed on exit.

here=$(cd "$(dirname "$0")" && pwd) || exit 1
data=$here/data
build=$(cd "$1" && pwd) || exit 1
memorizer=$build/memorizer
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
. "$here/tap.sh"
