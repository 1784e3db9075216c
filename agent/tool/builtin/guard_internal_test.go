package builtin

import (
	"net/netip"
	"testing"
)

// TestIsPublic walks the shapes of addresses by which requests have been led
// inside.
func TestIsPublic(t *testing.T) {
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
		if isPublic(netip.MustParseAddr(inside)) {
			t.Errorf("%s passes for public", inside)
		}
	}
	for _, outside := range []string{"8.8.8.8", "1.1.1.1", "172.32.0.1", "100.128.0.1", "2606:4700::1111", "64:ff9b::808:808", "2002:808:808::1", "::ffff:8.8.8.8"} {
		if !isPublic(netip.MustParseAddr(outside)) {
			t.Errorf("%s does not pass for public", outside)
		}
	}
	if isPublic(netip.Addr{}) || onlyPublic("tcp", "nonsense", nil) == nil || onlyPublic("tcp", "localhost:80", nil) == nil || onlyPublic("tcp", "8.8.8.8:443", nil) != nil {
		t.Error("what is no address passes, or a public one does not")
	}
}
