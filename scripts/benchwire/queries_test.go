package benchwire

import (
	"bufio"
	"cmp"
	"encoding/binary"
	"fmt"
	"io"
	"maps"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"maru/memory/memtest/servers"
)

// tally counts statements and round trips.
type tally struct {
	mu   sync.Mutex
	n    map[string]int
	trip int
}

func (c *tally) add(what string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n[what]++
}

func (c *tally) roundTrip() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.trip++
}

func (c *tally) reset() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n, c.trip = map[string]int{}, 0
}

// list renders the counts for each of so many messages, most frequent first.
func (c *tally) list(messages int) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var b strings.Builder
	sum := 0
	for _, n := range c.n {
		sum += n
	}
	fmt.Fprintf(&b, "%.1f round trips and %.1f statements a message\n", float64(c.trip)/float64(messages), float64(sum)/float64(messages))
	keys := slices.SortedFunc(maps.Keys(c.n), func(x, y string) int { return cmp.Or(c.n[y]-c.n[x], strings.Compare(x, y)) })
	for _, k := range keys {
		if n := float64(c.n[k]) / float64(messages); n >= 0.1 {
			fmt.Fprintf(&b, "%6.1f  %s\n", n, k)
		}
	}
	return b.String()
}

// spy listens on a port, passes everything on to a Unix socket, and lets read see what clients send.
func spy(t *testing.T, socket string, read func(*bufio.Reader) error) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return // the test is over
			}
			server, err := net.Dial("unix", socket)
			if err != nil {
				_ = client.Close()
				continue
			}
			seen, copied := io.Pipe()
			go func() {
				_ = read(bufio.NewReader(seen)) // ends with the connection
				_, _ = io.Copy(io.Discard, seen)
			}()
			go func() {
				_, _ = io.Copy(io.MultiWriter(server, copied), client)
				_ = copied.Close()
				_ = server.(*net.UnixConn).CloseWrite()
			}()
			go func() {
				_, _ = io.Copy(client, server)
				_ = client.Close()
			}()
		}
	}()
	return l.Addr().String()
}

var spaces = regexp.MustCompile(`\s+`)

// readPostgres follows the frontend's messages of PostgreSQL's protocol: a statement is an Execute or
// a simple query, a round trip a Sync or a simple query.
func (c *tally) readPostgres(r *bufio.Reader) error {
	var size [4]byte
	if _, err := io.ReadFull(r, size[:]); err != nil {
		return err
	}
	if _, err := r.Discard(int(binary.BigEndian.Uint32(size[:])) - 4); err != nil {
		return err // of the start-up message
	}
	texts, bound := map[string]string{}, ""
	for {
		kind, err := r.ReadByte()
		if err != nil {
			return err
		}
		if _, err := io.ReadFull(r, size[:]); err != nil {
			return err
		}
		body := make([]byte, binary.BigEndian.Uint32(size[:])-4)
		if _, err := io.ReadFull(r, body); err != nil {
			return err
		}
		parts := strings.SplitN(string(body), "\x00", 3)
		switch kind {
		case 'P':
			texts[parts[0]] = parts[1]
		case 'B':
			bound = texts[parts[1]]
		case 'E':
			c.add(shorten(bound))
		case 'Q':
			c.add(shorten(parts[0]))
			c.roundTrip()
		case 'S':
			c.roundTrip()
		}
	}
}

func shorten(sql string) string {
	sql = strings.TrimSpace(spaces.ReplaceAllString(sql, " "))
	return sql[:min(len(sql), 150)]
}

var ids = regexp.MustCompile(`[0-9a-f]*[0-9][0-9a-zA-Z._-]*`)

