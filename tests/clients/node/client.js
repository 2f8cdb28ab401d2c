// What a Node.js program does with Cloud Bigtable, against `sippar serve`:
//   sippar serve ./data &
//   BIGTABLE_EMULATOR_HOST=localhost:8086 node client.js
// SPDX-License-Identifier: Apache-2.0
const assert = require('assert');
const {Bigtable} = require('@google-cloud/bigtable');

async function main() {
  const bigtable = new Bigtable({projectId: 'sippar', metricsEnabled: false});
  const table = bigtable.instance('default').table('node_pages');
  await table.create({families: [{name: 'anchor', rule: {versions: 3}}, 'count'], splits: [Buffer.from('com.m')]});
  const [families] = await table.getFamilies();
  assert.strictEqual(families.length, 2);

  if (process.argv[2] === 'large') {
    const value = Buffer.alloc(100 << 20, 'a large cell');
    for (let i = 0; i < 3; i++) {
      await table.insert({key: 'large', data: {anchor: {large: {value, timestamp: 1000}}}});
      const [large] = await table.row('large').get(['anchor:large'], {decode: false});
      assert(value.equals(large.anchor.large[0].value));
    }
    return;
  }

  const entries = [];
  for (let i = 0; i < 1000; i++) {
    const key = `com.site${String(i).padStart(4, '0')}`;
    entries.push({key, data: {anchor: {'cnnsi.com': `text ${i}`}}});
  }
  await table.insert(entries);
  await table.insert({key: 'com.cnn.www', data: {anchor: {'cnnsi.com': 'CNN'}}});
  const [row] = await table.row('com.cnn.www').get();
  assert.strictEqual(row.data.anchor['cnnsi.com'][0].value, 'CNN');

  const [found] = await table.getRows(
      {filter: [{family: 'anchor'}, {column: 'cnnsi\\.com'}, {value: 'text [0-9]'}, {column: {cellLimit: 1}}]});
  assert.strictEqual(found.length, 10);
  const [all] = await table.getRows({filter: [{row: {cellLimit: 1}}, {value: {strip: true}}]});
  assert.strictEqual(all.length, 1001);
  const [samples] = await table.sampleRowKeys();
  assert.strictEqual(samples[0].key.toString(), 'com.m');

  await table.row('com.cnn.www').increment('count:visits', 40);
  await table.row('com.cnn.www').increment('count:visits', 2);
  const [counted] = await table.row('com.cnn.www').get(['count:visits']);
  assert.strictEqual(counted.count.visits[0].value, 42);

  const [matched] = await table.row('com.cnn.www').filter([{value: 'CNN'}], {onMatch: [{method: 'delete'}]});
  assert.strictEqual(matched, true);
  const [exists] = await table.row('com.cnn.www').exists();
  assert.strictEqual(exists, false);
  await table.deleteRows('com.site0');
  await table.delete();
  console.log('ok');
}

main().catch(error => {
  console.error(error);
  process.exit(1);
});
