# shellcheck shell=sh disable=SC2154 # tigris reads this file, and sets what it uses
# Runs the command as a child of this shell, which is the first process of a container.
#
# To that process the system gives no signal that would kill it, its own neither: Java that lacks memory
# would exit with 1. So a child does the work, and this shell passes on the signals that it gets. A child in the
# background hears no SIGINT unless env can make it: where env cannot, SIGTERM stands for it.

pass_on() {
  signal=$1
  [ -z "$child" ] || kill "-$signal" "$child" 2> /dev/null || :
}

set -- sh "$self" "$@"
child='' signal='' interrupted='' stop=TERM
if env --default-signal=INT true 2> /dev/null; then
  stop=INT
  set -- env --default-signal=INT "$@"
fi
trap 'pass_on HUP' HUP
trap 'pass_on QUIT' QUIT
trap 'interrupted=true; pass_on "$stop"' INT
trap 'pass_on TERM' TERM
if (: <&0) 2> /dev/null; then
  exec 9<&0 # the input is /dev/null in the background
else
  exec 9< /dev/null
fi
"$@" <&9 9<&- &
child=$!
[ "$signal" != INT ] || signal=TERM # env, which has just begun, does not hear that one yet
[ -z "$signal" ] || pass_on "$signal"
while :; do # until it was not a signal that ended the wait
  code=0
  wait "$child" || code=$?
  kill -0 "$child" 2> /dev/null || break
done
if [ -n "$signal" ]; then # it may have ended the wait at the moment that the child ended, too
  ended=0
  wait "$child" 2> /dev/null || ended=$?
  case $ended in
    127 | -1) ;; # the shell has told it already
    *) code=$ended ;;
  esac
fi
[ -z "$interrupted" ] || [ "$code" -ne 143 ] || code=130
exit "$code"
