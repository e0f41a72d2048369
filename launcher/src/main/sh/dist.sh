#!/bin/sh
# The tigris command of a release: starts the Java that came with it. Run `bin/tigris help`.
# Nothing is written to the folder of the release. The script does without any other program.
# shellcheck disable=SC1091,SC2015,SC2034,SC3045 # sourced files; A && B || C as meant; ulimit -v is everywhere
set -u

say() { printf '%s\n' "tigris: $*" >&2; }
fail() { # the exit code that a shell gives for a command that cannot run
  say "$@"
  exit 126
}

case $0 in
  */*) self=$0 ;;
  *) self=$(command -v -- "$0") || fail "cannot find the folder that $0 lies in: name it by its path" ;;
esac
while [ -h "$self" ]; do
  target=$(readlink "$self") || fail "cannot follow the link $self"
  case $target in
    /*) self=$target ;;
    *) self=${self%/*}/$target ;;
  esac
done
home=$(CDPATH='' cd -P -- "${self%/*}/.." && pwd)
jdk=$home/runtime scripts=$home/lib/sh options=$home/lib/jvm
[ -x "$jdk/bin/java" ] || fail "$home is not a whole release: unpack the archive again"
case $home in
  *:*) fail "the folder $home has a colon in its name, and Java reads that as two folders: rename it" ;;
esac
[ -d "${PWD:-}" ] || [ -n "$(pwd -P 2> /dev/null)" ] ||
  fail "the current folder was deleted, and Java cannot start in it: go to another with cd"

# shellcheck source=first-process.sh
[ $$ -ne 1 ] || . "$scripts/first-process.sh"
# shellcheck source=locale.sh
. "$scripts/locale.sh"

path=
while read -r jar; do
  path=${path:+$path:}$home/lib/$jar
done < "$home/lib/class-path"
budget=
limit=$(ulimit -v 2> /dev/null) || limit=unlimited
# shellcheck source=memory-limit.sh
[ "${limit:-unlimited}" = unlimited ] || . "$scripts/memory-limit.sh"
aot=-XX:AOTCache=$home/aot/cache
errors=hs_err_%p.log
path_option=-cp module='' main=dev.tigris.cli.Main checkout=
# shellcheck source=start.sh
. "$scripts/start.sh"
