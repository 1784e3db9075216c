package benchwire

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"maru/memory/memtest/servers"
)

// paced is how often each of the conversations of TestWireReplicas says something.
const paced = time.Second

// TestWireReplicas prints what a message costs the database with one and with three replicas behind a load balancer, at
// the same load: sixteen conversations, one message a second in each.
func TestWireReplicas(t *testing.T) {
	measures(t)
	one := replicas(t, 1)
	three := replicas(t, 3)
	if t.Failed() {
		return
	}
	say("\n%-26s%12s%12s%12s", "a message", "1 replica", "3 replicas", "ratio")
	for _, row := range []struct {
		name       string
		one, three float64
	}{
		{"database CPU, ms", one.database, three.database},
		{"round trips", one.trips, three.trips},
		{"lock waits, ms", one.locks, three.locks},
		{"program CPU, ms", one.cpu, three.cpu},
		{"p50, ms", one.p50, three.p50},
		{"p99, ms", one.p99, three.p99},
	} {
		say("%-26s%12.2f%12.2f%12.2f", row.name, row.one, row.three, row.three/max(row.one, 1e-9))
	}
}

// shared is what was measured of replicas on one database.
type shared struct {
	figures
	trips, locks float64 // a message
}

func replicas(t *testing.T, n int) (out shared) {
	t.Helper()
	t.Run(fmt.Sprint(n), func(t *testing.T) { out = measureReplicas(t, n) })
	return out
}

func measureReplicas(t *testing.T, n int) shared {
	t.Helper()
	model := startModel(t)
	pg, rd := servers.StartPostgres(t), servers.StartRedis(t)
	u, err := url.Parse(pg.URL)
	if err != nil {
		t.Fatal(err)
	}
	sql := &tally{n: map[string]int{}}
	database := "postgres://maru@" + spy(t, filepath.Join(u.Query().Get("host"), ".s.PGSQL.5432"), sql.readPostgres) + "/postgres?sslmode=disable"
	r := record{pids: []int{listener(t, pg.URL), listener(t, rd.URL)}}
	var all []*process
	b := newSlackBench(t, false, func(env ...string) *process {
		env = append(env, "OPENAI_BASE_URL="+model.URL+"/v1", "DATABASE_URL="+database, "REDIS_URL="+rd.URL)
		for range n {
			all = append(all, startProgram(t, env...))
		}
		return all[0]
	})
	b.fake.Deliver(balancer(t, all))
	b.pace(t, 3*time.Second) // what is made once is there
	cpu := func() (sum time.Duration) {
		for _, p := range all {
			sum += cpuOf(t, p.pid)
		}
		return sum
	}
	sql.reset()
	waited, stop := lockWaits(t, pg.URL)
	own, others := cpu(), r.cpu(t)
	begun := time.Now()
	took := b.pace(t, max(*length, 5*paced))
	out := shared{figures: of(took, time.Since(begun))}
	each := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 / float64(len(took)) }
	out.cpu, out.database = each(cpu()-own), each(r.cpu(t)-others)
	stop()
	out.locks = each(time.Duration(waited.Load()))
	sql.mu.Lock()
	out.trips = float64(sql.trip) / float64(len(took))
	sql.mu.Unlock()
	return out
}

// balancer sends each request to the next replica.
func balancer(t *testing.T, all []*process) string {
	t.Helper()
	var proxies []http.Handler
	for _, p := range all {
		proxies = append(proxies, httputil.NewSingleHostReverseProxy(&url.URL{Scheme: "http", Host: p.addr}))
	}
	var next atomic.Int64
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		proxies[next.Add(1)%int64(len(proxies))].ServeHTTP(w, r)
	}))
	t.Cleanup(srv.Close)
	return srv.URL
}

// pace lets people talk in sixteen conversations, in each once a second or when the last answer is there.
func (b *slackBench) pace(t *testing.T, d time.Duration) []time.Duration {
	t.Helper()
	var mu sync.Mutex
	var took []time.Duration
	var all sync.WaitGroup
	b.said++
	end := time.Now().Add(d)
	for i := range 16 {
		all.Go(func() {
			tick := time.NewTicker(paced)
			defer tick.Stop()
			time.Sleep(paced / 16 * time.Duration(i))
			channel, root := fmt.Sprint("C9", i), ""
			for n := 0; time.Now().Before(end); n++ {
				m := fmt.Sprintf("%sp%d-%d-%d", mark, b.said, i, n)
				begun, stands := time.Now(), b.await(m)
				if n%turns == 0 {
					root = b.fake.Say("U1", channel, "<@UBOT> good morning "+m, "")
				} else {
					b.fake.Say("U1", channel, "and then "+m, root)
				}
				select {
				case at := <-stands:
					mu.Lock()
					took = append(took, at.Sub(begun))
					mu.Unlock()
				case <-time.After(patience):
					t.Errorf("%s is not answered within %v", m, patience)
					return
				}
				<-tick.C
			}
		})
	}
	all.Wait()
	if len(took) == 0 {
		t.Fatal("nothing was answered")
	}
	return took
}

// sample is how often lockWaits looks.
const sample = 20 * time.Millisecond

// lockWaits adds up, by samples, how long sessions wait for locks of others until stop is called.
func lockWaits(t *testing.T, database string) (nanoseconds *atomic.Int64, stop func()) {
	t.Helper()
	db, err := pgx.Connect(t.Context(), database)
	if err != nil {
		t.Fatal(err)
	}
	var waited atomic.Int64
	ended, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(sample)
		defer tick.Stop()
		last := time.Now()
		for {
			var n int64
			if err := db.QueryRow(t.Context(), "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'").Scan(&n); err != nil {
				t.Errorf("look for lock waits: %v", err)
				return
			}
			now := time.Now()
			waited.Add(n * int64(now.Sub(last)))
			last = now
			select {
			case <-ended:
				return
			case <-tick.C:
			}
		}
	}()
	return &waited, func() {
		close(ended)
		<-done
		_ = db.Close(t.Context())
	}
}
