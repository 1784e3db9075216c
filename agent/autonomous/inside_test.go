package autonomous_test

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"maru/agent/llm/llmtest"
	"maru/agent/workflow/node"
)

// only allows these addresses, each with its port.
func only(trusted ...string) func(netip.AddrPort) bool {
	return func(at netip.AddrPort) bool { return slices.Contains(trusted, at.String()) }
}

// TestHTTPRequestInside: what the operator allows is asked by its address or a name
// of it; a redirect or a name that leads elsewhere inside is not followed, and what
// clouds keep keys at is never asked, however much is allowed.
func TestHTTPRequestInside(t *testing.T) {
	t.Parallel()
	secret := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("secret")) }))
	t.Cleanup(secret.Close)
	secretHost := strings.TrimPrefix(secret.URL, "http://")
	mux := http.NewServeMux()
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("inner")) })
	mux.Handle("/away", http.RedirectHandler(secret.URL, http.StatusFound))
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	host := strings.TrimPrefix(server.URL, "http://")
	_, port, err := net.SplitHostPort(host)
	if err != nil {
		t.Fatal(err)
	}
	everything := func(netip.AddrPort) bool { return true }
	for name, c := range map[string]struct {
		allowed func(netip.AddrPort) bool
		url     string
		want    string
	}{
		"allowed":                     {only(host), server.URL, "inner"},
		"allowed_by_name":             {only(host), "http://localhost:" + port, "inner"},
		"a_redirect_leads_elsewhere":  {only(host), server.URL + "/away", "not public"},
		"a_name_leads_elsewhere":      {only("10.0.0.1:" + port), "http://localhost:" + port, "not public"},
		"another_port":                {only(host), secret.URL, "not public"},
		"nothing_is_allowed":          {nil, server.URL, "not public"},
		"keys_of_amazon":              {everything, "http://169.254.169.254/latest/meta-data/", "not public"},
		"keys_of_amazon_by_v6":        {everything, "http://[fd00:ec2::254]/", "not public"},
		"keys_of_amazon_mapped":       {everything, "http://[::ffff:169.254.169.254]/", "not public"},
		"keys_of_amazon_translated":   {everything, "http://[64:ff9b::a9fe:a9fe]/", "not public"},
		"keys_of_containers":          {everything, "http://169.254.170.2/", "not public"},
		"keys_of_azure_are_public":    {nil, "http://168.63.129.16/", "not public"},
		"keys_of_azure":               {everything, "http://168.63.129.16/", "not public"},
		"keys_of_alibaba":             {everything, "http://100.100.100.200/", "not public"},
		"this_machine_by_another_way": {everything, "http://0.0.0.0:" + port, "not public"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t, llmtest.Script())
			d.cfg.HTTP = node.NewHTTPClient(c.allowed)
			asked := strings.TrimPrefix(c.url, "http://")
			asked, _, _ = strings.Cut(asked, "/")
			d.team(line("t", fmt.Sprintf(`{"id":"n","node_type":"http_request","config":{"url":%q,"hosts":[%q,%q]}}`, c.url, asked, secretHost),
				`{"id":"say","node_type":"set_state","config":{"set":{"final_answer":"{{last_output.body}}"}}}`))
			res, err := d.ask("x")
			if got := fmt.Sprint(res.Text, err); !strings.Contains(got, c.want) || strings.Contains(got, "secret") {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}
