package config_test

import (
	"net/netip"
	"strings"
	"testing"

	"maru/config"
)

// TestInnerNetworks: what the operator wrote is what is held, and nothing beside it.
func TestInnerNetworks(t *testing.T) {
	t.Parallel()
	c, _, err := config.Load(config.Source{Environ: []string{"MARU_HTTP_INSIDE=10.1.2.3, 10.1.2.4:8080,192.168.7.9/24, [fd00::1]:443 , fd01::/16"}})
	if err != nil {
		t.Fatal(err)
	}
	for at, want := range map[string]bool{
		"10.1.2.3:1": true, "[::ffff:10.1.2.3]:80": true, "10.1.2.4:8080": true, "10.1.2.4:80": false, "10.1.2.5:80": false,
		"192.168.7.200:80": true, "192.168.8.1:80": false, "[fd00::1]:443": true, "[fd00::1]:80": false, "[fd01::9]:80": true, "127.0.0.1:80": false,
	} {
		if got := c.Workflows.Inside.Holds(netip.MustParseAddrPort(at)); got != want {
			t.Errorf("%s is held: %v", at, got)
		}
	}
	c, _, err = from(nil, "workflows:\n  http_inside: [10.1.2.3, \"10.9.0.0/16\"]\n")
	if err != nil || !c.Workflows.Inside.Holds(netip.MustParseAddrPort("10.9.1.1:80")) || !c.Workflows.Inside.Holds(netip.MustParseAddrPort("10.1.2.3:80")) {
		t.Errorf("of the YAML file: %v, %v", c.Workflows.Inside, err)
	}
	for value, want := range map[string]string{
		"grafana.internal": "a name may lead anywhere", "10.0.0.0/33": "use addresses", "10.1.2.3:0": "use addresses", "10.1.2.3:99999": "use addresses",
		"fe80::1%eth0": "use addresses", "http://10.1.2.3": "use addresses", "169.254.169.254": "never asked", "169.254.0.0/16": "never asked",
		"10.1.2.3, [fe80::1]:80": "never asked", "*": "use addresses",
	} {
		if _, _, err := config.Load(config.Source{Environ: []string{"MARU_HTTP_INSIDE=" + value}}); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "MARU_HTTP_INSIDE") {
			t.Errorf("%s: %v", value, err)
		}
	}
}

// TestEverySettingIsShown: who sets something sees it where settings are listed.
func TestEverySettingIsShown(t *testing.T) {
	t.Parallel()
	const inside = "10.1.2.3,10.1.2.4:8080,192.168.7.0/24,[fd00::1]:443"
	c, _, err := config.Load(config.Source{Environ: []string{"MARU_HTTP_INSIDE=" + inside, "MODEL_PRICES=m=1/2", "OPENAI_TEMPERATURE=0.5"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range c.Values() {
		if v.Text == "" && v.From != "" {
			t.Errorf("%s is shown as %q and comes from %q", v.Var, v.Text, v.From)
		}
		if v.Var == "MARU_HTTP_INSIDE" && v.Text != inside {
			t.Errorf("%s is shown as %q", v.Var, v.Text)
		}
	}
}
