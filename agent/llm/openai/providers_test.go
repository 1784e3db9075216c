package openai_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"maru/agent/llm"
	"maru/agent/llm/openai"
)

var update = flag.Bool("update", false, "write the goldens anew")

// provider is a service or server with an OpenAI-compatible door, as its documents and public
// reports show it. None of them was asked: the bodies have the documented shapes, with our words.
type provider struct {
	source  string // where the shapes are from
	base    string // path of the base URL
	azure   bool
	model   string
	kind    string // of its replies; "" for a stream
	call    string // the reply that calls the calculator
	says    string // the last reply
	refuses func(m map[string]any, raw string) (status int, body string)
	learns  string // what is not sent from then on
	usage   llm.Usage
}

// openAI's own shapes, which many servers share.
const (
	callID     = `"id":"call_1","type":"function","function":{"name":"calculator","arguments":"{\"expression\":\"12*34\"}"}`
	plainCall  = `{"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":null,"tool_calls":[{"index":0,` + callID + `}]},"finish_reason":null}]}`
	plainEnd   = `{"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}`
	plainSays  = `{"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":"It is 408."},"finish_reason":"stop"}]}`
	plainUsage = `{"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[],"usage":{"prompt_tokens":20,"completion_tokens":5,"total_tokens":25}}`
)

// lacks refuses requests whose body holds a text.
func lacks(what string, status int, body string) func(map[string]any, string) (int, string) {
	return func(_ map[string]any, raw string) (int, string) {
		if strings.Contains(raw, what) {
			return status, body
		}
		return 0, ""
	}
}

