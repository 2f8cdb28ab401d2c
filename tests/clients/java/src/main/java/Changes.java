// Watching the changes of a table: each partition of its change stream, from a time on, to another.
// SPDX-License-Identifier: Apache-2.0
import com.google.cloud.bigtable.admin.v2.BigtableTableAdminClient;
import com.google.cloud.bigtable.admin.v2.models.CreateTableRequest;
import com.google.cloud.bigtable.data.v2.BigtableDataClient;
import com.google.cloud.bigtable.data.v2.models.ChangeStreamMutation;
import com.google.cloud.bigtable.data.v2.models.ChangeStreamRecord;
import com.google.cloud.bigtable.data.v2.models.CloseStream;
import com.google.cloud.bigtable.data.v2.models.Range.ByteStringRange;
import com.google.cloud.bigtable.data.v2.models.ReadChangeStreamQuery;
import com.google.cloud.bigtable.data.v2.models.RowMutation;
import com.google.protobuf.ByteString;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.threeten.bp.Duration;

class Changes {
  static void watch(BigtableTableAdminClient admin, BigtableDataClient data) {
    String table = "java_changes";
    admin.createTable(
        CreateTableRequest.of(table)
            .addFamily("anchor")
            .addSplit(ByteString.copyFromUtf8("m"))
            .addChangeStreamRetention(Duration.ofDays(1)));
    Instant start = Instant.now();
    String large = "x".repeat(2_000_000);
    data.mutateRow(RowMutation.create(table, "com.cnn.www").setCell("anchor", "cnnsi.com", "CNN"));
    data.mutateRow(RowMutation.create(table, "org.w3").setCell("anchor", "a.b", large));
    data.mutateRow(RowMutation.create(table, "com.cnn.www").deleteRow());
    Instant end = Instant.now();

    List<String> changes = new ArrayList<>();
    int closed = 0;
    for (ByteStringRange partition : data.generateInitialChangeStreamPartitions(table)) {
      ReadChangeStreamQuery query =
          ReadChangeStreamQuery.create(table)
              .streamPartition(partition)
              .startTime(start)
              .endTime(end);
      for (ChangeStreamRecord record : data.readChangeStream(query)) {
        if (record instanceof ChangeStreamMutation) {
          ChangeStreamMutation change = (ChangeStreamMutation) record;
          changes.add(
              change.getRowKey().toStringUtf8()
                  + " "
                  + change.getEntries().get(0).getClass().getSimpleName().replace("AutoValue_", ""));
        } else if (record instanceof CloseStream) {
          closed++;
        }
      }
    }
    Client.expect(
        "changes",
        changes.toString(),
        "[com.cnn.www SetCell, com.cnn.www DeleteFamily, org.w3 SetCell]");
    Client.expect("partitions that were read to their end", closed, 2);
    admin.deleteTable(table);
  }
}
