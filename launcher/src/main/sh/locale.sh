# shellcheck shell=sh # tigris reads this file
# Java can name only files with ASCII names when the locale is missing (most containers), is C (many scripts) or
# is not installed (a login from elsewhere). Java knows the system's errors by their English words.
locale=${LC_ALL:-${LC_CTYPE:-${LANG:-C}}}
case $locale in
  C | POSIX) locale= ;;
  C.*) ;;
  *.[Uu][Tt][Ff]-8 | *.[Uu][Tt][Ff]8) [ "$(LC_ALL=$locale locale charmap 2> /dev/null)" = UTF-8 ] || locale= ;;
esac
if [ -z "$locale" ]; then
  export LC_ALL=C.UTF-8
else
  unset LC_ALL
  export LANG="$locale" LC_CTYPE="$locale" LC_MESSAGES=C
fi
