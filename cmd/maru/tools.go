package main

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"sync"
	"time"

	"maru/agent/llm"
	"maru/agent/tool"
	"maru/agent/tool/attached"
	"maru/agent/tool/builtin"
	"maru/agent/tool/mcp"
	"maru/agent/tool/mcp/grant"
	"maru/bot"
	"maru/bot/account"
	"maru/bot/said"
	"maru/bot/seal"
	"maru/cmd/maru/embedding"
	"maru/cmd/maru/toolserver"
	"maru/memory/longterm"
	"maru/rag/library"
)

// tools holds the agents' tools: the program's own and those of MCP servers.
type tools struct {
	registry *tool.Registry
	finder   *tool.Recommender // selects tools for a task
	mcp      *mcp.Pool
	said     *said.Desk           // searches people's messages
	missing  []builtin.Missing    // unavailable because a setting is missing
	follower *toolserver.Follower // nil without a record
	accounts *account.Vault       // of people at MCP servers; nil without a record
}

// newTools builds the tools. notes stores accepted definitions of MCP servers, nil without a record; memory may be
// nil.
func newTools(ctx context.Context, b base, lib *library.Library, memory *longterm.Memory, e *embedding.Embedders, notes bot.Notes) (*tools, error) {
	t := b.cfg.Tools
	c := builtin.Config{
		OpenWeatherKey: t.OpenWeatherKey.Reveal(), OpenWeatherBaseURL: t.OpenWeatherBaseURL,
		TavilyKey: t.TavilyKey.Reveal(), TavilyBaseURL: t.TavilyBaseURL,
		GoogleKey: t.GoogleKey.Reveal(), GoogleCSE: t.GoogleCSE, GoogleBaseURL: t.GoogleBaseURL,
		WikipediaBaseURL: t.WikipediaBaseURL,
		Python:           t.Python, PythonPath: t.PythonPath, PythonTimeout: t.PythonTimeout, PythonMemory: t.PythonMemory,
		Documents: lib, Proxy: http.ProxyFromEnvironment, TimeZone: b.cfg.Place.Location(), Timeout: t.Timeout, Disabled: t.Disabled,
	}
	if memory != nil {
		c.Memory = memory
	}
	list, missing, err := builtin.All(ctx, c)
	if err != nil {
		return nil, err
	}
	messages := said.New(b.log)
	if slices.Contains(t.Disabled, said.Tool) {
		messages.Disable()
	} else {
		list = append(list, messages)
	}
	registry, err := tool.NewRegistry(list...)
	if err != nil {
		return nil, err
	}
	embedder, err := e.On(bot.SpentTools)
	if err != nil {
		return nil, err
	}
	finder := newFinder(b, embedder, registry)
	vault, client := accounts(b, notes)
	pool, err := newMCP(b, lib.Text, registry, finder, notes, vault)
	return &tools{registry, finder, pool, messages, missing, follower(b, pool, notes, vault, client), vault}, err
}

// follower syncs the MCP servers that admins added; nil without a record.
func follower(b base, pool *mcp.Pool, notes bot.Notes, vault *account.Vault, client grant.Client) *toolserver.Follower {
	store, ok := notes.(attached.Store)
	if !ok || pool == nil {
		return nil
	}
	f := &toolserver.Follower{
		Store: store, Pool: pool, HTTP: client.HTTP, Every: followEvery, Timeout: b.cfg.Tools.Timeout,
		Log: b.log, Wake: make(chan struct{}, 1), Box: seal.New(secrets(b.cfg)), Vault: vault, Client: client, Now: time.Now,
	}
	for _, s := range b.cfg.Tools.MCP {
		if f.Names = append(f.Names, s.Name); s.OAuth {
			f.Own = append(f.Own, mcpServer(s, b.cfg.Tools.Timeout))
		}
	}
	return f
}

// accounts stores people's accounts at MCP servers; nil without a record. Every address that a server names is
// checked when it is dialled.
func accounts(b base, notes bot.Notes) (*account.Vault, grant.Client) {
	client := toolserver.Client(b.cfg)
	record, ok := notes.(account.Record)
	if !ok {
		return nil, client
	}
	box := seal.New(secrets(b.cfg))
	client.Hand = toolserver.Hand(record, box)
	return &account.Vault{Record: record, Box: box, Grants: toolserver.Grants{Client: client}, Log: b.log, Now: time.Now}, client
}

// followEvery is the interval at which a replica checks for MCP servers added on another.
const followEvery = 3 * time.Second

func newFinder(b base, e llm.Embedder, registry *tool.Registry) *tool.Recommender {
	f := tool.NewRecommender(e, b.log)
	f.Add(registry.Specs()...)
	return f
}

// has reports whether a tool exists at present, since those of MCP servers may change.
func (t *tools) has(name string) bool {
	_, _, err := t.registry.Lookup(name)
	return err == nil
}

// withServers runs do while MCP servers are connected.
func (t *tools) withServers(ctx context.Context, do func() error) error {
	running, stop := context.WithCancel(ctx)
	var servers sync.WaitGroup
	var serversErr error
	servers.Go(func() { serversErr = t.run(running) })
	err := do()
	stop()
	servers.Wait()
	return errors.Join(err, serversErr)
}

// run maintains the tools until ctx ends: it follows the MCP servers and embeds all descriptions if there is a
// model for it.
func (t *tools) run(ctx context.Context) error {
	var own sync.WaitGroup
	own.Go(func() { t.finder.Embed(ctx) })
	if t.follower != nil {
		own.Go(func() { t.follower.Run(ctx) })
	}
	err := t.mcp.Run(ctx)
	own.Wait()
	return err
}
