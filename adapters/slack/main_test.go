package slack

import (
	"testing"

	"go.uber.org/goleak"
)

// Nothing that the adapter starts outlives Run; idle connections of the HTTP
// client are not the adapter's.
func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m,
		goleak.IgnoreTopFunction("net/http.(*persistConn).readLoop"),
		goleak.IgnoreTopFunction("net/http.(*persistConn).writeLoop"),
		goleak.IgnoreTopFunction("internal/poll.runtime_pollWait"))
}
