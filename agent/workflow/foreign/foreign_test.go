package foreign_test

import (
	"testing"

	"maru/agent/workflow/foreign"
)

func TestFormat(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ text, want string }{
		"n8n":              {`{"name":"x","nodes":[{"parameters":{},"type":"n8n-nodes-base.webhook","typeVersion":1}],"connections":{}}`, "n8n"},
		"n8n_with_a_note":  {`{"nodes":["note",{"type":"@n8n/n8n-nodes-langchain.agent"}],"connections":{},"settings":7}`, "n8n"},
		"langflow":         {`{"id":"1","data":{"nodes":[{"data":{"type":"Prompt"}}],"edges":[]},"name":"x"}`, "Langflow"},
		"flowise":          {`{"nodes":[{"id":"a","type":"customNode","data":{"inputAnchors":[]}}],"edges":[]}`, "Flowise"},
		"node_red":         {`[{"id":"1","type":"tab"},{"id":"2","type":"inject","wires":[["3"]]}]`, "Node-RED"},
		"step_functions":   {`{"Comment":"x","StartAt":"A","States":{"A":{"Type":"Pass","End":true}}}`, "AWS Step Functions"},
		"make":             {`{"name":"x","flow":[{"id":1,"module":"gateway:CustomWebHook"}]}`, "Make"},
		"dify":             {"app:\n  mode: workflow\nkind: app\nversion: 0.1.0\nworkflow:\n  graph: {}\n", "Dify"},
		"dify_kind_first":  {"kind: app\napp:\n  mode: chat\nmodel_config:\n  x: 1\n", "Dify"},
		"github_actions":   {"name: CI\non:\n  push:\njobs:\n  test:\n    runs-on: x\n", "GitHub Actions"},
		"bpmn":             {`<?xml version="1.0"?><bpmn:definitions xmlns:bpmn="http://www.omg.org/spec/BPMN/20100524/MODEL"/>`, "BPMN"},
		"maru":             {`{"id":"a","nodes":[{"id":"start","node_type":"start"}],"edges":[]}`, ""},
		"maru_with_a_slip": {`{"id":"a","nodes":[{"id":"start","type":"start"}],"edges":[{"from":"a","to":"b"}]}`, ""},
		"other_json":       {`{"data":{"nodes":3},"kind":1}`, ""},
		"half_a_file":      {`{"nodes":[{"type":"n8n-nodes-base.x"`, ""},
		"words":            {"when somebody asks, answer", ""},
		"nothing":          {"", ""},
	} {
		if got := foreign.Format([]byte(tt.text)); got != tt.want {
			t.Errorf("%s is of %q, want %q", name, got, tt.want)
		}
	}
}
