# ORDERS CUSTOMERS RESULT TIMES THREADS: the join of flow.csv by Spark.
import sys
import time

from pyspark.sql import SparkSession, functions

orders, customers, result, times, threads = sys.argv[1:]
begin = time.time()
spark = (
    SparkSession.builder.master(f"local[{threads}]")
    .config("spark.ui.enabled", "false")
    .config("spark.driver.memory", "4g")
    .config("spark.sql.shuffle.partitions", threads)
    .getOrCreate()
)
spark.sparkContext.setLogLevel("ERROR")
for _ in range(int(times)):
    o = spark.read.csv(
        orders, header=True, schema="id LONG, customer STRING, amount DECIMAL(12,2), day DATE, note STRING"
    )
    c = spark.read.csv(customers, header=True, schema="id STRING, name STRING, country STRING")
    groups = (
        o.join(c, o.customer == c.id)
        .groupBy("country")
        .agg(functions.count("*"), functions.sum("amount"))
        .collect()
    )
    with open(result, "w") as file:
        file.write("country,count,sum_amount\n")
        file.writelines(f"{country},{count},{total}\n" for country, count, total in groups)
    print("seconds", time.time() - begin, flush=True)
    begin = time.time()
spark.stop()
