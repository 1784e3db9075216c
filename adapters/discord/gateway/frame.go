package gateway

import (
	"encoding/json"
	"runtime"
)

// Gateway opcodes.
const (
	opDispatch  = 0
	opHeartbeat = 1
	opIdentify  = 2
	opResume    = 6
	opReconnect = 7
	opInvalid   = 9
	opHello     = 10
	opAck       = 11
)

// frame is a protocol message in either direction.
type frame struct {
	Op   int             `json:"op"`
	Data json.RawMessage `json:"d"`
	Seq  int64           `json:"s,omitempty"` // of a dispatch; 0 for none
	Type string          `json:"t,omitempty"` // of a dispatch
}

// Dispatch is an event.
type Dispatch struct {
	Type string          // such as MESSAGE_CREATE
	Data json.RawMessage // undecoded and unchecked
}

type hello struct {
	Interval int64 `json:"heartbeat_interval"` // milliseconds
}

type identify struct {
	Token      string     `json:"token"`
	Intents    int        `json:"intents"`
	Properties properties `json:"properties"`
	Shard      [2]int     `json:"shard"` // number, count
}

type properties struct {
	OS      string `json:"os"`
	Browser string `json:"browser"`
	Device  string `json:"device"`
}

func newIdentify(token string, intents, shard, shards int) identify {
	return identify{
		Token: token, Intents: intents, Shard: [2]int{shard, shards},
		Properties: properties{OS: runtime.GOOS, Browser: "maru", Device: "maru"},
	}
}

type resume struct {
	Token   string `json:"token"`
	Session string `json:"session_id"`
	Seq     int64  `json:"seq"`
}

// ready holds the fields of READY that the client uses.
type ready struct {
	Session   string `json:"session_id"`
	ResumeURL string `json:"resume_gateway_url"`
}
