"""Where a query's SQL runs when one machine is not enough: on Spark, from the same file, over the store's Parquet."""
