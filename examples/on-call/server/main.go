// Command server is an MCP server over the standard streams with two tools: list_alerts reads a
// file of alerts, acknowledge appends to a log. It stands for a monitoring system's client and
// knows nothing of Maru.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// alert is an open alert as the file has it.
type alert struct {
	ID     string    `json:"id"`
	Name   string    `json:"name"`
	Host   string    `json:"host"`
	Since  time.Time `json:"since"`
	Detail string    `json:"detail"`
}

type noArguments struct{}

type alertList struct {
	Alerts []alert `json:"alerts"`
}

type acknowledgement struct {
	ID   string `json:"id" jsonschema:"id of the alert, such as A-101"`
	Note string `json:"note,omitempty" jsonschema:"what is being done about it"`
}

// desk is the state of the server: where alerts are read and acknowledgements are written.
type desk struct{ alerts, log string }

func main() {
	if len(os.Args) != 3 {
		log.Fatal("usage: server ALERTS.json ACKNOWLEDGED.log")
	}
	d := desk{os.Args[1], os.Args[2]}
	s := mcp.NewServer(&mcp.Implementation{Name: "alerts", Version: "1"}, nil)
	mcp.AddTool(s, &mcp.Tool{Name: "list_alerts", Description: "Lists the open alerts with their host, time and detail."}, d.list)
	mcp.AddTool(s, &mcp.Tool{Name: "acknowledge", Description: "Acknowledges an alert, so that nobody else is paged for it."}, d.acknowledge)
	if err := s.Run(context.Background(), &mcp.StdioTransport{}); err != nil {
		log.Fatal(err)
	}
}

func (d desk) read() ([]alert, error) {
	raw, err := os.ReadFile(d.alerts)
	if err != nil {
		return nil, err
	}
	var all []alert
	if err := json.Unmarshal(raw, &all); err != nil {
		return nil, fmt.Errorf("%s: %w", d.alerts, err)
	}
	return all, nil
}

func (d desk) list(context.Context, *mcp.CallToolRequest, noArguments) (*mcp.CallToolResult, alertList, error) {
	all, err := d.read()
	return nil, alertList{Alerts: all}, err
}

func (d desk) acknowledge(_ context.Context, _ *mcp.CallToolRequest, a acknowledgement) (*mcp.CallToolResult, acknowledgement, error) {
	all, err := d.read()
	if err != nil {
		return nil, acknowledgement{}, err
	}
	for _, open := range all {
		if open.ID != a.ID {
			continue
		}
		f, err := os.OpenFile(d.log, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			return nil, acknowledgement{}, err
		}
		defer f.Close()
		_, err = fmt.Fprintf(f, "%s %s %q\n", time.Now().UTC().Format(time.RFC3339), a.ID, a.Note)
		return nil, a, err
	}
	return nil, acknowledgement{}, fmt.Errorf("there is no open alert %q; list_alerts has the open ones", a.ID)
}
