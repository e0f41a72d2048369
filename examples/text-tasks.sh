#!/usr/bin/env bash
# Ten tasks with text: each by tigris and by the usual tool, in turns, and timed. Outputs must be equal.
#
#   examples/text-tasks.sh [MEGABYTES] [ROUNDS]      200 and 3, about a quarter of an hour
#
# Prints for each the median of the seconds that it took, and behind a stroke of those of all processors. TIGRIS names
# another command than that of this checkout, and TMPDIR a folder with room for ten times the text. DuckDB takes part
# if Python has it; TIGRIS_PYTHON names another python3.
set -eu

megabytes=${1:-200} rounds=${2:-3}
here=$(CDPATH='' cd -P -- "$(dirname -- "$0")" && pwd)
tigris=${TIGRIS:-$here/../tigris} python=${TIGRIS_PYTHON:-python3}
threads=$(nproc)
export LC_ALL=C
folder=$(mktemp -d "${TMPDIR:-/tmp}/text-tasks.XXXXXX")
trap 'rm -rf "$folder"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
TIMEFORMAT='%R %U %S'
cd "$folder"

# Both build what is older than its sources, before the first time is taken.
$tigris --version > version
$tigris example TextTasks 2> usage
duckdb=no
"$python" -c 'import duckdb' 2> /dev/null && duckdb=yes
run_duckdb() { # a query whose result is written to `out`
  "$python" -c "import duckdb, sys
duckdb.sql('SET threads=$threads; SET enable_progress_bar=false')
duckdb.sql('COPY (' + sys.argv[1] + ') TO \'out\'')" "$1"
}
gnu_sort() { sort --parallel="$threads" -S 1g -T . "$@"; }

# ---- the text: orders, customers, words, and a log, made by a generator whose seed is fixed

awk -v bytes="${megabytes}000000" -v seed=7 '
  function word(i) { return substr("etaoinshrdlu", i % 12 + 1, 1) (i * 7919 % 200003) substr("cmfwypvbgkjq", i % 11 + 1, 2) }
  BEGIN {
    srand(seed)
    split("DE AT CH FR US IT ES PL", countries, " ")
    print "id,customer,country,amount,note" > "orders.csv"
    print "id,name,city" > "customers.csv"
    for (i = 1; i <= 50000; i++) printf "%d,name %d,city %d\n", i, i, i % 977 > "customers.csv"
    for (i = 1; orders < bytes; i++) {
      row = sprintf("%d,%d,%s,%d.%02d,note %d", i, rand() * 50000 + 1, countries[int(rand() * 8) + 1],
        rand() * 10000, rand() * 100, rand() * 1e9)
      print row > "orders.csv"
      orders += length(row) + 1
    }
    for (i = 1; words < bytes; i++) {
      r = rand(); row = word(int(200000 * r * r * r))
      print row > "words"
      words += length(row) + 1
    }
    for (i = 1; log_ < bytes; i++) {
      row = sprintf("2026-11-28T%06d host%d %d ok", i % 1000000, rand() * 500, rand() * 1000000)
      print row > "log"
      log_ += length(row) + 1
    }
  }'
split -n l/2 words half.
gnu_sort half.aa > words.1
gnu_sort half.ab > words.2
gnu_sort words > words.sorted
gzip -1 -k log orders.csv
rm half.aa half.ab

# ---- how a task is timed

median() { sort -n | awk '{ all[NR] = $1 } END { printf "%.2f", all[int((NR + 1) / 2)] }'; }

