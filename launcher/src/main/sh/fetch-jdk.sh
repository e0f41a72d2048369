#!/bin/sh
# Says how to get a JDK on this system and, after a yes, fetches Temurin's: sh fetch-jdk.sh VERSION FOLDER
#
# A yes is TIGRIS_FETCH_JDK=1 in the environment, or an answer at the terminal. Adoptium's API names the newest
# build for this platform with its SHA-256; only a download that has it is unpacked, to a folder of its own in
# FOLDER. TIGRIS_JDK_API is another service that answers as api.adoptium.net does. Exits with 0 once a JDK is there.
# Tests run it against a server of theirs: it was not run against the real service yet.
set -u

version=$1 folder=$2
api=${TIGRIS_JDK_API:-https://api.adoptium.net}
say() { printf '%s\n' "$*" >&2; }
fail() {
  say "tigris: $*"
  exit 1
}
has() { command -v "$1" > /dev/null 2>&1; }

# Prints the one command that installs a JDK here, if there is one.
install_command() {
  sudo=
  [ "$(id -u)" = 0 ] || sudo='sudo '
  if [ -d "${SDKMAN_DIR:-${HOME:-}/.sdkman}/bin" ]; then
    echo "sdk install java $version-tem"
  elif has apt-get && apt-cache show "openjdk-$version-jdk-headless" > /dev/null 2>&1; then
    echo "${sudo}apt-get install openjdk-$version-jdk-headless"
  elif has dnf; then
    echo "${sudo}dnf install java-$version-openjdk-devel"
  elif has brew; then
    echo "brew install openjdk"
  fi
}

# Sets `os` and `architecture` to the names that the API has for them.
find_platform() {
  case $(uname -s) in
    Linux) os=linux ;;
    Darwin) os=mac ;;
    *) return 1 ;;
  esac
  for libc in /lib/ld-musl-*; do
    [ ! -e "$libc" ] || os=alpine-linux
  done
  case $(uname -m) in
    x86_64 | amd64) architecture=x64 ;;
    aarch64 | arm64) architecture=aarch64 ;;
    ppc64le | s390x | riscv64) architecture=$(uname -m) ;;
    *) return 1 ;;
  esac
}

# Fetches $1 to the file $2.
download() {
  if has curl; then
    curl -fsSL --connect-timeout 20 --speed-limit 1 --speed-time 60 -o "$2" "$1" 2> "$work/error"
  else
    wget -T 60 -t 1 -nv -O "$2" "$1" 2> "$work/error"
  fi || fail "cannot fetch $1: $(cat "$work/error")
Look at the network, and at the proxy in https_proxy. Then try again."
}

# Prints the text of the member $1 of the answer's package.
member() {
  tr -d '\n' < "$work/answer" | sed 's/.*"package" *: *{\([^}]*\)}.*/\1/' | tr ',' '\n' |
    sed -n 's/^ *"'"$1"'" *: *"\{0,1\}\([^"]*[^" ]\)"\{0,1\} *$/\1/p'
}

command=$(install_command)
set_home="Set JAVA_HOME to where one is"
if [ -n "$command" ]; then
  set_home="or set JAVA_HOME to where one is"
  say "Install one with
  $command"
fi
if ! find_platform; then
  say "$set_home. Temurin has no JDK for $(uname -s) on $(uname -m)."
  exit 1
fi
has curl || has wget || fetcher=none
has sha256sum || has shasum || checker=none
if [ -n "${fetcher:-}${checker:-}" ]; then
  say "$set_home. To fetch one, tigris needs curl or wget, and sha256sum or shasum."
  exit 1
fi
if [ "${TIGRIS_FETCH_JDK:-}" != 1 ]; then
  say "$set_home, or let tigris fetch Temurin's into $folder:
  TIGRIS_FETCH_JDK=1 tigris ..."
  { [ -t 0 ] && [ -t 2 ]; } || exit 1
  printf '%s' "Ask $api for the JDK of $os-$architecture, and fetch it (some 140 MB)? [y/N] " >&2
  read -r answer || answer=
  case $answer in
    [yY] | [yY][eE][sS]) ;;
    *) exit 1 ;;
  esac
fi

work=$folder/.new.$$
mkdir -p "$work" || fail "cannot make the folder $work"
trap 'rm -rf "$work"; rmdir "$folder" 2> /dev/null || :' EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM
query="architecture=$architecture&image_type=jdk&os=$os&vendor=eclipse"
say "tigris: asking $api for Temurin's JDK $version"
download "$api/v3/assets/latest/$version/hotspot?$query" "$work/answer"
link=$(member link) checksum=$(member checksum) size=$(member size)
case $link:$api in
  https://*.tar.gz:* | http://*.tar.gz:http://*) ;;
  *) fail "$api named no JDK $version for $os-$architecture. Install one by other means." ;;
esac
case $checksum in
  *[!0-9a-f]*) checksum= ;;
esac
[ ${#checksum} -eq 64 ] || fail "$api gave no SHA-256 for $link, so it cannot be checked. Install a JDK by other means."

say "tigris: fetching $link (${size:-?} bytes) into $folder"
download "$link" "$work/jdk.tar.gz"
if has sha256sum; then
  found=$(sha256sum < "$work/jdk.tar.gz")
else
  found=$(shasum -a 256 < "$work/jdk.tar.gz")
fi
[ "${found%% *}" = "$checksum" ] || fail "$link has the wrong SHA-256, and was deleted: expected $checksum, but got ${found%% *}.
The download was cut short or changed on its way. Try again."
{ mkdir "$work/unpacked" && tar -xzf "$work/jdk.tar.gz" -C "$work/unpacked"; } ||
  fail "cannot unpack $link in $folder: look for room on the disk (a JDK takes 350 MB)"
for unpacked in "$work"/unpacked/*; do
  [ -x "$unpacked/bin/javac" ] || [ -x "$unpacked/Contents/Home/bin/javac" ] || fail "$link holds no JDK"
  # Another process may have put it there meanwhile.
  [ -d "$folder/${unpacked##*/}" ] || mv "$unpacked" "$folder/"
done
say "tigris: the JDK is in $folder; delete that folder to be rid of it"
