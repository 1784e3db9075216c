package config

import (
	"encoding/base64"
	"encoding/hex"
	"strings"
	"testing"
)

func TestSealKeys(t *testing.T) {
	t.Parallel()
	raw := []byte("0123456789\xfb\xff23456789abcdef012345")
	std, url, hexed := base64.StdEncoding.EncodeToString(raw), base64.RawURLEncoding.EncodeToString(raw), hex.EncodeToString(raw)
	for _, text := range []string{std, url, hexed, strings.ToUpper(hexed), strings.TrimRight(std, "=")} {
		keys, err := SealKeys(Secret(text))
		if err != nil || len(keys) != 1 || string(keys[0]) != string(raw) {
			t.Errorf("%d letters: %q, %v", len(text), keys, err)
		}
	}
	keys, err := SealKeys(Secret(std + ", " + hex.EncodeToString(make([]byte, 32))))
	if err != nil || len(keys) != 2 || string(keys[0]) != string(raw) {
		t.Errorf("two keys: %d, %v", len(keys), err)
	}
	for _, bad := range []string{"", ",", "correct horse battery staple", std[:20], std + "AAAA", hexed[:62], std + ",x"} {
		if _, err := SealKeys(Secret(bad)); err == nil {
			t.Errorf("%q was taken", bad)
		} else if bad != "" && bad != "," && strings.Contains(err.Error(), bad) {
			t.Errorf("the error repeats the key: %v", err)
		}
	}
}
