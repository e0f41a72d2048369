# shellcheck shell=sh disable=SC2034,SC2154 # tigris reads this file, and sets and uses its variables
# Sets names: those of the example programs of the checkout in $root, as `tigris example` takes them, each behind a
# space. A program is a class with a main method.
folder=$root/examples/src/main/java/dev/tigris/examples names=
for file in "$folder"/*.java "$folder"/*/*.java; do
  while read -r line || [ -n "$line" ]; do
    case $line in
      *'static void main('*)
        name=${file#"$folder"/}
        name=${name%.java}
        case $name in
          */*) name=${name%%/*}.${name##*/} ;;
        esac
        names="$names $name"
        break
        ;;
    esac
  done < "$file"
done
