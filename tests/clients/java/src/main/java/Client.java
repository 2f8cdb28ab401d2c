// What a Java program does with Cloud Bigtable, against `sippar serve`.
// SPDX-License-Identifier: Apache-2.0
import static com.google.cloud.bigtable.data.v2.models.Filters.FILTERS;

import com.google.cloud.bigtable.admin.v2.BigtableTableAdminClient;
import com.google.cloud.bigtable.admin.v2.BigtableTableAdminSettings;
import com.google.cloud.bigtable.admin.v2.models.CreateTableRequest;
import com.google.cloud.bigtable.admin.v2.models.GCRules;
import com.google.cloud.bigtable.data.v2.BigtableDataClient;
import com.google.cloud.bigtable.data.v2.BigtableDataSettings;
import com.google.cloud.bigtable.data.v2.models.BulkMutation;
import com.google.cloud.bigtable.data.v2.models.ConditionalRowMutation;
import com.google.cloud.bigtable.data.v2.models.Mutation;
import com.google.cloud.bigtable.data.v2.models.Query;
import com.google.cloud.bigtable.data.v2.models.ReadModifyWriteRow;
import com.google.cloud.bigtable.data.v2.models.Row;
import com.google.cloud.bigtable.data.v2.models.RowMutation;
import com.google.cloud.bigtable.data.v2.models.sql.BoundStatement;
import com.google.cloud.bigtable.data.v2.models.sql.PreparedStatement;
import com.google.cloud.bigtable.data.v2.models.sql.ResultSet;
import com.google.cloud.bigtable.data.v2.models.sql.SqlType;
import com.google.protobuf.ByteString;
import com.google.protobuf.UnsafeByteOperations;
import java.util.Map;

public class Client {
  static void expect(String what, Object got, Object want) {
    if (!got.equals(want)) throw new AssertionError(what + ": got " + got + ", want " + want);
    System.out.println(what + ": " + got);
  }

  public static void main(String[] args) throws Exception {
    String[] host = System.getenv("BIGTABLE_EMULATOR_HOST").split(":");
    int port = Integer.parseInt(host[1]);
    String table = "java_pages";
    try (BigtableTableAdminClient admin =
            BigtableTableAdminClient.create(
                BigtableTableAdminSettings.newBuilderForEmulator(host[0], port)
                    .setProjectId("sippar")
                    .setInstanceId("default")
                    .build());
        BigtableDataClient data =
            BigtableDataClient.create(
                BigtableDataSettings.newBuilderForEmulator(host[0], port)
                    .setProjectId("sippar")
                    .setInstanceId("default")
                    .build())) {
      admin.createTable(
          CreateTableRequest.of(table)
              .addFamily("anchor", GCRules.GCRULES.maxVersions(3))
              .addFamily("count"));
      if (args.length > 0 && args[0].equals("large")) {
        byte[] value = new byte[100 << 20];
        for (int i = 0; i < value.length; i++) value[i] = (byte) (i >> 8);
        ByteString bytes = UnsafeByteOperations.unsafeWrap(value);
        for (int i = 0; i < 3; i++) {
          data.mutateRow(
              RowMutation.create(table, "large")
                  .setCell("anchor", ByteString.copyFromUtf8("large"), 1000, bytes));
          ByteString read = data.readRow(table, "large").getCells().get(0).getValue();
          expect("a large cell comes back", read.equals(bytes), true);
        }
        return;
      }
      BulkMutation bulk = BulkMutation.create(table);
      for (int i = 0; i < 1000; i++) {
        bulk.add(
            String.format("com.site%04d", i),
            Mutation.create().setCell("anchor", "cnnsi.com", "text " + i));
      }
      data.bulkMutateRows(bulk);
      data.mutateRow(RowMutation.create(table, "com.cnn.www").setCell("anchor", "cnnsi.com", "CNN"));
      Row row = data.readRow(table, "com.cnn.www");
      expect("a row's value", row.getCells().get(0).getValue().toStringUtf8(), "CNN");
      int found = 0;
      for (Row each :
          data.readRows(
              Query.create(table)
                  .filter(
                      FILTERS
                          .chain()
                          .filter(FILTERS.family().exactMatch("anchor"))
                          .filter(FILTERS.qualifier().exactMatch("cnnsi.com"))
                          .filter(FILTERS.value().regex("text [0-9]"))))) {
        found++;
      }
      expect("rows of a filtered scan", found, 10);
      PreparedStatement prepared =
          data.prepareStatement(
              "SELECT _key, CAST(anchor['cnnsi.com'] AS STRING) AS text, anchor FROM java_pages"
                  + " WHERE STARTS_WITH(_key, @prefix)",
              Map.of("prefix", SqlType.bytes()));
      String rows = "";
      BoundStatement bound =
          prepared.bind().setBytesParam("prefix", ByteString.copyFromUtf8("com.site012")).build();
      try (ResultSet result = data.executeQuery(bound)) {
        while (result.next()) {
          ByteString cell =
              result
                  .getMap("anchor", SqlType.mapOf(SqlType.bytes(), SqlType.bytes()))
                  .get(ByteString.copyFromUtf8("cnnsi.com"));
          expect("text and cell", cell.toStringUtf8(), result.getString("text"));
          rows += result.getBytes("_key").toStringUtf8().substring(10) + " ";
        }
      }
      expect("rows of a query", rows, "20 21 22 23 24 25 26 27 28 29 ");
      prepared = data.prepareStatement("SELECT COUNT(*) AS n FROM java_pages", Map.of());
      try (ResultSet result = data.executeQuery(prepared.bind().build())) {
        expect("one row", result.next(), true);
        expect("rows counted by a query", result.getLong("n"), 1001L);
        expect("no other row", result.next(), false);
      }
      data.readModifyWriteRow(ReadModifyWriteRow.create(table, "com.cnn.www").increment("count", "visits", 40));
      row = data.readModifyWriteRow(ReadModifyWriteRow.create(table, "com.cnn.www").increment("count", "visits", 2));
      expect("visits", row.getCells().get(0).getValue().asReadOnlyByteBuffer().getLong(), 42L);
      boolean matched =
          data.checkAndMutateRow(
              ConditionalRowMutation.create(table, "com.cnn.www")
                  .condition(FILTERS.value().exactMatch("CNN"))
                  .then(Mutation.create().deleteRow()));
      expect("condition held", matched, true);
      expect("row is gone", data.readRow(table, "com.cnn.www") == null, true);
      admin.dropRowRange(table, "com.site0");
      admin.deleteTable(table);
      Changes.watch(admin, data);
    }
    System.out.println("ok");
  }
}
