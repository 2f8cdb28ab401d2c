// The HBase API (bigtable-hbase) against `sippar serve`: a MapReduce over a Webtable with HBase's
// own words. Regions are read in parallel, anchors (their newest versions) are counted per host,
// counts are written with increments into another table. `HBaseJob TABLE RESULT_TABLE`; prints the
// number of anchors.
// SPDX-License-Identifier: Apache-2.0
import com.google.cloud.bigtable.hbase.BigtableConfiguration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.CompareOperator;
import org.apache.hadoop.hbase.HRegionLocation;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Increment;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Row;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.filter.KeyOnlyFilter;
import org.apache.hadoop.hbase.util.Bytes;

public class HBaseJob {
  private static final byte[] ANCHOR = Bytes.toBytes("anchor");
  private static final byte[] COUNTS = Bytes.toBytes("counts");
  private static final byte[] ANCHORS = Bytes.toBytes("anchors");

  static void check(boolean held, String what) {
    if (!held) throw new IllegalStateException(what);
  }

  // Map and combine: anchors per host in one region.
  static Map<String, Long> countRegion(Connection connection, TableName name, byte[] start, byte[] stop)
      throws Exception {
    Map<String, Long> counts = new TreeMap<>();
    Scan scan = new Scan().withStartRow(start).withStopRow(stop).addFamily(ANCHOR);
    scan.setFilter(new KeyOnlyFilter());
    try (Table table = connection.getTable(name); ResultScanner rows = table.getScanner(scan)) {
      for (Result row : rows) {
        String key = Bytes.toString(row.getRow());
        int slash = key.indexOf('/');
        counts.merge(slash < 0 ? key : key.substring(0, slash), (long) row.size(), Long::sum);
      }
    }
    return counts;
  }

  static Map<String, Long> countAnchors(Connection connection, TableName name) throws Exception {
    List<HRegionLocation> regions = connection.getRegionLocator(name).getAllRegionLocations();
    check(!regions.isEmpty(), "a table has at least one region");
    Map<String, Long> counts = new ConcurrentHashMap<>();
    ExecutorService workers = Executors.newFixedThreadPool(2);
    List<Future<?>> running = new ArrayList<>();
    for (HRegionLocation region : regions) {
      byte[] start = region.getRegion().getStartKey();
      byte[] stop = region.getRegion().getEndKey();
      running.add(workers.submit(() -> {
        countRegion(connection, name, start, stop).forEach((host, n) -> counts.merge(host, n, Long::sum));
        return null;
      }));
    }
    for (Future<?> part : running) part.get();
    workers.shutdown();
    System.out.println(regions.size() + " regions");
    return counts;
  }

  static void writeCounts(Table table, Map<String, Long> counts) throws Exception {
    List<Row> batch = new ArrayList<>();
    counts.forEach((host, n) -> batch.add(new Increment(Bytes.toBytes(host)).addColumn(COUNTS, ANCHORS, n)));
    Object[] results = new Object[batch.size()];
    table.batch(batch, results);
    for (Map.Entry<String, Long> entry : counts.entrySet()) {
      Result row = table.get(new Get(Bytes.toBytes(entry.getKey())));
      check(Bytes.toLong(row.getValue(COUNTS, ANCHORS)) == entry.getValue(), entry.getKey());
    }
  }

  // What an HBase program does besides: conditional puts and deletes.
  static void changeOneRow(Table table) throws Exception {
    byte[] key = Bytes.toBytes("~row"), column = Bytes.toBytes("c");
    Put put = new Put(key).addColumn(COUNTS, column, Bytes.toBytes("1"));
    check(table.checkAndMutate(key, COUNTS).qualifier(column).ifNotExists().thenPut(put), "absent");
    check(!table.checkAndMutate(key, COUNTS).qualifier(column).ifNotExists().thenPut(put), "there");
    Put next = new Put(key).addColumn(COUNTS, column, Bytes.toBytes("2"));
    check(table.checkAndMutate(key, COUNTS).qualifier(column)
              .ifMatches(CompareOperator.EQUAL, Bytes.toBytes("1")).thenPut(next), "equal");
    check(Bytes.toString(table.get(new Get(key)).getValue(COUNTS, column)).equals("2"), "2");
    table.delete(new org.apache.hadoop.hbase.client.Delete(key));
    check(!table.exists(new Get(key)), "deleted");
  }

  static void largeCell(Table table, int size) throws Exception {
    byte[] key = Bytes.toBytes("large"), value = new byte[size];
    for (int i = 0; i < size; i++) value[i] = (byte) (i >> 8);
    table.put(new Put(key).addColumn(COUNTS, key, 1, value));
    check(Arrays.equals(table.get(new Get(key)).getValue(COUNTS, key), value), "a large cell comes back");
  }

  public static void main(String[] words) throws Exception {
    Configuration configuration = BigtableConfiguration.configure("sippar", "default");
    configuration.set("google.bigtable.emulator.endpoint.host", System.getenv("BIGTABLE_EMULATOR_HOST"));
    configuration.set("hbase.client.keyvalue.maxsize", "0");
    TableName result = TableName.valueOf(words[1]);
    try (Connection connection = BigtableConfiguration.connect(configuration);
         Admin admin = connection.getAdmin()) {
      admin.createTable(TableDescriptorBuilder.newBuilder(result)
                            .setColumnFamily(ColumnFamilyDescriptorBuilder.of(COUNTS))
                            .build());
      if (words.length > 2 && words[2].equals("large")) {
        try (Table table = connection.getTable(result)) {
          for (int i = 0; i < 3; i++) largeCell(table, 100 << 20);
        }
        System.exit(0);
      }
      Map<String, Long> counts = countAnchors(connection, TableName.valueOf(words[0]));
      try (Table table = connection.getTable(result)) {
        changeOneRow(table);
        writeCounts(table, counts);
      }
      System.out.println(counts.values().stream().mapToLong(Long::longValue).sum() + " anchors");
    }
    System.exit(0);
  }
}
