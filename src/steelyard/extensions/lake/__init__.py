"""A lake: trials of many records of many days as Parquet files, in a directory or an object store.

::

    spec=SHA/day=YYYY-MM-DD/RECORD.parquet         one row a trial
    spec=SHA/day=YYYY-MM-DD/RECORD.ratios.parquet  one row a block and comparison
    spec=SHA/day=YYYY-MM-DD/RECORD.json.gz         all else of the record, with digests of both: ``Facts``

SHA is of the spec without what may differ between records of one, RECORD the id of a record, the day that on
which it was made (UTC). The facts are written last: a record is in the lake when they are.
"""
