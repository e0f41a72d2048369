# shellcheck shell=sh disable=SC2015,SC2034,SC2154 # tigris reads this file, and sets and uses its variables
# Under a limit on memory (ulimit -v) Java may not be able to start, or to go on, and would exit with 1 as
# `check` does. So Java gets enough, or is not started. It takes some 3 GB of addresses for itself.
why="That is too little for it to go on in."
[ "$limit" -ge 4000000 ] &&
  why=$("$jdk/bin/java" -Xmx256m -XX:+UseSerialGC -version 2>&1) ||
  fail "Java cannot start in the $limit KiB of memory that this shell allows:
$why
Allow 4 GB or more, with ulimit -v 4000000 or ulimit -v unlimited"
budget=$(((limit - 3000000) * 1024))
