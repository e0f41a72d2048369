# shellcheck shell=sh disable=SC2015,SC2154 # tigris reads this file, and sets what it uses
# Becomes Java: the command of a checkout, as modules, or of a release, on the class path.

# Whether the command with these arguments ends before the optimizing compiler's code has paid for the
# time that making it takes: a sort of records at more than 500 MB, of text at more than 32 (docs/decisions/040).
is_short() {
  case ${1:-} in
    '' | -* | help) return 0 ;;
    sort | check) shift ;;
    *) return 1 ;;
  esac
  [ $# -gt 0 ] || return 0
  [ $# -le 1000 ] || return 1 # to look at so many files takes longer than it can save
  most=536870912
  for word in "$@"; do
    case $word in
      --lines | --csv) most=33554432 ;; # text takes the processor longer
      -) return 1 ;;                    # how long a pipe is, its end says
    esac
  done
  have_at_most "$most" "$@"
}

# Whether the matrices that are multiplied, all files but the last, are so small that Java's vectors come too late:
# with their module Java takes no AOT cache, so each process takes a second of a processor longer to start, and
# then compiles for another half of one (docs/matrix.md).
has_small_factors() {
  others=$#
  while [ "$((others -= 1))" -gt 0 ]; do # until the last is the first
    set -- "$@" "$1"
    shift
  done
  shift
  have_at_most 40000000 "$@"
}

# Whether the files among the words after the first have so many bytes together. What is no file has no size.
# None is opened: /dev/stdout may be one here, and is a pipe there.
have_at_most() {
  most=$1
  shift
  # shellcheck disable=SC2012 # only sizes and types are read
  ls -dlnLq -- "$@" 2> /dev/null | {
    bytes=0
    while read -r type _ _ _ size _; do
      case $type in
        -*) bytes=$((bytes + size)) ;;
      esac
    done
    [ "$bytes" -le "$most" ]
  } 2> /dev/null
}

# A heap that the caller asks Java for counts, though what follows on the command line would win.
heap=
for word in ${JAVA_TOOL_OPTIONS:-} ${JDK_JAVA_OPTIONS:-}; do
  case $word in
    -Xmx*) heap=$word ;;
  esac
done

rare='' loops='' vectors='' columns='' compilers=default
if is_short "$@"; then
  compilers=quick-only
  [ "$aot" = -XX:AOTMode=auto ] || rare=@$options/rare.options
fi
[ "${1:-}" != multiply ] || has_small_factors "$@" || vectors=--add-modules=jdk.incubator.vector # Java warns of it
[ "${1:-}" != sort ] || loops=@$options/sort.options
if [ -t 2 ]; then # progress is shown on a terminal only
  columns=$(stty size <&2 2> /dev/null) || columns=
  columns=${columns#* }
  [ "${columns:-0}" -gt 0 ] || columns=80
fi
exec "$jdk/bin/java" "$aot" "-XX:CompilationMode=$compilers" ${rare:+"$rare"} ${loops:+"$loops"} \
  ${vectors:+"$vectors"} "@$options/command.options" ${heap:+"$heap"} "-XX:ErrorFile=$errors" \
  ${checkout:+"-Dtigris.home=$checkout"} "-Dtigris.columns=$columns" \
  ${budget:+"-Dtigris.memory.budget=$budget"} "$path_option" "$path" ${module:+"$module"} "$main" "$@"
