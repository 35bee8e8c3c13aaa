"""Audit records on a Spark cluster, repair, and decide there: spark-submit spark_example.py PEOPLE OUT."""

import sys

from pyspark.sql import SparkSession

import crossfair as cf

READ = {"by": ["sex", "race", "age"], "bins": {"age": [30, 50]}, "label": "hired", "score": "score"}


def main(people: str, out: str) -> int:
    """Return the exit code of a gate: 0 where the limit is kept."""
    frame = SparkSession.builder.getOrCreate().read.parquet(people)
    audit = cf.audit(frame, **READ)
    audit.to_html(f"{out}/audit.html")
    policy = cf.mitigate(frame, **READ, limits={"equalized_odds": 0.1})
    policy.save(f"{out}/policy.json")
    frame.withColumn("hire", policy.decide(frame, key="id")).write.parquet(f"{out}/decisions")
    return audit.check({"equalized_odds": 0.5}).exit_code


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