// readRedis follows Redis' protocol: arrays of bulk strings. A round trip is counted for each command that
// is not followed at once by another.
func (c *tally) readRedis(r *bufio.Reader) error {
	for {
		var n int
		line, err := r.ReadString('\n')
		if err != nil {
			return err
		}
		if _, err := fmt.Sscanf(line, "*%d", &n); err != nil {
			return err
		}
		var words []string
		for range n {
			if line, err = r.ReadString('\n'); err != nil {
				return err
			}
			var size int
			if _, err := fmt.Sscanf(line, "$%d", &size); err != nil {
				return err
			}
			word := make([]byte, size+2)
			if _, err := io.ReadFull(r, word); err != nil {
				return err
			}
			words = append(words, string(word[:size]))
		}
		name := strings.ToLower(words[0])
		if len(words) > 1 {
			key := words[1]
			if name == "evalsha" && len(words) > 3 {
				key = words[3]
			}
			name += " " + ids.ReplaceAllString(key, "N")
		}
		c.add(name[:min(len(name), 100)])
		if r.Buffered() == 0 {
			c.roundTrip()
		}
	}
}

// commits counts the transactions in SQLite's write-ahead log, as long as it has not begun again.
func commits(t *testing.T, dir string) (n int) {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(dir, "maru.db-wal"))
	if err != nil || len(raw) < 32 {
		t.Fatalf("write-ahead log: %d bytes, %v", len(raw), err)
	}
	page, salt := int(binary.BigEndian.Uint32(raw[8:])), string(raw[16:24])
	for f := raw[32:]; len(f) >= 24+page && string(f[8:16]) == salt; f = f[24+page:] {
		if binary.BigEndian.Uint32(f[4:]) != 0 {
			n++
		}
	}
	return n
}

// TestWireQueries prints what one message costs the record: the table of docs/operating.md.
func TestWireQueries(t *testing.T) {
	measures(t)
	model := startModel(t)
	pg, rd := servers.StartPostgres(t), servers.StartRedis(t)
	sql, kept := &tally{n: map[string]int{}}, &tally{n: map[string]int{}}
	u, err := url.Parse(pg.URL)
	if err != nil {
		t.Fatal(err)
	}
	r, err := url.Parse(rd.URL)
	if err != nil {
		t.Fatal(err)
	}
	database := "postgres://maru@" + spy(t, filepath.Join(u.Query().Get("host"), ".s.PGSQL.5432"), sql.readPostgres) + "/postgres?sslmode=disable"
	redis := "redis://" + spy(t, r.Path, kept.readRedis) + "/0"
	const messages = 20
	asks := 0
	ask := func(b *slackBench, n int) {
		root := ""
		asks++
		for i := range n {
			m := fmt.Sprintf("%sq%d-%d", mark, asks, i)
			stands := b.await(m)
			if i%turns == 0 {
				root = b.fake.Say("U1", "C90", "<@UBOT> good morning "+m, "")
			} else {
				b.fake.Say("U1", "C90", "and then "+m, root)
			}
			select {
			case <-stands:
			case <-time.After(patience):
				t.Fatal("no answer")
			}
			time.Sleep(100 * time.Millisecond) // what comes after the answer belongs to it
		}
	}
	begin := func(own ...string) *slackBench {
		return newSlackBench(t, false, func(env ...string) *process {
			return startProgram(t, append(append(env, "OPENAI_BASE_URL="+model.URL+"/v1"), own...)...)
		})
	}
	b := begin("DATABASE_URL="+database, "REDIS_URL="+redis)
	ask(b, 3)
	sql.reset()
	kept.reset()
	asked := model.calls.Load()
	ask(b, messages)
	say("\nPostgreSQL: %s\nRedis: %s", sql.list(messages), kept.list(messages))
	say("model: %.1f calls a message", float64(model.calls.Load()-asked)/messages)

	b = begin()
	ask(b, 3)
	sum := 0
	for range messages / turns {
		before := commits(t, b.dir)
		ask(b, turns)
		if after := commits(t, b.dir); after >= before {
			sum += after - before
		} else { // the log began again, which lost a few
			sum += after
		}
	}
	say("SQLite: %.1f transactions a message", float64(sum)/messages)
}
