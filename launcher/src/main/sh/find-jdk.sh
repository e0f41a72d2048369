# shellcheck shell=sh disable=SC2154,SC3013 # tigris reads this file, and sets what it uses
# Finds a JDK on the PATH or in the usual folders and sets `jdk` and `jdk_version`. Without one, says how to get one.

# Sets `on_path` to the folder of the JDK whose java the PATH has. To follow links takes processes, so
# the launcher remembers where they led, as long as that is the same file.
find_jdk_on_path() {
  java=$(command -v java) || return 1
  on_path=
  [ ! -f "$build/java" ] || [ ! -r "$build/java" ] || read -r on_path < "$build/java" || :
  case $on_path in
    /*) [ ! "$java" -ef "$on_path/bin/java" ] || [ ! -x "$on_path/bin/javac" ] || return 0 ;;
  esac
  while [ -h "$java" ]; do
    target=$(readlink "$java")
    case $target in
      /*) java=$target ;;
      *) java=${java%/*}/$target ;;
    esac
  done
  on_path=${java%/bin/java}
  [ "$on_path" != "$java" ] || return 1
  case $on_path in
    /*) # a limit on the size of files (ulimit -f) would end this shell, by a signal
      [ ! -w "$build" ] || (trap '' XFSZ && printf '%s\n' "$on_path" > "$build/java") 2> /dev/null || :
      ;;
  esac
}

find_jdk() {
  find_jdk_on_path && accept "$on_path" && return 0
  home=${HOME:-/nonexistent}
  set -- "$build"/jdk/* "$build"/jdk/*/Contents/Home \
    /usr/lib/jvm/* /usr/lib64/jvm/* /usr/java/* /usr/local/java/* /opt/* /opt/java/* /opt/jvm/* \
    /Library/Java/JavaVirtualMachines/*/Contents/Home \
    "$home"/Library/Java/JavaVirtualMachines/*/Contents/Home \
    /opt/homebrew/opt/openjdk*/libexec/openjdk.jdk/Contents/Home \
    /usr/local/opt/openjdk*/libexec/openjdk.jdk/Contents/Home \
    /home/linuxbrew/.linuxbrew/opt/openjdk*/libexec \
    "$home"/.sdkman/candidates/java/* "$home"/.jdks/* "$home"/.asdf/installs/java/* \
    "$home"/.local/share/mise/installs/java/*
  for folder in "$@"; do
    accept "$folder" && return 0
  done
  return 1
}

find_jdk || {
  [ -z "$seen" ] || seen="
These are too old:$seen"
  say "a JDK $java_needed or newer is needed, and none was found in JAVA_HOME, on the PATH or in the usual folders.$seen"
  sh "$scripts/fetch-jdk.sh" "$java_needed" "$build/jdk" || exit 126
  find_jdk || fail "the JDK in $build/jdk does not work: delete that folder"
}
