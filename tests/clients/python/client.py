"""What a Python program does with Cloud Bigtable, against `sippar serve`:

  sippar serve ./data &
  BIGTABLE_EMULATOR_HOST=localhost:8086 python client.py

SPDX-License-Identifier: Apache-2.0
"""
import datetime
import sys

from google.api_core import exceptions
from google.cloud import bigtable
from google.cloud.bigtable import column_family, row_filters
from google.cloud.bigtable.data import BigtableDataClient
from google.cloud.bigtable.data.execute_query import SqlType

client = bigtable.Client(project="sippar", admin=True)
table = client.instance("default").table("python_pages")
table.create(column_families={"anchor": column_family.MaxVersionsGCRule(3), "count": None},
             initial_split_keys=[b"com.m"])
assert set(table.list_column_families()) == {"anchor", "count"}

if sys.argv[1:] == ["large"]:
    value = bytes(range(256)) * (100 << 12)
    for _ in range(3):
        row = table.direct_row("large")
        row.set_cell("anchor", "large", value, timestamp=datetime.datetime.fromtimestamp(1, datetime.timezone.utc))
        row.commit()
        assert table.read_row("large").cell_value("anchor", b"large") == value
    sys.exit()

rows = []
for i in range(1000):
    row = table.direct_row(f"com.site{i:04}")
    row.set_cell("anchor", "cnnsi.com", f"text {i}", timestamp=datetime.datetime.now(datetime.timezone.utc))
    rows.append(row)
assert all(status.code == 0 for status in table.mutate_rows(rows))
row = table.direct_row("com.cnn.www")
row.set_cell("anchor", "cnnsi.com", "CNN")
row.commit()
assert table.read_row("com.cnn.www").cell_value("anchor", b"cnnsi.com") == b"CNN"

matching = row_filters.RowFilterChain(filters=[
    row_filters.FamilyNameRegexFilter("anchor"), row_filters.ColumnQualifierRegexFilter(b"cnnsi\\.com"),
    row_filters.ValueRegexFilter(b"text [0-9]"), row_filters.CellsColumnLimitFilter(1)])
found = [row.row_key for row in table.read_rows(filter_=matching)]
assert found == [f"com.site{i:04}".encode() for i in range(10)], found
keys_only = row_filters.RowFilterChain(filters=[
    row_filters.CellsRowLimitFilter(1), row_filters.StripValueTransformerFilter(True)])
assert sum(1 for _ in table.read_rows(filter_=keys_only)) == 1001
assert [sample.row_key for sample in table.sample_row_keys()] == [b"com.m", b""]

with BigtableDataClient(project="sippar") as queries:
    result = queries.execute_query(
        "SELECT _key, CAST(anchor['cnnsi.com'] AS STRING) AS text, anchor FROM python_pages "
        "WHERE STARTS_WITH(_key, @prefix) AND _key IN UNNEST(@keys) LIMIT @n", "default",
        parameters={"prefix": b"com.site", "keys": [b"com.site0007", b"com.cnn.www", b"com.site0500"], "n": 9},
        parameter_types={"keys": SqlType.Array(SqlType.Bytes())})
    found = [(row["_key"], row["text"], row["anchor"]) for row in result]
    assert found == [(b"com.site0007", "text 7", {b"cnnsi.com": b"text 7"}),
                     (b"com.site0500", "text 500", {b"cnnsi.com": b"text 500"})], found
    result = queries.execute_query("SELECT COUNT(*) AS n, MAX(_key) AS last FROM python_pages", "default")
    assert [(row["n"], row["last"]) for row in result] == [(1001, b"com.site0999")]
    result = queries.execute_query(
        "SELECT * FROM python_pages(with_history => TRUE, latest_n => 2) WHERE _key = 'com.cnn.www'", "default")
    history = [row["anchor"][b"cnnsi.com"] for row in result]
    assert [version["value"] for version in history[0]] == [b"CNN"], history
    assert len(list(queries.execute_query("SELECT * FROM python_pages", "default"))) == 1001
    assert list(queries.execute_query("SELECT * FROM python_pages WHERE _key = 'none'", "default")) == []
    try:
        queries.execute_query("SELECT _key FRM python_pages", "default")
        assert False, "a query with an error was prepared"
    except exceptions.InvalidArgument as error:
        assert "[at 1:" in error.message, error

row = table.append_row("com.cnn.www")
row.increment_cell_value("count", "visits", 40)
row.commit()
row = table.append_row("com.cnn.www")
row.increment_cell_value("count", "visits", 2)
cells = row.commit()
assert int.from_bytes(cells["count"][b"visits"][0][0], "big") == 42

row = table.conditional_row("com.cnn.www", row_filters.ValueRegexFilter(b"CNN"))
row.delete(state=True)
assert row.commit() is True
assert table.read_row("com.cnn.www") is None

table.drop_by_prefix("com.site0")
assert list(table.read_rows()) == []
table.delete()
print("ok")
