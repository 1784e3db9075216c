package toolserver_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	web "maru/adapters/account"
	"maru/agent/tool/mcp/grant"
	"maru/agent/tool/mcp/grant/grantfake"
	"maru/bot/account"
	"maru/cmd/maru/toolserver"
	"maru/config"
)

// TestSignInWithoutRegistration signs in at a server that registers no clients but reads what Maru says of itself.
func TestSignInWithoutRegistration(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.notes.Set(func(p *grantfake.Options) { p.Closed = true })
	if page := o.goOn(browser(t), o.link()); !strings.Contains(page, "client_id") || o.token(ann) != "" {
		t.Errorf("a server that takes nobody: %s", page)
	}
	mux := http.NewServeMux()
	pages := httptest.NewServer(mux)
	t.Cleanup(pages.Close)
	at := pages.URL + "/oauth/client.json"
	(&web.Server{Desk: o.desk, PublicURL: pages.URL, Document: grant.Document(at, pages.URL, account.Callback(o.pages.URL)), Log: o.logger()}).Mount(mux)
	o.notes.Set(func(p *grantfake.Options) { p.Documents = true })
	o.vault.Grants = toolserver.Grants{Client: grant.Client{HTTP: http.DefaultTransport, Now: o.now, Document: at}}
	if page := o.goOn(browser(t), o.link()); !strings.Contains(page, "signed in at notes") || o.token(ann) == "" {
		t.Errorf("%s", page)
	}
	if f := o.notes.Faults(); len(f) > 0 {
		t.Error(f)
	}
}

// TestClientOfSettings: a document needs an address over https, and clients by hand are told by the address of their server.
func TestClientOfSettings(t *testing.T) {
	t.Parallel()
	for public, want := range map[string]string{"https://maru.example.com/": "https://maru.example.com/oauth/client.json", "http://127.0.0.1:8080": "", "": ""} {
		var c config.Config
		c.HTTP.PublicURL = public
		c.Tools.MCP = []config.MCPServer{{URL: "https://a.example.com/mcp", OAuth: true, Client: "a", Hidden: "s"}, {URL: "https://b.example.com/mcp", OAuth: true}}
		got, doc := toolserver.Client(c), string(toolserver.Document(c))
		if got.Document != want || len(got.Members) != 1 || got.Members["https://a.example.com/mcp"] != (grant.Member{ID: "a", Secret: "s"}) {
			t.Errorf("%q: %+v", public, got)
		}
		if (doc != "") != (want != "") || want != "" && (!strings.Contains(doc, want) || !strings.Contains(doc, `"https://maru.example.com/oauth/callback"`)) {
			t.Errorf("%q: %s", public, doc)
		}
	}
}