var providers = map[string]provider{
	"openai": {
		source: "https://platform.openai.com/docs/api-reference/chat-streaming; reasoning models: github.com/teilomillet/repowise#987",
		base:   "/v1", model: "gpt-5-mini",
		call: events(plainCall, plainEnd, plainUsage, "[DONE]"), says: events(plainSays, `{"id":"c","choices":[],"usage":{"prompt_tokens":20,"completion_tokens":5,"total_tokens":25,"prompt_tokens_details":{"cached_tokens":16},"completion_tokens_details":{"reasoning_tokens":0}}}`, "[DONE]"),
		refuses: func(m map[string]any, _ string) (int, string) {
			if m["max_tokens"] != nil || m["temperature"] != nil {
				return 400, `{"error":{"message":"Unsupported parameter","type":"invalid_request_error","param":null,"code":"unsupported_parameter"}}`
			}
			return 0, ""
		},
		usage: llm.Usage{Input: 20, Output: 5, Cached: 16},
	},
	"azure": {
		source: "https://learn.microsoft.com/azure/ai-services/openai/reference (api-key, api-version, prompt_filter_results in a chunk without choices)",
		azure:  true, model: "my-deployment",
		call:  events(`{"choices":[],"created":0,"id":"","model":"","object":"","prompt_filter_results":[{"prompt_index":0,"content_filter_results":{"hate":{"filtered":false,"severity":"safe"}}}]}`, plainCall, plainEnd, "[DONE]"),
		says:  events(`{"id":"c","choices":[{"index":0,"content_filter_results":{},"content_filter_offsets":{"check_offset":44},"delta":{"content":"It is 408."},"finish_reason":"stop"}]}`, plainUsage, "[DONE]"),
		usage: llm.Usage{Input: 20, Output: 5},
	},
	"anthropic": {
		source: "https://docs.anthropic.com/en/api/openai-sdk (strict and response_format are ignored)",
		base:   "/v1", model: "claude-opus-5-5", kind: piece,
		call:  `{"id":"msg_1","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"I will calculate.","tool_calls":[{` + callID + `}],"refusal":null},"finish_reason":"tool_calls","logprobs":null}],"usage":{"prompt_tokens":20,"completion_tokens":5,"total_tokens":25,"prompt_tokens_details":null}}`,
		says:  `{"id":"msg_2","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"It is 408."},"finish_reason":"stop"}],"usage":{"prompt_tokens":20,"completion_tokens":5,"total_tokens":25}}`,
		usage: llm.Usage{Input: 20, Output: 5},
	},
	"gemini": {
		source: "https://ai.google.dev/gemini-api/docs/thought-signatures#openai; noho/dayu-agent#45 (no index), earendil-works/pi#3234; errors in a list: securo-finance/securo#884",
		base:   "/v1beta/openai", model: "gemini-3-pro",
		call: events(`{"choices":[{"delta":{"role":"assistant","tool_calls":[{"extra_content":{"google":{"thought_signature":"EjQKMgEM"}},`+callID+`}]},"finish_reason":"tool_calls","index":0}],"created":1,"id":"x","model":"m","object":"chat.completion.chunk","usage":{"completion_tokens":5,"prompt_tokens":20,"total_tokens":40}}`, "[DONE]"),
		says: events(`{"choices":[{"delta":{"content":"It is 408.","role":"assistant","extra_content":{"google":{"thought_signature":"Eic="}}},"finish_reason":"stop","index":0}],"usage":{"completion_tokens":5,"prompt_tokens":20,"total_tokens":40}}`, "[DONE]"),
		refuses: func(_ map[string]any, raw string) (int, string) {
			if strings.Contains(raw, `"tool_call_id"`) && !strings.Contains(raw, `"extra_content":{"google":{"thought_signature":"EjQKMgEM"}}`) {
				return 400, `[{"error":{"code":400,"message":"Function call is missing a thought_signature in functionCall parts.","status":"INVALID_ARGUMENT"}}]`
			}
			return 0, ""
		},
		usage: llm.Usage{Input: 20, Output: 5},
	},
	"deepseek": {
		source: "https://api-docs.deepseek.com/guides/thinking_mode; openai/openai-agents-python#2155",
		base:   "", model: "deepseek-v4-pro",
		call: events(`{"choices":[{"index":0,"delta":{"role":"assistant","content":null,"reasoning_content":"I need "}}]}`, `{"choices":[{"index":0,"delta":{"content":null,"reasoning_content":"it."}}]}`, plainCall, plainEnd, "[DONE]"),
		says: events(`{"choices":[{"index":0,"delta":{"content":"It is 408."},"finish_reason":"stop"}],"usage":{"prompt_tokens":20,"completion_tokens":5,"total_tokens":25,"prompt_cache_hit_tokens":8,"prompt_cache_miss_tokens":12}}`, "[DONE]"),
		refuses: func(_ map[string]any, raw string) (int, string) {
			if strings.Contains(raw, `"json_schema"`) { // github.com/langchain-ai/langchain/issues/29282 and others
				return 400, `{"error":{"message":"This response_format type is unavailable now","type":"invalid_request_error","param":null,"code":"invalid_request_error"}}`
			}
			if strings.Contains(raw, `"tool_call_id"`) && !strings.Contains(raw, `"reasoning_content":"I need it."`) {
				return 400, "{\"error\":{\"message\":\"Missing `reasoning_content` field in the assistant message at message index 2.\",\"type\":\"invalid_request_error\",\"param\":null,\"code\":\"invalid_request_error\"}}"
			}
			return 0, ""
		},
		learns: "response_format",
		usage:  llm.Usage{Input: 20, Output: 5, Cached: 8},
	},
	"dashscope": {
		source: "https://help.aliyun.com/zh/model-studio/compatibility-of-openai-with-dashscope; QwenLM/qwen-code#3652",
		base:   "/compatible-mode/v1", model: "qwen-plus",
		call:  events(`{"choices":[{"delta":{"content":null,"tool_calls":[{"index":0,"id":"call_1","type":"function","function":{"name":"calculator","arguments":""}}]},"index":0,"logprobs":null,"finish_reason":null}],"system_fingerprint":null}`, `{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"","type":"function","function":{"arguments":"{\"expression\":\"12*34\"}"}}]},"finish_reason":null,"index":0}]}`, plainEnd, "[DONE]"),
		says:  events(plainSays, plainUsage, "[DONE]"),
		usage: llm.Usage{Input: 20, Output: 5},
	},
	"mistral": {
		source: "charmbracelet/crush#1590, OpenMinis/OpenMinis#87 (a closed schema: 422 extra_forbidden), editor-code-assistant/eca#231; https://docs.mistral.ai/capabilities/reasoning (content as parts)",
		base:   "/v1", model: "magistral-medium",
		call: events(`{"id":"c","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"role":"assistant","content":[{"type":"thinking","thinking":[{"type":"text","text":"hm"}]}]},"finish_reason":null}]}`,
			`{"id":"c","choices":[{"index":0,"delta":{"content":"","reasoning_content":"hm","tool_calls":[{"id":"call_1","function":{"name":"calculator","arguments":"{\"expression\":\"12*34\"}"},"index":0}]},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":20,"completion_tokens":5,"total_tokens":25}}`, "[DONE]"),
		says:    events(`{"id":"c","choices":[{"index":0,"delta":{"content":[{"type":"text","text":"It is 408."}]},"finish_reason":"stop"}],"usage":{"prompt_tokens":20,"completion_tokens":5,"total_tokens":25}}`, "[DONE]"),
		refuses: lacks(`"reasoning_content"`, 422, `{"object":"error","message":{"detail":[{"type":"extra_forbidden","loc":["body","messages",2,"assistant","reasoning_content"],"msg":"Extra inputs are not permitted","input":"hm"}]},"type":"invalid_request_error","param":null,"code":null}`),
		learns:  "members that came with earlier replies",
		usage:   llm.Usage{Input: 20, Output: 5},
	},
	"xai": {
		source: "https://docs.x.ai/docs/guides/function-calling (calls whole in one chunk), https://docs.apiyi.com/en/api-capabilities/grok/chat (reasoning_content)",
		base:   "/v1", model: "grok-4.3",
		call:  events(`{"id":"c","choices":[{"index":0,"delta":{"role":"assistant","reasoning_content":"Let me see."}}]}`, `{"id":"c","choices":[{"index":0,"delta":{"role":"assistant","content":"","tool_calls":[{`+callID+`,"index":0}]},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":20,"completion_tokens":5,"total_tokens":60,"prompt_tokens_details":{"text_tokens":20,"audio_tokens":0,"image_tokens":0,"cached_tokens":4},"num_sources_used":0}}`, "[DONE]"),
		says:  events(plainSays, `{"id":"c","choices":[],"usage":{"prompt_tokens":20,"completion_tokens":5,"total_tokens":60,"prompt_tokens_details":{"text_tokens":20,"cached_tokens":4},"num_sources_used":0}}`, "[DONE]"),
		usage: llm.Usage{Input: 20, Output: 5, Cached: 4},
	},
	"groq": {
		source: "tashfeenahmed/freellmapi#1070, SimonSchubert/Kai#265 (400: reasoning is unsupported); https://console.groq.com/docs/api-reference (x_groq)",
		base:   "/openai/v1", model: "openai/gpt-oss-120b",
		call:    events(`{"id":"c","choices":[{"index":0,"delta":{"role":"assistant","channel":"analysis","reasoning":"hm"}}],"x_groq":{"id":"req_1"}}`, plainCall, `{"id":"c","choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}],"x_groq":{"id":"req_1","usage":{"queue_time":0.05,"prompt_tokens":20,"prompt_time":0.01,"completion_tokens":5,"completion_time":0.1,"total_tokens":25,"total_time":0.11}}}`, "[DONE]"),
		says:    events(plainSays, `{"id":"c","choices":[],"usage":{"queue_time":0.05,"prompt_tokens":20,"prompt_time":0.01,"completion_tokens":5,"total_tokens":25,"total_time":0.11}}`, "[DONE]"),
		refuses: lacks(`"reasoning"`, 400, `{"error":{"message":"'messages.2' : for 'role:assistant' the following must be satisfied[('messages.2' : property 'reasoning' is unsupported)]","type":"invalid_request_error"}}`),
		learns:  "members that came with earlier replies",
		usage:   llm.Usage{Input: 20, Output: 5},
	},
	"openrouter": {
		source: "https://openrouter.ai/docs/api-reference/streaming (comments), https://openrouter.ai/docs/use-cases/reasoning-tokens (reasoning_details go back)",
		base:   "/api/v1", model: "anthropic/claude-sonnet-4.5",
		call: ": OPENROUTER PROCESSING\n\n" + events(`{"id":"gen-1","provider":"Anthropic","choices":[{"index":0,"delta":{"role":"assistant","content":"","reasoning":"hm","reasoning_details":[{"type":"reasoning.text","text":"h","format":"anthropic-claude-v1","index":0}]},"native_finish_reason":null,"finish_reason":null}]}`,
			`{"id":"gen-1","choices":[{"index":0,"delta":{"reasoning_details":[{"type":"reasoning.text","text":"m","index":0},{"type":"reasoning.text","signature":"c2ln","index":0}]}}]}`, plainCall, `{"id":"gen-1","choices":[{"index":0,"delta":{"content":""},"finish_reason":"tool_calls","native_finish_reason":"tool_use"}]}`, "[DONE]"),
		says: ": OPENROUTER PROCESSING\n\n" + events(plainSays, `{"id":"gen-1","choices":[{"index":0,"delta":{"content":""},"finish_reason":null}],"usage":{"prompt_tokens":20,"completion_tokens":5,"total_tokens":25,"cost":0.0012,"is_byok":false,"prompt_tokens_details":{"cached_tokens":0}}}`, "[DONE]"),
		refuses: func(_ map[string]any, raw string) (int, string) {
			if strings.Contains(raw, `"tool_call_id"`) && !strings.Contains(raw, `"signature":"c2ln"`) {
				return 400, `{"error":{"message":"Provider returned error","code":400,"metadata":{"raw":"thinking blocks must be returned"}}}`
			}
			return 0, ""
		},
		usage: llm.Usage{Input: 20, Output: 5},
	},
	"litellm": {
		source: "BerriAI/litellm#4537 ({} before the arguments), #16895; https://docs.litellm.ai/docs/reasoning_content (thinking_blocks)",
		base:   "", model: "claude",
		call:  events(`{"id":"c","created":1,"choices":[{"index":0,"delta":{"role":"assistant","thinking_blocks":[{"type":"thinking","thinking":"hm","signature":"c2ln"}],"provider_specific_fields":{"citations":null}}}]}`, `{"id":"c","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"call_1","type":"function","function":{"name":"calculator","arguments":"{}"}}]}}]}`, `{"id":"c","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":null,"type":"function","function":{"name":null,"arguments":"{\"expression\":\"12*34\"}"}}]}}]}`, plainEnd, "[DONE]"),
		says:  events(plainSays, plainUsage, "[DONE]"),
		usage: llm.Usage{Input: 20, Output: 5},
	},
	"vllm": {
		source: "https://docs.vllm.ai/en/latest/features/tool_calling.html, vllm-project/vllm#6862; errors: https://docs.vllm.ai/en/latest/serving/openai_compatible_server.html",
		base:   "/v1", model: "qwen3",
		call: events(`{"id":"c","choices":[{"index":0,"delta":{"role":"assistant","content":""},"logprobs":null,"finish_reason":null}]}`, `{"id":"c","choices":[{"index":0,"delta":{"reasoning_content":"hm"},"logprobs":null,"finish_reason":null}]}`, `{"id":"c","choices":[{"index":0,"delta":{"tool_calls":[{"id":"call_1","type":"function","index":0,"function":{"name":"calculator"}}]}}]}`, `{"id":"c","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"expression\":\"12*34\"}"}}]}}]}`, `{"id":"c","choices":[{"index":0,"delta":{"content":""},"finish_reason":"tool_calls","stop_reason":null,"token_ids":null}]}`, "[DONE]"),
		says: events(plainSays, plainUsage, "[DONE]"),
		refuses: func(m map[string]any, _ string) (int, string) {
			list, _ := m["messages"].([]any)
			if first, _ := list[0].(map[string]any); first["role"] == "system" {
				return 400, `{"object":"error","message":"System role not supported","type":"BadRequestError","param":null,"code":400}`
			}
			return 0, ""
		},
		learns: "system messages and messages out of turn",
		usage:  llm.Usage{Input: 20, Output: 5},
	},
	"sglang": {
		source: "sgl-project/sglang#9657, #4550 (null everywhere, matched_stop), #8417 (two ends)",
		base:   "/v1", model: "acbc",
		call:  events(`{"id":"f","object":"chat.completion.chunk","created":1756216933,"model":"acbc","choices":[{"index":0,"delta":{"role":null,"content":null,"reasoning_content":"2","tool_calls":null},"logprobs":null,"finish_reason":null,"matched_stop":null}],"usage":null}`, `{"id":"f","choices":[{"index":0,"delta":{"role":null,"content":null,"reasoning_content":null,"tool_calls":[{`+callID+`,"index":0}]},"finish_reason":null,"matched_stop":null}],"usage":null}`, `{"id":"f","choices":[{"index":0,"delta":{"content":null},"finish_reason":"tool_calls","matched_stop":null}]}`, "[DONE]"),
		says:  events(`{"id":"f","choices":[{"index":0,"delta":{"role":"assistant","content":"It is 408."},"finish_reason":"stop","matched_stop":151645}]}`, `{"id":"f","choices":[{"index":0,"delta":{},"finish_reason":"stop","matched_stop":151645}]}`, plainUsage, "[DONE]"),
		usage: llm.Usage{Input: 20, Output: 5},
	},
	"tgi": {
		source: "huggingface/text-generation-inference#2145, huggingface/huggingface_hub#2514 (422, error_type); finish_reason eos_token, arguments as an object",
		base:   "/v1", model: "tgi", kind: piece,
		call:    `{"object":"chat.completion","id":"","created":1719826391,"model":"m","system_fingerprint":"2.1.0-native","choices":[{"index":0,"message":{"role":"assistant","tool_calls":[{"id":"0","type":"function","function":{"description":null,"name":"calculator","arguments":{"expression":"12*34"}}}]},"logprobs":null,"finish_reason":"eos_token"}],"usage":{"prompt_tokens":20,"completion_tokens":5,"total_tokens":25}}`,
		says:    `{"object":"chat.completion","id":"","created":1719826391,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"It is 408."},"logprobs":null,"finish_reason":"eos_token"}],"usage":{"prompt_tokens":20,"completion_tokens":5,"total_tokens":25}}`,
		refuses: lacks(`"temperature"`, 422, `{"error":"Input validation error: parameter must be strictly positive","error_type":"validation"}`),
		learns:  "temperature, token limit and stream_options",
		usage:   llm.Usage{Input: 20, Output: 5},
	},
	"llamacpp": {
		source: "ggml-org/llama.cpp#15780 (errors), tools/server/README.md (timings; reasoning_content)",
		base:   "/v1", model: "qwen",
		call:    events(`{"choices":[{"finish_reason":null,"index":0,"delta":{"role":"assistant","content":null}}],"created":1,"id":"c","model":"m","system_fingerprint":"b6000-1","object":"chat.completion.chunk"}`, `{"choices":[{"finish_reason":null,"index":0,"delta":{"tool_calls":[{"index":0,"id":"call_1","type":"function","function":{"name":"calculator","arguments":""}}]}}]}`, `{"choices":[{"finish_reason":null,"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"expression\":\"12*34\"}"}}]}}]}`, `{"choices":[{"finish_reason":"tool_calls","index":0,"delta":{}}],"timings":{"prompt_n":20,"predicted_ms":120.5}}`, "[DONE]"),
		says:    events(plainSays, `{"choices":[],"usage":{"completion_tokens":5,"prompt_tokens":20,"total_tokens":25},"timings":{"prompt_n":20,"prompt_per_second":38.1}}`, "[DONE]"),
		refuses: lacks(`"tools"`, 500, `{"error":{"code":500,"message":"tools param requires --jinja flag","type":"server_error"}}`),
		learns:  "tools",
		usage:   llm.Usage{Input: 20, Output: 5},
	},
	"ollama": {
		source: "https://github.com/ollama/ollama/blob/main/docs/openai.md, ollama/ollama#7963 (no index)",
		base:   "/v1", model: "qwen2.5:7b",
		call:  events(`{"id":"chatcmpl-1","object":"chat.completion.chunk","created":1,"model":"m","system_fingerprint":"fp_ollama","choices":[{"index":0,"delta":{"role":"assistant","content":"","reasoning":"hm","tool_calls":[{`+callID+`}]},"finish_reason":null}]}`, `{"id":"chatcmpl-1","choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":"tool_calls"}]}`, "[DONE]"),
		says:  events(plainSays, plainUsage, "[DONE]"),
		usage: llm.Usage{Input: 20, Output: 5},
	},
	"lmstudio": {
		source: "https://lmstudio.ai/docs/app/api/endpoints/openai, https://lmstudio.ai/docs/app/api/tools",
		base:   "/v1", model: "gemma",
		call:  events(`{"id":"chatcmpl-1","object":"chat.completion.chunk","created":1,"model":"m","system_fingerprint":"m","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"123456789","type":"function","function":{"name":"calculator","arguments":""}}]},"logprobs":null,"finish_reason":null}]}`, `{"id":"chatcmpl-1","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"name":null,"arguments":"{\"expression\":\"12*34\"}"}}]},"finish_reason":null}]}`, plainEnd, "[DONE]"),
		says:  events(plainSays, `{"id":"c","choices":[],"usage":{"prompt_tokens":20,"completion_tokens":5,"total_tokens":25},"stats":{}}`, "[DONE]"),
		usage: llm.Usage{Input: 20, Output: 5},
	},
	"bedrock": {
		source: "https://docs.aws.amazon.com/bedrock/latest/userguide/inference-chat-completions.html, …/model-parameters-openai.html (gpt-oss thinks in a <reasoning> block of its content)",
		base:   "/openai/v1", model: "openai.gpt-oss-120b-1:0", kind: piece,
		call:  `{"id":"chatcmpl-1","object":"chat.completion","created":1,"model":"m","service_tier":"default","system_fingerprint":"x","choices":[{"index":0,"message":{"role":"assistant","content":"<reasoning>hm</reasoning>","tool_calls":[{` + callID + `}],"refusal":null,"annotations":null,"audio":null},"finish_reason":"tool_calls","logprobs":null}],"usage":{"prompt_tokens":20,"completion_tokens":5,"total_tokens":25}}`,
		says:  `{"id":"chatcmpl-2","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"<reasoning>It is simple.</reasoning>It is 408."},"finish_reason":"stop"}],"usage":{"prompt_tokens":20,"completion_tokens":5,"total_tokens":25}}`,
		usage: llm.Usage{Input: 20, Output: 5},
	},
	"vertex": {
		source: "earendil-works/pi#6733 (extra_content.vertex), NousResearch/hermes-agent#69231 (words beside a call: 400 INVALID_ARGUMENT)",
		base:   "/v1/projects/p/locations/global/endpoints/openapi", model: "google/gemini-3.1-pro",
		call: events(`{"choices":[{"delta":{"content":"Let me calculate. ","role":"assistant","tool_calls":[{"extra_content":{"vertex":{"thought_signature":"AY89"}},"index":0,`+callID+`}]},"finish_reason":"tool_calls","index":0,"logprobs":null}],"created":1,"id":"x","usage":{"completion_tokens":5,"prompt_tokens":20,"total_tokens":25,"extra_properties":{"google":{"traffic_type":"ON_DEMAND"}}}}`, "[DONE]"),
		says: events(plainSays, plainUsage, "[DONE]"),
		refuses: func(m map[string]any, raw string) (int, string) {
			list, _ := m["messages"].([]any)
			for _, one := range list {
				msg, _ := one.(map[string]any)
				if text, _ := msg["content"].(string); msg["tool_calls"] != nil && (text != "" || !strings.Contains(raw, `"thought_signature":"AY89"`)) {
					return 400, `[{"error":{"code":400,"message":"Request contains an invalid argument.","status":"INVALID_ARGUMENT"}}]`
				}
			}
			return 0, ""
		},
		learns: "several calls, or words, in a message that calls",
		usage:  llm.Usage{Input: 20, Output: 5},
	},
}

