package config_test

import (
	"errors"
	"strings"
	"testing"

	"maru/config"
)

// canary stands for a secret in every bad configuration that has one.
const canary = "c4n4ry-s3cr3t"

// sealKeyHex is a key that can be read.
var sealKeyHex = strings.Repeat("0a", 32)

// bad lists configurations that must be refused: each with exactly one fault
// that names the setting and what to do.
var bad = []struct {
	name string
	env  string // separated by |
	file string
	args string // separated by blanks
	want string // in the fault
}{
	// Platforms.
	{name: "app token alone", env: "SLACK_APP_TOKEN=xapp-" + canary, want: "SLACK_APP_TOKEN is set without SLACK_BOT_TOKEN"},
	{name: "signing secret alone", env: "SLACK_SIGNING_SECRET=" + canary, want: "SLACK_SIGNING_SECRET is set without SLACK_BOT_TOKEN"},
	{name: "bot token alone", env: "SLACK_BOT_TOKEN=xoxb-" + canary, want: "neither SLACK_APP_TOKEN nor SLACK_SIGNING_SECRET"},
	{name: "app token as bot token", env: "SLACK_APP_TOKEN=xapp-1|SLACK_BOT_TOKEN=xapp-" + canary, want: "SLACK_BOT_TOKEN (environment) holds an app-level token: put the token that begins with xoxb- here, and this one into SLACK_APP_TOKEN"},
	{name: "bot token as app token", env: "SLACK_BOT_TOKEN=xoxb-1|SLACK_APP_TOKEN=xoxb-" + canary, want: "holds a bot token"},
	{name: "user token as bot token", env: "SLACK_APP_TOKEN=xapp-1|SLACK_BOT_TOKEN=xoxp-" + canary, want: "holds a user token"},
	{name: "refresh token as bot token", env: "SLACK_APP_TOKEN=xapp-1|SLACK_BOT_TOKEN=xoxe-" + canary, want: "holds a refresh token"},
	{name: "url as bot token", env: "SLACK_APP_TOKEN=xapp-1|SLACK_BOT_TOKEN=https://hooks.slack.com/" + canary, want: "holds a URL"},
	{name: "token as signing secret", env: "SLACK_BOT_TOKEN=xoxb-1|SLACK_SIGNING_SECRET=xapp-" + canary, want: "copy the Signing Secret"},
	{name: "token in quotes", env: `SLACK_APP_TOKEN=xapp-1|SLACK_BOT_TOKEN="xoxb-` + canary + `"`, want: "is in quotes"},
	{name: "token with a line break", env: "SLACK_APP_TOKEN=xapp-1|SLACK_BOT_TOKEN=xoxb-" + canary + "\nx", want: "a blank or an invisible character"},
	{name: "token with a zero-width space", env: "DISCORD_BOT_TOKEN=" + canary + "\u200b", want: "invisible character"},
	{name: "client id without secret", env: "SLACK_CLIENT_ID=1.2|SLACK_SIGNING_SECRET=s|MARU_SECRET_KEY=" + sealKeyHex, want: "SLACK_CLIENT_ID is set without SLACK_CLIENT_SECRET"},
	{name: "client secret alone", env: "SLACK_CLIENT_SECRET=" + canary, want: "SLACK_CLIENT_SECRET is set without SLACK_CLIENT_ID"},
	{name: "client id without a way in", env: "SLACK_CLIENT_ID=1.2|SLACK_CLIENT_SECRET=" + canary + "|MARU_SECRET_KEY=" + sealKeyHex, want: "SLACK_CLIENT_ID is set with neither SLACK_APP_TOKEN nor SLACK_SIGNING_SECRET"},
	{name: "client id without a sealing key", env: "SLACK_CLIENT_ID=1.2|SLACK_CLIENT_SECRET=" + canary + "|SLACK_SIGNING_SECRET=s", want: "openssl rand -base64 32"},
	{name: "token as client id", env: "SLACK_CLIENT_ID=xoxb-" + canary + "|SLACK_CLIENT_SECRET=s|SLACK_SIGNING_SECRET=s|MARU_SECRET_KEY=" + sealKeyHex, want: "SLACK_CLIENT_ID (environment) holds a token"},
	{name: "sealing key of words", env: "MARU_SECRET_KEY=" + canary, want: "key 1 is not 32 bytes"},
	{name: "older sealing key broken", env: "MARU_SECRET_KEY=" + sealKeyHex + "," + canary, want: "key 2 is not 32 bytes"},
	{name: "teams without an app", env: "SLACK_INSTALL_TEAMS=T1", want: "SLACK_INSTALL_TEAMS is set without SLACK_CLIENT_ID"},
	{name: "a team's name for its id", env: "SLACK_INSTALL_TEAMS=acme|SLACK_CLIENT_ID=1.2|SLACK_CLIENT_SECRET=s|SLACK_SIGNING_SECRET=s|MARU_SECRET_KEY=" + sealKeyHex, want: "use ids such as T0123ABCD"},
	{name: "admin of no workspace", env: "MARU_ADMINS=U1|SLACK_CLIENT_ID=1.2|SLACK_CLIENT_SECRET=s|SLACK_SIGNING_SECRET=s|MARU_SECRET_KEY=" + sealKeyHex, want: "write slack/WORKSPACE/USER"},
	{name: "what to do with data", env: "MARU_ON_LEAVE=delete", want: "use keep or purge"},
	{name: "discord token with Bot", env: "DISCORD_BOT_TOKEN=Bot " + canary, want: "give the token alone"},
	{name: "discord application id", env: "DISCORD_BOT_TOKEN=123456789012345678", want: "holds an application id"},
	{name: "discord key alone", env: "DISCORD_PUBLIC_KEY=" + strings.Repeat("ab", 32), want: "DISCORD_PUBLIC_KEY is set without DISCORD_BOT_TOKEN"},
	{name: "discord key too short", env: "DISCORD_BOT_TOKEN=x|DISCORD_PUBLIC_KEY=abcd", want: "is not 64 hex digits"},
	{name: "slack url without scheme", env: "SLACK_API_URL=slack.com/api", want: "does not begin with http"},
	{name: "discord url with query", env: "DISCORD_API_URL=https://d.example/api?v=9", want: "has a ? or # part"},
	{name: "yaml thread setting", file: "discord: {answer_in_thread: maybe}", want: "DISCORD_ANSWER_IN_THREAD (maru.yaml:1)"},
	// Model.
	{name: "model url of another scheme", env: "OPENAI_BASE_URL=ftp://host/v1", want: "OPENAI_BASE_URL (environment) does not begin with http"},
	{name: "model url with a login", env: "OPENAI_BASE_URL=https://me:" + canary + "@host/v1", want: "contains a login"},
	{name: "model url without host", env: "OPENAI_BASE_URL=http:///v1", want: "names no host"},
	{name: "model url with bad port", env: "OPENAI_BASE_URL=http://host:99999/v1", want: "has a bad port"},
	{name: "model url broken", env: "OPENAI_BASE_URL=http://[::1/v1", want: "is not a URL"},
	{name: "key in the url", env: "OPENAI_BASE_URL=sk-" + canary, want: "does not begin with http"},
	{name: "key with blanks", env: "OPENAI_API_KEY=sk " + canary, want: "a blank"},
	{name: "fallback to itself", env: "OPENAI_API_KEY=k|OPENAI_MODEL=a|OPENAI_FALLBACK_MODELS=b,a", want: "contains OPENAI_MODEL itself"},
	{name: "unknown api type", env: "OPENAI_API_TYPE=azur", want: `did you mean "azure"?`},
	{name: "azure without url", env: "OPENAI_API_TYPE=azure|OPENAI_API_KEY=k|OPENAI_API_VERSION=2024-10-21|OPENAI_MODEL=m", want: "azure without OPENAI_BASE_URL"},
	{name: "azure without key", env: "OPENAI_API_TYPE=azure|OPENAI_BASE_URL=https://a.openai.azure.com|OPENAI_API_VERSION=2024-10-21|OPENAI_MODEL=m", want: "azure without OPENAI_API_KEY"},
	{name: "azure without version", env: "OPENAI_API_TYPE=azure|OPENAI_API_KEY=k|OPENAI_BASE_URL=https://a.openai.azure.com|OPENAI_MODEL=m", want: "azure without OPENAI_API_VERSION"},
	{name: "azure without deployment", env: "OPENAI_API_TYPE=azure|OPENAI_API_KEY=k|OPENAI_BASE_URL=https://a.openai.azure.com|OPENAI_API_VERSION=2024-10-21", want: "azure without OPENAI_MODEL"},
	{name: "azure by its v1 address", env: "OPENAI_API_TYPE=azure|OPENAI_API_KEY=k|OPENAI_BASE_URL=https://a.openai.azure.com/openai/v1/|OPENAI_API_VERSION=2024-10-21|OPENAI_MODEL=m", want: "leave out OPENAI_API_TYPE"},
	{name: "azure by its deployment's address", env: "OPENAI_API_TYPE=azure|OPENAI_API_KEY=k|OPENAI_BASE_URL=https://a.openai.azure.com/openai/deployments/m|OPENAI_API_VERSION=2024-10-21|OPENAI_MODEL=m", want: "names a deployment"},
	{name: "a deployment without the type", env: "OPENAI_API_KEY=k|OPENAI_BASE_URL=https://a.openai.azure.com/openai/deployments/m|OPENAI_MODEL=m", want: "names a deployment"},
	{name: "a resource without the type", env: "OPENAI_API_KEY=k|OPENAI_BASE_URL=https://a.openai.azure.com/|OPENAI_MODEL=m", want: "end it in /openai/v1"},
	{name: "api version", env: "OPENAI_API_VERSION=latest", want: "OPENAI_API_VERSION"},
	{name: "temperature too hot", env: "OPENAI_TEMPERATURE=3", want: "use a number from 0 to 2"},
	{name: "temperature not a number", env: "OPENAI_TEMPERATURE=NaN", want: "use a number such as 0.5"},
	{name: "negative retries", env: "OPENAI_RETRIES=-1", want: "use a whole number from 0 to 10"},
	{name: "timeout without unit", env: "OPENAI_TIMEOUT=fast", want: "use a time such as 30s"},
	{name: "timeout of nothing", env: "OPENAI_TIMEOUT=0", want: "use a time from 1s to 1h"},
	{name: "timeout overflows", env: "OPENAI_TIMEOUT=99999999999999999", want: "use a time such as"},
	{name: "idle longer than whole", env: "OPENAI_TIMEOUT=10s|OPENAI_IDLE_TIMEOUT=20s", want: "OPENAI_IDLE_TIMEOUT is longer than OPENAI_TIMEOUT"},
	{name: "first longer than whole", env: "OPENAI_TIMEOUT=10s|OPENAI_FIRST_TIMEOUT=20s", want: "OPENAI_FIRST_TIMEOUT is longer than OPENAI_TIMEOUT"},
	{name: "prices without output", env: "MODEL_PRICES=gpt=1", want: "model=input/output"},
	{name: "price twice", env: "MODEL_PRICES=gpt=0/0,gpt=1/2", want: "model=input/output"},
	{name: "negative price", file: "model: {prices: {gpt: {input: -1, output: 2}}}", want: "MODEL_PRICES (maru.yaml:1)"},
	{name: "price with an unknown field", file: "model:\n  prices:\n    gpt: {input: 1, outptu: 2}", want: "model.prices (maru.yaml:3)"},
	// Data.
	{name: "redis of another scheme", env: "REDIS_URL=http://u:" + canary + "@h", want: "does not begin with redis:// or rediss://"},
	{name: "redis host alone", env: "REDIS_URL=localhost:6379", want: "REDIS_URL"},
	{name: "redis without host", env: "REDIS_URL=redis://", want: "names no host"},
	{name: "postgres with a raw password", env: "DATABASE_URL=postgres://u:p%zz" + canary + "@h/d", want: "escape special characters"},
	{name: "mysql", env: "DATABASE_URL=mysql://u:" + canary + "@h/d", want: "does not begin with postgres:// or postgresql://"},
	{name: "postgres port", env: "DATABASE_URL=postgres://u:" + canary + "@h:0/d", want: "has a bad port"},
	// Listeners and log.
	{name: "public without login", env: "HTTP_ADDR=0.0.0.0:8080", want: "set MARU_WEB_PASSWORD"},
	{name: "every interface without login", env: "HTTP_ADDR=:8080", want: "is not a loopback address"},
	{name: "public name without login", env: "HTTP_ADDR=maru.example:80", want: "is not a loopback address"},
	{name: "public ipv6 without login", env: "HTTP_ADDR=[::]:8080", want: "is not a loopback address"},
	{name: "mapped public ipv6", env: "HTTP_ADDR=[::ffff:10.0.0.1]:8080", want: "is not a loopback address"},
	{name: "short password", env: "HTTP_ADDR=:8080|MARU_WEB_PASSWORD=c4n4ry", want: "use at least 8 characters"},
	{name: "address without port", env: "HTTP_ADDR=127.0.0.1", want: "use host:port"},
	{name: "address as url", env: "HTTP_ADDR=http://127.0.0.1:8080", want: "is a URL"},
	{name: "port too large", env: "HTTP_ADDR=127.0.0.1:80800", want: "has a bad port"},
	{name: "port by name", env: "ADMIN_ADDR=127.0.0.1:http", want: "has a bad port"},
	{name: "one port for both", env: "ADMIN_ADDR=127.0.0.1:8080", want: "is the same as HTTP_ADDR"},
	{name: "one port for both, other host", env: "HTTP_ADDR=localhost:7000|ADMIN_ADDR=127.0.0.1:7000", want: "is the same as HTTP_ADDR"},
	{name: "public profiles", env: "ADMIN_ADDR=0.0.0.0:9090|ADMIN_PPROF=true", want: "ADMIN_PPROF is on while"},
	{name: "profiles nowhere", env: "ADMIN_ADDR=off|ADMIN_PPROF=true", want: "ADMIN_PPROF is on while ADMIN_ADDR is off"},
	{name: "log level", env: "LOG_LEVEL=debugg", want: `did you mean "debug"?`},
	{name: "log level in capitals", env: "LOG_LEVEL=INFO!", want: "LOG_LEVEL"},
	// MCP servers.
	{name: "mcp not a list", file: "mcp: {github: {url: 'https://h/mcp'}}", want: "mcp (maru.yaml:1) is not a list"},
	{name: "mcp without a name", file: "mcp: [{command: x}]", want: "a server without a name"},
	{name: "mcp name", file: "mcp: [{name: Git Hub, command: x}]", want: "use a small letter"},
	{name: "mcp neither", file: "mcp:\n- {name: a}", want: "mcp.a (maru.yaml:2) has not exactly one of command and url"},
	{name: "mcp both", file: "mcp: [{name: a, command: x, url: 'https://h'}]", want: "has not exactly one"},
	{name: "mcp twice", file: "mcp: [{name: a, command: x}, {name: a, command: y}]", want: "is there twice"},
	{name: "mcp slip", file: "mcp: [{name: a, comand: x, url: 'https://h'}]", want: "did you mean command?"},
	{name: "mcp url with a login", file: "mcp: [{name: a, url: 'https://me:" + canary + "@h/mcp'}]", want: "mcp.a.url (maru.yaml:1) contains a login"},
	{name: "mcp url of a file", file: "mcp: [{name: a, url: 'file:///etc/passwd'}]", want: "does not begin with http"},
	{name: "mcp sign-in of a program", file: "mcp: [{name: a, command: x, auth: oauth}]", want: "mcp.a.auth (maru.yaml:1) is for a url without headers"},
	{name: "mcp client of a program", file: "mcp: [{name: a, url: 'https://h', client_id: x}]", want: "mcp.a.client_id (maru.yaml:1) is there without auth"},
	{name: "mcp client's secret alone", file: "mcp: [{name: a, url: 'https://h', auth: oauth, client_secret: " + canary + "}]", want: "mcp.a.client_secret (maru.yaml:1) is there without client_id"},
	{name: "mcp sign-in with headers", file: "mcp: [{name: a, url: 'https://h', auth: oauth, headers: {Authorization: " + canary + "}}]", want: "mcp.a.auth (maru.yaml:1) is for a url without headers"},
	{name: "mcp sign-in of another kind", file: "mcp: [{name: a, url: 'https://h', auth: basic}]", want: "mcp.a.auth"},
	{name: "mcp env of a url", file: "mcp: [{name: a, url: 'https://h', env: {A: " + canary + "}}]", want: "mcp.a.env (maru.yaml:1) is there without command"},
	{name: "mcp secret file missing", file: "mcp: [{name: a, command: x, env: {TOKEN_FILE: /run/" + canary + "}}]", want: "mcp.a.env.TOKEN_FILE (maru.yaml:1) cannot be read (no such file)"},
	{name: "mcp header with a line break", file: "mcp: [{name: a, url: 'https://h', headers: {X: \"a\\nb" + canary + "\"}}]", want: "line break"},
	{name: "mcp header name", file: "mcp: [{name: a, url: 'https://h', headers: {'X Y': " + canary + "}}]", want: "no name with a value"},
	{name: "mcp effect", file: "mcp: [{name: a, command: x, policy: {t: {effect: read}}}]", want: `did you mean "reads"?`},
	{name: "mcp approval", file: "mcp: [{name: a, command: x, policy: {t: {approval: maybe}}}]", want: "mcp.a.policy.t.approval (maru.yaml:1) is \"maybe\": use true or false"},
	{name: "mcp timeout", file: "mcp: [{name: a, command: x, timeout: 0}]", want: "use a time from 1s to 1h"},
	{name: "mcp args", file: "mcp: [{name: a, command: x, args: {a: b}}]", want: "is not a list of plain values"},
	// Conversation, approvals, tools, documents, runs.
	{name: "window keeps all", env: "KEEP_RECENT=10", want: "KEEP_RECENT is not smaller than MAX_MESSAGES"},
	{name: "window of nothing", env: "MAX_MESSAGES=0", want: "use a whole number from 2 to 1000"},
	{name: "window of halves", env: "MAX_MESSAGES=9.5", want: "use a whole number"},
	{name: "no summaries", env: "MAX_SUMMARIES=0", want: "use a whole number from 1 to 100"},
	{name: "language", env: "MARU_LANGUAGE=fr", want: "use auto, en or ko"},
	{name: "engage", env: "MARU_ENGAGE=sometimes", want: "use mention, follow, documents, always or never"},
	{name: "agent name", env: "MARU_AGENT=The Best", want: "use a name of lower-case letters"},
	{name: "time zone", env: "MARU_TIME_ZONE=Seoul", want: "use an IANA name"},
	{name: "persona too long", env: "MARU_PERSONA=" + strings.Repeat("가", 2001), want: "use at most 2000 characters"},
	{name: "approval", env: "ENABLE_PLAN_APPROVAL=perhaps", want: "use true or false"},
	{name: "hitl", env: "ENABLE_HITL=2", want: "ENABLE_HITL (environment)"},
	{name: "check interval", env: "TOOL_CHECK_INTERVAL=0s", want: "use a time from 1s to 24h"},
	{name: "google without engine", env: "GOOGLE_API_KEY=" + canary, want: "GOOGLE_API_KEY is set without GOOGLE_CSE_ID"},
	{name: "engine without google", env: "GOOGLE_CSE_ID=x", want: "GOOGLE_CSE_ID is set without GOOGLE_API_KEY"},
	{name: "tool longer than run", env: "MARU_RUN_TIMEOUT=10s|MARU_TOOL_TIMEOUT=20s", want: "MARU_TOOL_TIMEOUT is longer"},
	{name: "python longer than its tool", env: "MARU_PYTHON_TIMEOUT=50s", want: "MARU_PYTHON_TIMEOUT is longer"},
	{name: "python mode", env: "MARU_PYTHON=yes", want: "use auto, on or off"},
	{name: "python path outside", env: "MARU_PYTHON_PATH=/root/.pyenv/shims/python3", want: "under /usr/"},
	{name: "python path climbs out", env: "MARU_PYTHON_PATH=/usr/../root/python", want: "under /usr/"},
	{name: "python memory", env: "MARU_PYTHON_MEMORY=1MiB", want: "use a size from 64MiB to 16GiB"},
	{name: "disabled tool", env: "MARU_DISABLED_TOOLS=python,Web Search", want: "use a name of lower-case"},
	{name: "max file", env: "MARU_MAX_FILE=lots", want: "use a size such as 20MiB"},
	{name: "max file overflows", env: "MARU_MAX_FILE=9999999999999GiB", want: "use a size such as"},
	{name: "threshold", env: "MARU_THRESHOLD=1.5", want: "use a number from 0 to 1"},
	{name: "index", env: "MARU_INDEX=pgvektor", want: "use local, pgvector or opensearch"},
	{name: "index nowhere", env: "MARU_INDEX=pgvector", want: "MARU_INDEX is pgvector, and there is no PostgreSQL"},
	{name: "index of another kind", env: "MARU_INDEX=pgvector|MARU_INDEX_URL=https://u:" + canary + "@h:9200", want: "MARU_INDEX_URL is no PostgreSQL"},
	{name: "opensearch nowhere", env: "MARU_INDEX=opensearch", want: "MARU_INDEX is opensearch without MARU_INDEX_URL"},
	{name: "opensearch in postgres", env: "MARU_INDEX=opensearch|MARU_INDEX_URL=postgres://u:" + canary + "@h/d", want: "MARU_INDEX_URL is no web address"},
	{name: "name of a local index", env: "MARU_INDEX_NAME=docs", want: "MARU_INDEX_NAME is set while MARU_INDEX is local"},
	{name: "bad name of an index", env: "MARU_INDEX=opensearch|MARU_INDEX_URL=https://h:9200|MARU_INDEX_NAME=My Docs", want: "MARU_INDEX_NAME (environment) is \"My Docs\""},
	{name: "address of a local index", env: "MARU_INDEX_URL=https://h:9200", want: "MARU_INDEX_URL is set while MARU_INDEX is local"},
	{name: "index address", env: "MARU_INDEX=opensearch|MARU_INDEX_URL=ftp://h", want: "MARU_INDEX_URL"},
	{name: "workers", env: "MARU_WORKERS=0", want: "use a whole number from 1 to 10000"},
	{name: "exporter of metrics", env: "OTEL_METRICS_EXPORTER=console", want: "use otlp, prometheus or none"},
	{name: "exporter of traces", env: "OTEL_TRACES_EXPORTER=zipkin", want: "use otlp or none"},
	{name: "interval of metrics", env: "OTEL_METRIC_EXPORT_INTERVAL=60s", want: "OTEL_METRIC_EXPORT_INTERVAL"},
	{name: "not utf-8", env: "MARU_PERSONA=\xff", want: "is not UTF-8 text"},
	// Names.
	{name: "slip in a variable", env: "SLACK_BOT_TOKN=xoxb-" + canary, want: "SLACK_BOT_TOKN (environment) is unknown: did you mean SLACK_BOT_TOKEN?"},
	{name: "small letters", env: "slack_bot_token=xoxb-" + canary, want: "did you mean SLACK_BOT_TOKEN?"},
	{name: "slip in ours", env: "MARU_WORKRES=1", want: "did you mean MARU_WORKERS?"},
	{name: "unknown of ours", env: "MARU_TURBO=on", want: "MARU_TURBO (environment) is unknown: take it away"},
	{name: "file of something not secret", env: "MARU_AGENT_FILE=x", want: "MARU_AGENT_FILE (environment) is unknown"},
	{name: "slip in a flag", args: "--slack-bot-tokn=xoxb-" + canary, want: "did you mean --slack-bot-token?"},
	{name: "flag without value", args: "serve --http-addr", want: "write --http-addr=VALUE"},
	{name: "flag twice", args: "--log-level info --log-level=warn", want: "is given twice"},
	// Files.
	{name: "no such file", env: "MARU_CONFIG=nowhere.yaml", want: "MARU_CONFIG (environment) names a file that cannot be read (no such file)"},
	{name: "not yaml", file: "a: [" + canary, want: "is not YAML"},
	{name: "yaml with tabs", file: "http:\n\taddr: x", want: "is not YAML (line 2)"},
	{name: "a list", file: "- a", want: "MARU_CONFIG (maru.yaml:1) is not a group"},
	{name: "two documents", file: "log: {level: info}\n---\nlog: {level: warn}", want: "more than one document"},
	{name: "unknown key", file: "http:\n  adress: x", want: "http.adress (maru.yaml:2) is unknown"},
	{name: "slip in a key", file: "slack: {bot_tokn: xoxb-" + canary + "}", want: "did you mean slack.bot_token?"},
	{name: "variable as key", file: "LOG_LEVEL: info", want: "in the file it is called log.level"},
	{name: "key without its group", file: "addr: 4", want: "did you mean http.addr?"},
	{name: "slip in a group", file: "thraed: {max_messages: 4}", want: "did you mean thread?"},
	{name: "group as value", file: "http: 127.0.0.1:80", want: "http (maru.yaml:1) is not a group"},
	{name: "value as group", file: "http: {addr: {host: x}}", want: "http.addr (maru.yaml:1) is a list or a group"},
	{name: "list for one value", file: "http: {addr: [a, b]}", want: "write one value"},
	{name: "key twice", file: "log:\n  level: info\n  level: warn", want: "log.level (maru.yaml:3) is given twice"},
	{name: "bad value in the file", file: "log:\n  level: loud", want: "LOG_LEVEL (maru.yaml:2)"},
	{name: "secret file missing", env: "TAVILY_API_KEY_FILE=/run/" + canary, want: "TAVILY_API_KEY_FILE (environment) cannot be read (no such file)"},
	{name: "secret file empty", env: "TAVILY_API_KEY_FILE=empty", want: "names an empty file"},
	{name: "secret file huge", env: "TAVILY_API_KEY_FILE=huge", want: "too large for a secret"},
	{name: "secret twice", env: "TAVILY_API_KEY=" + canary + "|TAVILY_API_KEY_FILE=empty", want: "set one of them"},
}

