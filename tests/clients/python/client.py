"""What a Python program does with Cloud Bigtable, against `sippar serve`:

  sippar serve ./data &
  BIGTABLE_EMULATOR_HOST=localhost:8086 python client.py

SPDX-License-Identifier: Apache-2.0
"""
import datetime

from google.cloud import bigtable
from google.cloud.bigtable import column_family, row_filters

client = bigtable.Client(project="sippar", admin=True)
table = client.instance("default").table("python_pages")
table.create(column_families={"anchor": column_family.MaxVersionsGCRule(3), "count": None},
             initial_split_keys=[b"com.m"])
assert set(table.list_column_families()) == {"anchor", "count"}

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
