# ORDERS CUSTOMERS RESULT TIMES THREADS: the join of flow.csv by DuckDB.
import duckdb
import sys
import time

orders, customers, result, times, threads = sys.argv[1:]
for _ in range(int(times)):
    begin = time.time()
    database = duckdb.connect(config={"threads": threads})
    database.sql(
        f"""COPY (
              SELECT country, count(*) AS count, sum(amount) AS sum_amount
              FROM read_csv('{orders}', types={{'amount': 'DECIMAL(12,2)'}}) AS o
              JOIN read_csv('{customers}') AS c ON o.customer = c.id
              GROUP BY country)
            TO '{result}' (HEADER)"""
    )
    database.close()
    print("seconds", time.time() - begin, flush=True)
