// A Beam pipeline over `sippar serve` (the paper's MapReduce wrappers, section 4): BigtableIO reads
// a Webtable, anchors are counted per host, BigtableIO writes the counts into another table, which
// has to exist. `BeamJob TABLE RESULT_TABLE`.
// SPDX-License-Identifier: Apache-2.0
import com.google.bigtable.v2.Column;
import com.google.bigtable.v2.Family;
import com.google.bigtable.v2.Mutation;
import com.google.bigtable.v2.Row;
import com.google.bigtable.v2.RowFilter;
import com.google.protobuf.ByteString;
import java.util.Collections;
import org.apache.beam.sdk.Pipeline;
import org.apache.beam.sdk.coders.KvCoder;
import org.apache.beam.sdk.coders.StringUtf8Coder;
import org.apache.beam.sdk.coders.VarLongCoder;
import org.apache.beam.sdk.extensions.protobuf.ByteStringCoder;
import org.apache.beam.sdk.io.gcp.bigtable.BigtableIO;
import org.apache.beam.sdk.options.PipelineOptionsFactory;
import org.apache.beam.sdk.transforms.DoFn;
import org.apache.beam.sdk.transforms.ParDo;
import org.apache.beam.sdk.transforms.Sum;
import org.apache.beam.sdk.values.KV;

public class BeamJob {
  static class AnchorsOfHost extends DoFn<Row, KV<String, Long>> {
    @ProcessElement
    public void process(@Element Row row, OutputReceiver<KV<String, Long>> out) {
      long anchors = 0;
      for (Family family : row.getFamiliesList()) {
        for (Column column : family.getColumnsList()) anchors += column.getCellsCount();
      }
      String key = row.getKey().toStringUtf8();
      int slash = key.indexOf('/');
      out.output(KV.of(slash < 0 ? key : key.substring(0, slash), anchors));
    }
  }

  static class CountCell extends DoFn<KV<String, Long>, KV<ByteString, Iterable<Mutation>>> {
    @ProcessElement
    public void process(@Element KV<String, Long> count,
                        OutputReceiver<KV<ByteString, Iterable<Mutation>>> out) {
      Mutation.SetCell cell = Mutation.SetCell.newBuilder()
                                  .setFamilyName("counts")
                                  .setColumnQualifier(ByteString.copyFromUtf8("anchors"))
                                  .setTimestampMicros(1_000_000)
                                  .setValue(ByteString.copyFromUtf8(count.getValue().toString()))
                                  .build();
      out.output(KV.of(ByteString.copyFromUtf8(count.getKey()),
                       Collections.singletonList(Mutation.newBuilder().setSetCell(cell).build())));
    }
  }

  public static void main(String[] words) {
    String server = System.getenv("BIGTABLE_EMULATOR_HOST");
    RowFilter anchors =
        RowFilter.newBuilder()
            .setChain(RowFilter.Chain.newBuilder()
                          .addFilters(RowFilter.newBuilder().setFamilyNameRegexFilter("anchor"))
                          .addFilters(RowFilter.newBuilder().setStripValueTransformer(true)))
            .build();
    Pipeline pipeline = Pipeline.create(PipelineOptionsFactory.create());
    pipeline
        .apply("read", BigtableIO.read()
                           .withProjectId("sippar")
                           .withInstanceId("default")
                           .withTableId(words[0])
                           .withRowFilter(anchors)
                           .withEmulator(server))
        .apply("anchors of a host", ParDo.of(new AnchorsOfHost()))
        .setCoder(KvCoder.of(StringUtf8Coder.of(), VarLongCoder.of()))
        .apply(Sum.longsPerKey())
        .apply("a cell each", ParDo.of(new CountCell()))
        .apply("write", BigtableIO.write()
                            .withProjectId("sippar")
                            .withInstanceId("default")
                            .withTableId(words[1])
                            .withEmulator(server));
    pipeline.run().waitUntilFinish();
  }
}
