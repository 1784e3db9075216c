package config_test

import (
	"net/netip"
	"strings"
	"testing"

	"maru/config"
	"maru/config/network"
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

// TestPublic walks the shapes of addresses by which requests have been led
// inside.
func TestPublic(t *testing.T) {
	t.Parallel()
	for _, inside := range []string{
		"127.0.0.1", "127.1.2.3", "0.0.0.0", "0.1.2.3", "10.0.0.1", "10.255.255.255", "172.16.0.1", "172.31.255.255", "192.168.1.1", "169.254.169.254",
		"169.254.170.2", "100.64.0.1", "100.127.255.255", "192.0.0.1", "192.0.0.192", "192.0.2.1", "192.88.99.1", "198.18.0.1", "198.19.255.255", "198.51.100.7",
		"203.0.113.9", "224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.255", "::", "::1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:169.254.169.254",
		"::ffff:0:0", "::127.0.0.1", "::10.0.0.1", "::ffff:7f00:1", "fe80::1", "fe80::1%eth0", "febf::1", "fc00::1", "fd00:ec2::254", "fdff::1",
		"fec0::1", "ff02::1", "ff0e::1", "64:ff9b::7f00:1", "64:ff9b::a00:1", "64:ff9b::a9fe:a9fe", "64:ff9b:1::1", "::ffff:0:127.0.0.1", "::ffff:0:8.8.8.8", "2002:7f00:1::", "2002:a00:1::1", "2002:c0a8:101::1",
		"2002:a9fe:a9fe::1", "2001::1", "2001:0:4136:e378:8000:63bf:3fff:fdd2", "2001:db8::1", "2001:10::1", "2001:20::1", "100::1", "3fff::1", "5f00::1", "::1%lo",
		"::ffff:192.168.0.1", "::ffff:100.64.0.1",
	} {
		if network.Public(netip.MustParseAddr(inside)) {
			t.Errorf("%s passes for public", inside)
		}
	}
	for _, outside := range []string{"8.8.8.8", "1.1.1.1", "172.32.0.1", "100.128.0.1", "2606:4700::1111", "64:ff9b::808:808", "2002:808:808::1", "::ffff:8.8.8.8"} {
		if !network.Public(netip.MustParseAddr(outside)) {
			t.Errorf("%s does not pass for public", outside)
		}
	}
	if network.Public(netip.Addr{}) {
		t.Error("no address passes for public")
	}
}
