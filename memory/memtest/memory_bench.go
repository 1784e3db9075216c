package memtest

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"maru/memory/longterm"
)

// The size of the benchmark: a thousand people with a hundred records each.
const (
	benchPeople  = 1000
	benchRecords = 100
)

var (
	benchVerbs   = strings.Fields("summarise compare collect translate review plan check draft update find")
	benchThings  = strings.Fields("sales hiring budget incident release customer security contract travel training")
	benchKorean  = strings.Fields("매출 채용 예산 장애 배포 고객 보안 계약 출장 교육")
	benchDetails = strings.Fields("weekly monthly quarterly 서울 부산 대전 urgent shared final 초안")
)

// benchTask returns the i-th task of a person: mixed language, and unlike the others.
func benchTask(i int) string {
	return fmt.Sprintf("%s the %s report %s 자료 %s", benchVerbs[i%10], benchThings[i/10%10], benchKorean[(i/7)%10], benchDetails[(i/3)%10])
}

// BenchMemory measures a search among 100,000 records of 1,000 people. It reports the 50th and 99th percentile in
// milliseconds, this process's CPU time, and the database's CPU time if server returns it: on a busy machine CPU time
// is the cost of a search, and the percentiles include waiting.
func BenchMemory(b *testing.B, s longterm.Store, server func() float64) {
	m := managers(s)
	owner := func(p int) longterm.Owner {
		return longterm.Owner{Person: fmt.Sprint("slack/T1/U", p), Scopes: []string{channelOne}, Home: channelOne}
	}
	fill(b, m, owner)
	var took []time.Duration
	n := 0
	if server == nil {
		server = func() float64 { return 0 }
	}
	before, beforeServer := processorTime(b), server()
	b.ResetTimer()
	for b.Loop() {
		start := time.Now()
		hits, err := m.Tools.Search(b.Context(), owner(n%benchPeople), benchTask(n*13%benchRecords), 5)
		took = append(took, time.Since(start))
		if err != nil || len(hits) == 0 {
			b.Fatalf("search: %d hits, %v", len(hits), err)
		}
		n++
	}
	b.StopTimer()
	b.ReportMetric((processorTime(b)-before)*1000/float64(n), "cpu-ms/op")
	if after := server(); after > 0 {
		b.ReportMetric((after-beforeServer)*1000/float64(n), "server-cpu-ms/op")
	}
	slices.Sort(took)
	at := func(p float64) float64 { return took[int(p*float64(len(took)-1))].Seconds() * 1000 }
	b.ReportMetric(at(0.5), "p50-ms")
	b.ReportMetric(at(0.99), "p99-ms")
}

// fill teaches everybody everything, a few people at a time.
func fill(b *testing.B, m *longterm.Memory, owner func(int) longterm.Owner) {
	b.Helper()
	list, err := m.Tools.All(b.Context(), owner(benchPeople-1))
	if err != nil {
		b.Fatal(err)
	}
	if len(list) == benchRecords { // an earlier round did
		return
	}
	people := make(chan int)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for p := range people {
				for i := range benchRecords {
					l := longterm.ToolLesson{Task: benchTask(i), Tool: fmt.Sprint("tool", i%12), Success: i%5 > 0, Millis: int64(i)}
					if err := m.Tools.Consolidate(b.Context(), owner(p), fmt.Sprint("s", i), later(i), l); err != nil {
						b.Errorf("fill: %v", err)
						return
					}
				}
			}
		})
	}
	for p := range benchPeople {
		people <- p
	}
	close(people)
	all.Wait()
}
