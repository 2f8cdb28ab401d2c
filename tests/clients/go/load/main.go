// One workload of the Go client against a Cloud Bigtable API, with what it cost the server.
// SPDX-License-Identifier: Apache-2.0
//
//	BIGTABLE_EMULATOR_HOST=HOST:PORT api_load WORKLOAD SERVER_PID
//
// WORKLOAD: bulk | write | read | scan | rmw | cam, in this order on a fresh server. Prints
// "workload <tab> operations a second <tab> server CPU us an operation <tab> p50 us <tab> p99 us";
// a row of a bulk write or of a scan is an operation. rmw increments a counter of a random row, cam
// sets a cell if the row has another. crowd, alone on a fresh server, reads 3,000 rows of 1 MB at
// once and prints "crowd <tab> MB at the peak <tab> MB a minute later".
package main

import (
	"context"
	"fmt"
	"log"
	"math/rand"
	"os"
	"sort"
	"strconv"
	"strings"
	"sync"
	"time"

	"cloud.google.com/go/bigtable"
)

const (
	bulkRows    = 500_000 // what reads, scans and writes go to as well
	rowsACall   = 100
	pointSecond = 8 // of random reads and writes
	valueBytes  = 100
	crowdRows   = 50 // of 1 MB
	crowdReads  = 3_000
)

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func key(i int) string { return fmt.Sprintf("user%010d", i) }

func value(random *rand.Rand) []byte {
	b := make([]byte, valueBytes)
	random.Read(b)
	return b
}

func mutation(random *rand.Rand) *bigtable.Mutation {
	m := bigtable.NewMutation()
	m.Set("f", "field0", bigtable.Timestamp(1000), value(random))
	return m
}

// What a client does in its turn: how many operations; 0: it is done.
type work func(ctx context.Context, t *bigtable.Table, client, turn int, random *rand.Rand) int

func share(client, clients int) (begin, end int) {
	return client * bulkRows / clients, (client + 1) * bulkRows / clients
}

func bulk(ctx context.Context, t *bigtable.Table, client, turn int, random *rand.Rand) int {
	begin, end := share(client, 4)
	begin += turn * rowsACall
	if begin >= end {
		return 0
	}
	var keys []string
	var mutations []*bigtable.Mutation
	for i := begin; i < min(begin+rowsACall, end); i++ {
		keys = append(keys, key(i))
		mutations = append(mutations, mutation(random))
	}
	failed, err := t.ApplyBulk(ctx, keys, mutations)
	check(err)
	for _, err := range failed {
		check(err)
	}
	return len(keys)
}

func scan(ctx context.Context, t *bigtable.Table, client, turn int, _ *rand.Rand) int {
	if turn > 0 {
		return 0
	}
	begin, end := share(client, 4)
	rows := 0
	check(t.ReadRows(ctx, bigtable.NewRange(key(begin), key(end)), func(bigtable.Row) bool {
		rows++
		return true
	}))
	if rows != end-begin {
		log.Fatalf("a scan gave %d rows of %d", rows, end-begin)
	}
	return rows
}

func write(ctx context.Context, t *bigtable.Table, _, _ int, random *rand.Rand) int {
	check(t.Apply(ctx, key(random.Intn(bulkRows)), mutation(random)))
	return 1
}

func read(ctx context.Context, t *bigtable.Table, _, _ int, random *rand.Rand) int {
	row, err := t.ReadRow(ctx, key(random.Intn(bulkRows)))
	check(err)
	if len(row) == 0 {
		log.Fatal("a row is missing")
	}
	return 1
}

func increment(ctx context.Context, t *bigtable.Table, _, _ int, random *rand.Rand) int {
	m := bigtable.NewReadModifyWrite()
	m.Increment("f", "count", 1)
	row, err := t.ApplyReadModifyWrite(ctx, key(random.Intn(bulkRows)), m)
	check(err)
	if len(row["f"]) != 1 {
		log.Fatal("an increment gave no cell")
	}
	return 1
}

func checkAndMutate(ctx context.Context, t *bigtable.Table, _, _ int, random *rand.Rand) int {
	m := bigtable.NewMutation()
	m.Set("f", "checked", bigtable.ServerTime, value(random))
	var matched bool
	condition := bigtable.NewCondMutation(bigtable.ColumnFilter("field0"), m, nil)
	check(t.Apply(ctx, key(random.Intn(bulkRows)), condition, bigtable.GetCondMutationResult(&matched)))
	if !matched {
		log.Fatal("a row is missing")
	}
	return 1
}

