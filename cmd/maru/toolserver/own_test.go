package toolserver_test

import (
	"context"
	"log/slog"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"maru/agent/tool"
	"maru/agent/tool/attached"
	"maru/agent/tool/mcp"
	"maru/cmd/maru/toolserver"
	"maru/memory/sqlitestore"
)

// TestServersOfTheFileAreRows: a start keeps one row for a server of the file, begins again when it moved, drops it when it is gone, and
// leaves a server alone that an admin added.
func TestServersOfTheFileAreRows(t *testing.T) {
	t.Parallel()
	record, err := sqlitestore.Open(t.Context(), sqlitestore.Config{Path: filepath.Join(t.TempDir(), "maru.db")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = record.Close() })
	if _, err := record.PutToolServer(t.Context(), attached.Row{Name: "crm", Team: "slack/T1", URL: "https://crm.example.com/mcp", By: "Ann", Created: time.Now()}); err != nil {
		t.Fatal(err)
	}
	// start runs the program's part until the rows are as expected.
	start := func(until func([]attached.Row) bool, own ...mcp.Server) map[string]attached.Row {
		t.Helper()
		registry, err := tool.NewRegistry()
		if err != nil {
			t.Fatal(err)
		}
		pool, err := mcp.New(mcp.Config{Registry: registry, Log: slog.New(slog.DiscardHandler)})
		if err != nil {
			t.Fatal(err)
		}
		f := &toolserver.Follower{Store: record, Pool: pool, HTTP: http.DefaultTransport, Own: own, Every: 10 * time.Millisecond, Timeout: time.Second, Now: time.Now, Log: slog.New(slog.DiscardHandler)}
		ctx, cancel := context.WithCancel(t.Context())
		var running sync.WaitGroup
		running.Go(func() { f.Run(ctx) })
		var list []attached.Row
		for range 500 {
			if list, err = record.ToolServers(t.Context()); err != nil {
				t.Fatal(err)
			}
			if until(list) {
				break
			}
			time.Sleep(10 * time.Millisecond)
		}
		cancel()
		running.Wait()
		rows := map[string]attached.Row{}
		for _, r := range list {
			rows[r.Name] = r
		}
		return rows
	}
	has := func(n int) func([]attached.Row) bool { return func(l []attached.Row) bool { return len(l) == n } }
	at := func(url string) mcp.Server { return mcp.Server{Name: "notes", URL: url} }

	rows := start(has(2), at("https://notes.example.com/mcp"))
	first := rows["notes"]
	if !first.Personal || first.Team != "" || first.URL != "https://notes.example.com/mcp" || rows["crm"].Team != "slack/T1" {
		t.Fatalf("%+v", rows)
	}
	first.Accepted = map[string]attached.Accept{"whoami": {Hash: "h"}}
	if _, err := record.PutToolServer(t.Context(), first); err != nil {
		t.Fatal(err)
	}
	rows = start(has(2), at("https://notes.example.com/mcp"), mcp.Server{Name: "crm", URL: "https://crm.example.org/mcp"})
	if again := rows["notes"]; !again.Created.Equal(first.Created) || again.Accepted["whoami"].Hash != "h" {
		t.Errorf("the next start: %+v", again)
	}
	if rows["crm"].Team != "slack/T1" || rows["crm"].URL != "https://crm.example.com/mcp" {
		t.Errorf("the admin's server: %+v", rows["crm"])
	}
	rows = start(func(l []attached.Row) bool { return strings.Contains(l[len(l)-1].URL, "org") }, at("https://notes.example.org/mcp"))
	if moved := rows["notes"]; moved.URL != "https://notes.example.org/mcp" || len(moved.Accepted) > 0 {
		t.Errorf("a server that moved: %+v", moved)
	}
	if rows = start(has(1)); rows["crm"].Name == "" {
		t.Errorf("without it: %+v", rows)
	}
}