// TestProviders has a tool called, an answer given and a route chosen by each of them, and compares all requests,
// with the headers that matter, with those of testdata/providers.
func TestProviders(t *testing.T) {
	t.Parallel()
	for name, p := range providers {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if p.source == "" {
				t.Error("no source")
			}
			var mu sync.Mutex
			var sent []map[string]any
			srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				raw, err := io.ReadAll(r.Body)
				if err != nil {
					t.Error(err)
				}
				var body map[string]any
				if err := json.Unmarshal(raw, &body); err != nil {
					t.Error(err)
				}
				mu.Lock()
				sent = append(sent, map[string]any{"path": r.URL.RequestURI(), "authorization": r.Header.Get("Authorization"), "api-key": r.Header.Get("Api-Key"),
					"accept": r.Header.Get("Accept"), "content-type": r.Header.Get("Content-Type"), "body": body})
				mu.Unlock()
				if p.refuses != nil {
					if status, why := p.refuses(body, string(raw)); status != 0 {
						w.Header().Set("Content-Type", piece)
						w.WriteHeader(status)
						_, _ = io.WriteString(w, why)
						return
					}
				}
				kind, reply := p.kind, p.call
				if kind == "" {
					kind = stream
				}
				if bytes.Contains(raw, []byte(`"tool_call_id"`)) || p.learns == "tools" {
					reply = p.says
				}
				if bytes.Contains(raw, []byte(`"response_format"`)) {
					reply = strings.Replace(p.says, "It is 408.", `{\"route\":\"rag\"}`, 1)
				}
				w.Header().Set("Content-Type", kind)
				_, _ = io.WriteString(w, reply)
			}))
			defer srv.Close()
			refusals := openai.RefusalsIn("")
			m, err := openai.New(openai.Config{BaseURL: srv.URL + p.base, Model: p.model, APIKey: "sk-key", Azure: p.azure, Refusals: refusals})
			if err != nil {
				t.Fatal(err)
			}
			defer m.Close()
			cool := 0.2
			req := llm.Request{Temperature: &cool, MaxTokens: 400, Messages: []llm.Message{
				{Role: llm.System, Content: "Be brief."}, {Role: llm.User, Content: "What is 12*34?"},
			}}
			req.Tools = []llm.Tool{{Name: "calculator", Description: "Calculates.", Parameters: json.RawMessage(`{"type":"object","properties":{"expression":{"type":"string"}},"required":["expression"]}`)}}
			resp, err := m.Generate(t.Context(), req, nil)
			if err != nil {
				t.Fatal(err)
			}
			if p.learns != "tools" {
				if c := resp.Message.ToolCalls; len(c) != 1 || c[0].Name != "calculator" || !sameJSON(c[0].Arguments, `{"expression":"12*34"}`) {
					t.Fatalf("calls %+v, text %q", c, resp.Message.Content)
				}
				req.Messages = append(req.Messages, resp.Message, llm.Message{Role: llm.ToolRole, Name: "calculator", ToolCallID: resp.Message.ToolCalls[0].ID, Content: "408"})
				if resp, err = m.Generate(t.Context(), req, nil); err != nil {
					t.Fatal(err)
				}
			}
			if resp.Message.Content != "It is 408." || resp.Usage != p.usage {
				t.Errorf("answer %q, usage %+v", resp.Message.Content, resp.Usage)
			}
			var to struct {
				Route string `json:"route"`
			}
			shape := llm.MustShape("route", `{"type":"object","additionalProperties":false,"required":["route"],"properties":{"route":{"enum":["rag","agent"]}}}`)
			if to, _, err = llm.Structured[struct {
				Route string `json:"route"`
			}](t.Context(), m, llm.Request{Messages: req.Messages[:2]}, shape); err != nil || to.Route != "rag" {
				t.Errorf("route %+v, %v", to, err)
			}
			learned := ""
			for _, l := range refusals.Learned(time.Now()) {
				learned += l.What
			}
			if learned != p.learns {
				t.Errorf("learned %q, want %q", learned, p.learns)
			}
			got, err := json.MarshalIndent(sent, "", "  ")
			if err != nil {
				t.Fatal(err)
			}
			file := filepath.Join("testdata", "providers", name+".json")
			if *update {
				if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(file, append(got, '\n'), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil || !sameJSON(got, string(want)) {
				t.Errorf("%v; sent %s", err, got)
			}
		})
	}
}

func sameJSON(a []byte, b string) bool {
	var x, y any
	if json.Unmarshal(a, &x) != nil || json.Unmarshal([]byte(b), &y) != nil {
		return false
	}
	p, _ := json.Marshal(x)
	q, _ := json.Marshal(y)
	return bytes.Equal(p, q)
}
