package builtin

import "testing"

func TestOnlyPublic(t *testing.T) {
	t.Parallel()
	for address, ok := range map[string]bool{"nonsense": false, "localhost:80": false, "10.0.0.1:80": false, "8.8.8.8:443": true} {
		if err := onlyPublic("tcp", address, nil); (err == nil) != ok {
			t.Errorf("%s: %v", address, err)
		}
	}
}