func memory(pid, name string) int {
	status, err := os.ReadFile("/proc/" + pid + "/status")
	check(err)
	for _, line := range strings.Split(string(status), "\n") {
		if fields := strings.Fields(line); len(fields) > 1 && fields[0] == name+":" {
			kib, err := strconv.Atoi(fields[1])
			check(err)
			return kib / 1024
		}
	}
	return 0
}

func crowd(ctx context.Context, t *bigtable.Table, pid string) {
	random := rand.New(rand.NewSource(1))
	big := make([]byte, 1_000_000)
	for i := range crowdRows {
		random.Read(big)
		m := bigtable.NewMutation()
		m.Set("f", "big", bigtable.Timestamp(1000), big)
		check(t.Apply(ctx, key(i), m))
	}
	var all sync.WaitGroup
	for i := range crowdReads {
		all.Go(func() {
			row, err := t.ReadRow(ctx, key(i%crowdRows))
			check(err)
			if len(row["f"]) != 1 || len(row["f"][0].Value) != len(big) {
				log.Fatal("a row is not whole")
			}
		})
	}
	all.Wait()
	peak := memory(pid, "VmHWM")
	time.Sleep(time.Minute)
	fmt.Printf("crowd\t%d\t%d\n", peak, memory(pid, "VmRSS"))
}

// Of all threads of the server, so far.
func cpu(pid string) time.Duration {
	stat, err := os.ReadFile("/proc/" + pid + "/stat")
	check(err)
	fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
	user, err := strconv.Atoi(fields[11])
	check(err)
	system, err := strconv.Atoi(fields[12])
	check(err)
	return time.Duration(user+system) * 10 * time.Millisecond // of a tick: 100 Hz everywhere
}

func main() {
	workloads := map[string]struct {
		clients int
		limit   time.Duration // 0: until the work is done
		do      work
	}{
		"bulk": {4, 0, bulk}, "scan": {4, 0, scan},
		"write": {16, pointSecond * time.Second, write}, "read": {16, pointSecond * time.Second, read},
		"rmw": {4, pointSecond * time.Second, increment}, "cam": {4, pointSecond * time.Second, checkAndMutate},
	}
	name, pid := os.Args[1], os.Args[2]
	workload, known := workloads[name]
	if !known && name != "crowd" {
		log.Fatalf("no workload %q", name)
	}
	ctx := context.Background()
	if name == "bulk" || name == "crowd" {
		admin, err := bigtable.NewAdminClient(ctx, "bench", "i")
		check(err)
		check(admin.CreateTable(ctx, "t"))
		check(admin.CreateColumnFamily(ctx, "t", "f"))
	}
	client, err := bigtable.NewClient(ctx, "bench", "i")
	check(err)
	table := client.Open("t")
	if name == "crowd" {
		crowd(ctx, table, pid)
		return
	}
	// The connection is there and everybody is warm.
	if name == "bulk" {
		check(table.Apply(ctx, key(0), mutation(rand.New(rand.NewSource(0)))))
	}
	_, err = table.ReadRow(ctx, key(0))
	check(err)

	counts := make([]int, workload.clients)
	latencies := make([][]time.Duration, workload.clients)
	before, start := cpu(pid), time.Now()
	var all sync.WaitGroup
	for c := range workload.clients {
		all.Go(func() {
			random := rand.New(rand.NewSource(int64(c)))
			for turn := 0; workload.limit == 0 || time.Since(start) < workload.limit; turn++ {
				began := time.Now()
				did := workload.do(ctx, table, c, turn, random)
				if did == 0 {
					return
				}
				counts[c] += did
				latencies[c] = append(latencies[c], time.Since(began))
			}
		})
	}
	all.Wait()
	took, used := time.Since(start), cpu(pid)-before
	operations := 0
	var every []time.Duration
	for c := range counts {
		operations += counts[c]
		every = append(every, latencies[c]...)
	}
	sort.Slice(every, func(i, j int) bool { return every[i] < every[j] })
	fmt.Printf("%s\t%.0f\t%.2f\t%d\t%d\n", name, float64(operations)/took.Seconds(),
		float64(used.Microseconds())/float64(operations),
		every[len(every)/2].Microseconds(), every[len(every)*99/100].Microseconds())
}
