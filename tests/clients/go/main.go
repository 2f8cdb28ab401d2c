// Creates a table, writes, reads, scans with filters, counts, checks and mutates, deletes: what a Go
// program does with Cloud Bigtable, against `sippar serve`:
//
//	sippar serve ./data &
//	BIGTABLE_EMULATOR_HOST=localhost:8086 go run .
//
// SPDX-License-Identifier: Apache-2.0
package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"log"
	"os"
	"time"

	"cloud.google.com/go/bigtable"
	"google.golang.org/api/option"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
)

const (
	project  = "sippar"
	instance = "default" // its tables are those that `sippar shell` shows
	table    = "go_pages"
)

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func expect(what string, got, want any) {
	if fmt.Sprint(got) != fmt.Sprint(want) {
		log.Fatalf("%s: got %v, want %v", what, got, want)
	}
	fmt.Printf("%s: %v\n", what, got)
}

func createTable(ctx context.Context) {
	admin, err := bigtable.NewAdminClient(ctx, project, instance)
	check(err)
	defer admin.Close()
	check(admin.CreateTableFromConf(ctx, &bigtable.TableConf{
		TableID:   table,
		SplitKeys: []string{"com.m"},
		ColumnFamilies: map[string]bigtable.Family{
			"anchor": {GCPolicy: bigtable.MaxVersionsPolicy(3)},
			"count":  {GCPolicy: bigtable.MaxAgePolicy(240 * time.Hour)},
		},
	}))
	info, err := admin.TableInfo(ctx, table)
	check(err)
	expect("families", len(info.Families), 2)
}

func write(ctx context.Context, tbl *bigtable.Table) {
	var keys []string
	var mutations []*bigtable.Mutation
	for i := 0; i < 1000; i++ {
		mutation := bigtable.NewMutation()
		mutation.Set("anchor", "cnnsi.com", bigtable.Now(), []byte(fmt.Sprintf("text %d", i)))
		mutation.Set("anchor", "my.look.ca", 1000, []byte("CNN.com"))
		keys = append(keys, fmt.Sprintf("com.site%04d", i))
		mutations = append(mutations, mutation)
	}
	errs, err := tbl.ApplyBulk(ctx, keys, mutations)
	check(err)
	expect("failed entries", len(errs), 0)
	one := bigtable.NewMutation()
	one.Set("anchor", "cnnsi.com", 2000, []byte("CNN"))
	check(tbl.Apply(ctx, "com.cnn.www", one))
}

func read(ctx context.Context, tbl *bigtable.Table) {
	row, err := tbl.ReadRow(ctx, "com.cnn.www")
	check(err)
	expect("a row's value", string(row["anchor"][0].Value), "CNN")
	filter := bigtable.RowFilter(bigtable.ChainFilters(
		bigtable.FamilyFilter("anchor"), bigtable.ColumnFilter("cnnsi\\.com"),
		bigtable.ValueFilter("text [0-9]"), bigtable.LatestNFilter(1)))
	var found int
	check(tbl.ReadRows(ctx, bigtable.PrefixRange("com.site"), func(bigtable.Row) bool {
		found++
		return true
	}, filter))
	expect("rows of a filtered scan", found, 10)
	var count int
	check(tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(bigtable.Row) bool {
		count++
		return true
	}, bigtable.RowFilter(bigtable.ChainFilters(bigtable.CellsPerRowLimitFilter(1), bigtable.StripValueFilter()))))
	expect("rows counted", count, 1001)
	var last string
	check(tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool {
		last = row.Key()
		return true
	}, bigtable.ReverseScan(), bigtable.LimitRows(1)))
	expect("last row", last, "com.site0999")
	keys, err := tbl.SampleRowKeys(ctx)
	check(err)
	expect("samples", keys[0], "com.m")
}