timed() { # runs a function, and adds to a file how long it took
  rm -f out out.zst
  cat ./*.csv words log > /dev/null # all of it is in memory for each
  { time "$2" 2>&3; } 3>&2 2>> "$1"
}

task() { # the name, whether the order of the output counts, and the tools beside tigris
  name=$1 order=$2 line=
  shift 2
  rm -f seconds.*
  round=0
  while [ "$round" -lt "$rounds" ]; do
    for tool in tigris "$@"; do
      [ "$tool" != duckdb ] || [ "$duckdb" = yes ] || continue
      timed "seconds.$tool" "${name}_$tool"
      [ ! -f out.zst ] || zstd -q -d -c out.zst > out
      [ ! -f out ] || if [ "$order" = ordered ]; then mv out "out.$tool"; else gnu_sort out > "out.$tool"; fi
      [ "$tool" = tigris ] || [ ! -f "out.$tool" ] || cmp "out.tigris" "out.$tool"
    done
    round=$((round + 1))
  done
  for tool in tigris "$@"; do
    [ -f "seconds.$tool" ] || continue
    elapsed=$(awk '{ print $1 }' "seconds.$tool" | median)
    spent=$(awk '{ print $2 + $3 }' "seconds.$tool" | median)
    line="$line  $tool $elapsed/$spent"
  done
  printf '%-12s%s\n' "$name" "$line"
  rm -f out.*
}

example() { $tigris example TextTasks "$@"; }
sorted() { $tigris sort --quiet --no-fsync --memory 1g "$@"; }

# ---- the tasks

columns_tigris() { sorted --csv -k country -k amount:nr orders.csv out; }
columns_sort() {
  head -n 1 orders.csv > out
  tail -n +2 orders.csv | gnu_sort -t , -k 3,3 -k 4,4nr >> out
}

unique_tigris() { sorted --lines -u words out; }
unique_sort() { gnu_sort -u words > out; }

log_tigris() { sorted --lines -k 3,3n -k 2,2 log.gz out.zst; }
log_sort() { zcat log.gz | gnu_sort -k 3,3n -k 2,2 | zstd -q > out.zst; }

merge_tigris() { sorted --lines -m words.1 words.2 out; }
merge_sort() { gnu_sort -m words.1 words.2 > out; }

check_tigris() { sorted --lines -c words.sorted; }
check_sort() { gnu_sort -c words.sorted; }

top_tigris() { example top words out; }
top_awk() {
  echo word,count > out
  awk '{ n[$0]++ } END { for (w in n) print w "," n[w] }' words | sort -t , -k 2,2nr -k 1,1 | head -n 10 >> out
}

count_tigris() { example count orders.csv out; }
count_awk() {
  awk -F , 'NR > 1 { n[$3]++ } END { print "country,count"; for (c in n) print c "," n[c] }' orders.csv > out
}
count_duckdb() { run_duckdb "SELECT country, count(*) AS count FROM 'orders.csv' GROUP BY country"; }

sum_tigris() { example sum orders.csv out; }
sum_awk() {
  awk -F , 'NR > 1 { n[$2]++; s[$2] += $4 }
    END { print "customer,count,sum_amount"; for (c in n) printf "%s,%d,%.2f\n", c, n[c], s[c] }' orders.csv > out
}
sum_duckdb() {
  run_duckdb "SELECT customer, count(*) AS count, sum(CAST(amount AS DECIMAL(18, 2))) AS sum_amount
    FROM 'orders.csv' GROUP BY customer"
}

join_tigris() { example join orders.csv customers.csv out; }
join_join() {
  tail -n +2 orders.csv | gnu_sort -t , -k 2,2 > left
  tail -n +2 customers.csv | gnu_sort -t , -k 1,1 > right
  echo id,customer,amount,city > out
  join -t , -1 2 -2 1 -o 1.1,1.2,1.4,2.3 left right >> out
  rm left right
}
join_duckdb() {
  run_duckdb "SELECT o.id, customer, CAST(amount AS DECIMAL(18, 2)) AS amount, city
    FROM 'orders.csv' o JOIN 'customers.csv' c ON o.customer = c.id"
}

filter_tigris() { example filter orders.csv.gz out; }
filter_awk() {
  zcat orders.csv.gz | awk -F , 'NR == 1 { print "id,cents" }
    NR > 1 && $4 > 5000 { split($4, a, "."); print $1 "," a[1] * 100 + a[2] }' > out
}
filter_duckdb() {
  run_duckdb "SELECT id, CAST(CAST(amount AS DECIMAL(18, 2)) * 100 AS BIGINT) AS cents
    FROM 'orders.csv.gz' WHERE amount > 5000"
}

task columns ordered sort
task unique ordered sort
task log ordered sort
task merge ordered sort
task check ordered sort
task top ordered awk
task count any awk duckdb
task sum any awk duckdb
task join any join duckdb
task filter any awk duckdb