func TestBadConfigurations(t *testing.T) {
	t.Parallel()
	if len(bad) < 60 {
		t.Fatalf("only %d bad configurations", len(bad))
	}
	for _, tc := range bad {
		t.Run(strings.ReplaceAll(tc.name, " ", "_"), func(t *testing.T) {
			t.Parallel()
			files := map[string]string{"maru.yaml": tc.file, "empty": " \n", "huge": strings.Repeat("x", 70_000)}
			var env []string
			if tc.env != "" {
				env = strings.Split(tc.env, "|")
			}
			_, _, err := fromFiles(env, files, strings.Fields(tc.args)...)
			var faults config.Faults
			if !errors.As(err, &faults) || len(faults) != 1 {
				t.Fatalf("want one fault, got %v", err)
			}
			if !strings.Contains(err.Error(), tc.want) {
				t.Errorf("fault %q does not say %q", err, tc.want)
			}
			if strings.Contains(err.Error(), "c4n4ry") {
				t.Errorf("fault shows a secret: %v", err)
			}
			if f := faults[0]; f.Variable == "" || f.Wrong == "" || f.Fix == "" {
				t.Errorf("fault is incomplete: %+v", f)
			}
		})
	}
	t.Logf("right errors %d of %d", len(bad), len(bad))
}