func query(ctx context.Context, client *bigtable.Client) {
	statement, err := client.PrepareStatement(ctx,
		"SELECT _key, CAST(anchor['cnnsi.com'] AS STRING) AS text, anchor FROM go_pages "+
			"WHERE _key BETWEEN @first AND @last AND anchor['cnnsi.com'] LIKE @pattern",
		map[string]bigtable.SQLType{
			"first": bigtable.BytesSQLType{}, "last": bigtable.BytesSQLType{}, "pattern": bigtable.StringSQLType{}})
	check(err)
	bound, err := statement.Bind(map[string]any{
		"first": []byte("com.site0100"), "last": []byte("com.site0119"), "pattern": "%7"})
	check(err)
	look := base64.StdEncoding.EncodeToString([]byte("my.look.ca")) // the library's keys of maps of bytes
	var texts []string
	check(bound.Execute(ctx, func(row bigtable.ResultRow) bool {
		var key []byte
		var text string
		var anchors map[string][]byte
		check(row.GetByName("_key", &key))
		check(row.GetByName("text", &text))
		check(row.GetByName("anchor", &anchors))
		texts = append(texts, string(key)+" "+text+" "+string(anchors[look]))
		return true
	}))
	expect("rows of a query", texts, "[com.site0107 text 107 CNN.com com.site0117 text 117 CNN.com]")

	statement, err = client.PrepareStatement(ctx, "SELECT COUNT(*) AS n FROM go_pages", nil)
	check(err)
	bound, err = statement.Bind(nil)
	check(err)
	check(bound.Execute(ctx, func(row bigtable.ResultRow) bool {
		var n int64
		check(row.GetByName("n", &n))
		expect("rows counted by a query", n, 1001)
		return true
	}))
	_, err = client.PrepareStatement(ctx, "SELECT _key FROM go_page", nil)
	expect("a query of no table is refused", err != nil, true)
}

func change(ctx context.Context, tbl *bigtable.Table) {
	increment := bigtable.NewReadModifyWrite()
	increment.Increment("count", "visits", 40)
	_, err := tbl.ApplyReadModifyWrite(ctx, "com.cnn.www", increment)
	check(err)
	increment = bigtable.NewReadModifyWrite()
	increment.Increment("count", "visits", 2)
	row, err := tbl.ApplyReadModifyWrite(ctx, "com.cnn.www", increment)
	check(err)
	expect("visits", binary.BigEndian.Uint64(row["count"][0].Value), 42)

	deletion := bigtable.NewMutation()
	deletion.DeleteRow()
	var matched bool
	conditional := bigtable.NewCondMutation(bigtable.ValueFilter("CNN"), deletion, nil)
	check(tbl.Apply(ctx, "com.cnn.www", conditional, bigtable.GetCondMutationResult(&matched)))
	expect("condition held", matched, true)
	row, err = tbl.ReadRow(ctx, "com.cnn.www")
	check(err)
	expect("cells after the delete", len(row), 0)
}

// A row comes in one message, for the library ends rows with messages; of a server named by the
// variable it takes messages of 4 MiB, if it is not given a connection that takes more.
func largeConnection() option.ClientOption {
	connection, err := grpc.NewClient(os.Getenv("BIGTABLE_EMULATOR_HOST"),
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(256<<20)))
	check(err)
	return option.WithGRPCConn(connection)
}

func largeCell(ctx context.Context, tbl *bigtable.Table, size int) {
	value := make([]byte, size)
	for i := range value {
		value[i] = byte(i >> 8)
	}
	mutation := bigtable.NewMutation()
	mutation.Set("anchor", "large", 1000, value)
	check(tbl.Apply(ctx, "large", mutation))
	row, err := tbl.ReadRow(ctx, "large")
	check(err)
	expect("a large cell comes back", bytes.Equal(row["anchor"][0].Value, value), true)
}

func main() {
	ctx := context.Background()
	createTable(ctx)
	client, err := bigtable.NewClient(ctx, project, instance)
	check(err)
	defer client.Close()
	tbl := client.Open(table)
	if len(os.Args) > 1 && os.Args[1] == "large" {
		client, err := bigtable.NewClient(ctx, project, instance, largeConnection())
		check(err)
		defer client.Close()
		tbl := client.Open(table)
		for i := 0; i < 3; i++ {
			largeCell(ctx, tbl, 100<<20)
		}
		return
	}
	write(ctx, tbl)
	read(ctx, tbl)
	query(ctx, client)
	change(ctx, tbl)
	largeCell(ctx, tbl, 3<<20)
	admin, err := bigtable.NewAdminClient(ctx, project, instance)
	check(err)
	defer admin.Close()
	check(admin.DropRowRange(ctx, table, "com.site0"))
	check(admin.DeleteTable(ctx, table))
	fmt.Println("ok")
}
