package config

import (
	"net"
	"net/url"
	"slices"
	"strings"
	"time"
)

// fitDefaults keeps default limits within explicitly set ones.
func (c *Config) fitDefaults() {
	within := func(variable string, limit *time.Duration, most time.Duration) {
		if most > 0 && c.unset(variable) {
			*limit = min(*limit, most)
		}
	}
	within("OPENAI_IDLE_TIMEOUT", &c.Model.IdleTimeout, c.Model.Timeout)
	within("OPENAI_FIRST_TIMEOUT", &c.Model.FirstTimeout, c.Model.Timeout/2) // half is left to ask again
	within("MARU_TOOL_TIMEOUT", &c.Tools.Timeout, c.Run.Timeout)
	within("MARU_PYTHON_TIMEOUT", &c.Tools.PythonTimeout, c.Tools.Timeout)
}

// check finds combinations that cannot work. A setting that was refused by
// itself is empty here; it was reported before.
func check(c *Config) Faults {
	var f Faults
	add := func(bad bool, variable, wrong, fix string) {
		if bad {
			f = append(f, Fault{Variable: variable, Wrong: wrong, Fix: fix})
		}
	}
	checkPlatforms(c, add)
	checkModel(c, add)
	checkListeners(c, add)
	checkSignIn(c, add)
	checkIndex(c, add)
	add(c.Thread.KeepRecent > 0 && c.Thread.MaxMessages > 0 && c.Thread.KeepRecent >= c.Thread.MaxMessages, "KEEP_RECENT",
		"is not smaller than MAX_MESSAGES", "keep fewer messages than start a summary, e.g. 5 of 10")
	add(c.Tools.GoogleKey != "" && c.unset("GOOGLE_CSE_ID"), "GOOGLE_API_KEY", "is set without GOOGLE_CSE_ID", "set both, or neither")
	add(c.Tools.GoogleCSE != "" && c.unset("GOOGLE_API_KEY"), "GOOGLE_CSE_ID", "is set without GOOGLE_API_KEY", "set both, or neither")
	add(c.Run.Timeout > 0 && c.Tools.Timeout > c.Run.Timeout, "MARU_TOOL_TIMEOUT",
		"is longer than MARU_RUN_TIMEOUT", "give a tool less time than the run that calls it")
	add(c.Tools.Timeout > 0 && c.Tools.PythonTimeout > c.Tools.Timeout, "MARU_PYTHON_TIMEOUT",
		"is longer than MARU_TOOL_TIMEOUT", "give a program less time than the tool that runs it")
	return f
}

// unset reports whether the variable has no value, valid or not.
func (c *Config) unset(variable string) bool {
	from := c.origin[variable]
	return from == "" || from == "default"
}

// adder reports a fault when bad holds.
type adder func(bad bool, variable, wrong, fix string)

func checkPlatforms(c *Config, add adder) {
	const where = "set the bot token too: OAuth & Permissions of the Slack app, xoxb-…; or SLACK_CLIENT_ID for many workspaces"
	bot, app := !c.unset("SLACK_BOT_TOKEN"), !c.unset("SLACK_CLIENT_ID")
	on := bot || app
	add(!on && !c.unset("SLACK_APP_TOKEN"), "SLACK_APP_TOKEN", "is set without SLACK_BOT_TOKEN", where)
	add(!on && !c.unset("SLACK_SIGNING_SECRET"), "SLACK_SIGNING_SECRET", "is set without SLACK_BOT_TOKEN", where)
	without := "SLACK_BOT_TOKEN"
	if !bot {
		without = "SLACK_CLIENT_ID"
	}
	add(on && c.unset("SLACK_APP_TOKEN") && c.unset("SLACK_SIGNING_SECRET"), without,
		"is set with neither SLACK_APP_TOKEN nor SLACK_SIGNING_SECRET",
		"set SLACK_APP_TOKEN (xapp-…) for Socket Mode, or SLACK_SIGNING_SECRET for HTTP")
	checkInstalling(c, app, add)
	add(c.unset("DISCORD_BOT_TOKEN") && !c.unset("DISCORD_PUBLIC_KEY"), "DISCORD_PUBLIC_KEY",
		"is set without DISCORD_BOT_TOKEN", "set the bot token too: Bot page of the Discord app")
}

// checkInstalling finds missing settings for self-service installation of the Slack app.
func checkInstalling(c *Config, app bool, add adder) {
	add(app && c.unset("SLACK_CLIENT_SECRET"), "SLACK_CLIENT_ID", "is set without SLACK_CLIENT_SECRET", "set both: Basic Information of the Slack app")
	add(app && c.unset("MARU_SECRET_KEY"), "SLACK_CLIENT_ID", "is set without MARU_SECRET_KEY, which seals the tokens of workspaces",
		"set it to what `openssl rand -base64 32` prints, and keep a copy")
	add(!app && !c.unset("SLACK_CLIENT_SECRET"), "SLACK_CLIENT_SECRET", "is set without SLACK_CLIENT_ID", "set both, or neither")
	add(!app && !c.unset("SLACK_INSTALL_TEAMS"), "SLACK_INSTALL_TEAMS", "is set without SLACK_CLIENT_ID", "set it too, or neither")
	for _, who := range c.Place.Admins {
		bare := !strings.Contains(who, "/") && (strings.HasPrefix(who, "U") || strings.HasPrefix(who, "W"))
		add(app && bare, "MARU_ADMINS", "names somebody without their workspace while many workspaces are served", "write slack/WORKSPACE/USER, e.g. slack/T0123/U0123")
	}
}

func checkModel(c *Config, add adder) {
	m := c.Model
	add(m.Timeout > 0 && m.FirstTimeout > m.Timeout, "OPENAI_FIRST_TIMEOUT", "is longer than OPENAI_TIMEOUT", "make it shorter")
	add(m.Timeout > 0 && m.IdleTimeout > m.Timeout, "OPENAI_IDLE_TIMEOUT", "is longer than OPENAI_TIMEOUT", "make it shorter")
	add(slices.Contains(m.Fallbacks, m.Name) && m.Name != "", "OPENAI_FALLBACK_MODELS", "contains OPENAI_MODEL itself", "name other models")
	checkAzureAddress(m, add)
	if !m.Azure {
		return
	}
	add(c.unset("OPENAI_BASE_URL"), "OPENAI_API_TYPE", "is azure without OPENAI_BASE_URL",
		"set it to https://YOUR-RESOURCE.openai.azure.com")
	add(c.unset("OPENAI_API_KEY"), "OPENAI_API_TYPE", "is azure without OPENAI_API_KEY", "set the key of the resource")
	add(c.unset("OPENAI_API_VERSION"), "OPENAI_API_TYPE", "is azure without OPENAI_API_VERSION", "set it, e.g. 2024-10-21")
	add(c.unset("OPENAI_MODEL"), "OPENAI_API_TYPE", "is azure without OPENAI_MODEL", "set it to the name of the deployment")
}

// checkAzureAddress finds addresses of Azure that lead nowhere: its API of deployments is
// reached by the resource, the other by a path that ends in /openai/v1.
func checkAzureAddress(m Model, add adder) {
	u, err := url.Parse(m.BaseURL)
	if err != nil {
		return
	}
	path, host := strings.TrimRight(u.Path, "/"), strings.ToLower(u.Hostname())
	resource := strings.HasSuffix(host, ".openai.azure.com") || strings.HasSuffix(host, ".cognitiveservices.azure.com")
	deployment := (m.Azure || resource) && strings.Contains(path, "/openai/deployments") // a gateway may rewrite it
	const v1 = "end it in /openai/v1, or give https://YOUR-RESOURCE.openai.azure.com alone with OPENAI_API_TYPE=azure; OPENAI_MODEL names the deployment"
	add(deployment, "OPENAI_BASE_URL", "names a deployment", v1)
	add(m.Azure && strings.HasSuffix(path, "/openai/v1"), "OPENAI_API_TYPE", "is azure, and OPENAI_BASE_URL is that of the v1 API",
		"leave out OPENAI_API_TYPE and OPENAI_API_VERSION")
	add(!m.Azure && resource && !deployment && !strings.HasSuffix(path, "/v1"), "OPENAI_BASE_URL", "is a resource of Azure, not its API", v1)
}

// checkIndex finds an index of documents that has no place, or one of another kind.
func checkIndex(c *Config, add adder) {
	index, url := c.Documents.Index, c.Documents.IndexURL.Reveal()
	web := strings.HasPrefix(url, "http")
	add(index == IndexPGVector && url == "" && c.unset("DATABASE_URL") && c.unset("MARU_INDEX_URL"), "MARU_INDEX",
		"is pgvector, and there is no PostgreSQL", "set DATABASE_URL, or MARU_INDEX_URL for one of the documents' own")
	add(index == IndexPGVector && web, "MARU_INDEX_URL", "is no PostgreSQL, and MARU_INDEX is pgvector", "use an address such as postgres://user:password@host:port/name")
	add(index == IndexOpenSearch && c.unset("MARU_INDEX_URL"), "MARU_INDEX", "is opensearch without MARU_INDEX_URL", "set it to https://user:password@host:9200")
	add(index == IndexOpenSearch && url != "" && !web, "MARU_INDEX_URL", "is no web address, and MARU_INDEX is opensearch", "use an address such as https://user:password@host:9200")
	add(index != IndexOpenSearch && !c.unset("MARU_INDEX_NAME"), "MARU_INDEX_NAME", "is set while MARU_INDEX is "+index, "set MARU_INDEX to opensearch, or unset it")
	add(index == IndexLocal && !c.unset("MARU_INDEX_URL"), "MARU_INDEX_URL", "is set while MARU_INDEX is local", "set MARU_INDEX to pgvector or opensearch, or unset it")
}

func checkListeners(c *Config, add adder) {
	h := c.HTTP
	add(public(h.Addr) && h.Console && c.unset("MARU_WEB_PASSWORD") && !c.SignIn.On(), "HTTP_ADDR",
		"is not a loopback address and the web console has no login",
		"set MARU_WEB_PASSWORD or a way of signing in, or MARU_WEB=false, or listen on 127.0.0.1")
	add(public(h.AdminAddr) && h.Pprof, "ADMIN_PPROF", "is on while ADMIN_ADDR is not a loopback address",
		"turn it off, or listen on 127.0.0.1")
	add(h.AdminAddr == "" && h.Pprof && !c.unset("ADMIN_ADDR"), "ADMIN_PPROF", "is on while ADMIN_ADDR is off", "set ADMIN_ADDR")
	add(samePlace(h.Addr, h.AdminAddr), "ADMIN_ADDR", "is the same as HTTP_ADDR", "give it another port, e.g. 127.0.0.1:9090")
}

// AdminPublic reports whether other machines reach the operator's listener.
func (h HTTP) AdminPublic() bool { return public(h.AdminAddr) }

// public reports whether others than this machine reach a listener's address.
func public(addr string) bool {
	host, _, err := net.SplitHostPort(addr)
	return err == nil && !loopback(host)
}

// samePlace reports whether two listeners would want one port.
func samePlace(a, b string) bool {
	ha, pa, errA := net.SplitHostPort(a)
	hb, pb, errB := net.SplitHostPort(b)
	if errA != nil || errB != nil || pa != pb || pa == "0" {
		return false
	}
	every := func(h string) bool { return h == "" || h == "0.0.0.0" || h == "::" }
	return ha == hb || every(ha) || every(hb) || (loopback(ha) && loopback(hb))
}

// warnings finds valid settings with noteworthy effects.
func warnings(c *Config) Faults {
	var f Faults
	add := func(bad bool, variable, wrong, fix string) {
		if bad {
			f = append(f, Fault{Variable: variable, Wrong: wrong, Fix: fix})
		}
	}
	add(clearRedis(c.Store.RedisURL), "REDIS_URL", "reaches another machine without TLS", "use rediss://, unless the network is private")
	add(clearPostgres(c.Store.DatabaseURL), "DATABASE_URL", "reaches another machine without checked TLS",
		"add ?sslmode=verify-full, unless the network is private")
	add(public(c.HTTP.AdminAddr), "ADMIN_ADDR", "is reachable from other machines and has no login", "keep it inside a private network")
	const endpoint = "the built-in model answers; set OPENAI_API_KEY, or OPENAI_BASE_URL of a local server"
	off := !c.Model.On()
	add(off && c.Model.Embedding.Model != "" && c.Model.Embedding.BaseURL == "", "OPENAI_EMBEDDING_MODEL", "is set without an endpoint",
		"search is by keywords; set OPENAI_EMBEDDING_BASE_URL, or an endpoint for the language model")
	add(c.Model.Embedding.Model == "" && c.Model.Embedding.BaseURL != "", "OPENAI_EMBEDDING_BASE_URL", "is set without OPENAI_EMBEDDING_MODEL",
		"search is by keywords; name the embedding model that this endpoint serves")
	add(off && !c.unset("OPENAI_MODEL"), "OPENAI_MODEL", "is set without an endpoint", endpoint)
	add(off && c.Model.Transcriber != "", "OPENAI_TRANSCRIPTION_MODEL", "is set without an endpoint", endpoint)
	add(off && len(c.Model.Fallbacks) > 0, "OPENAI_FALLBACK_MODELS", "is set without an endpoint", endpoint)
	add(c.Model.APIVersion != "" && !c.Model.Azure, "OPENAI_API_VERSION", "is set but OPENAI_API_TYPE is not azure", "it is not used")
	add(c.Model.On() && c.Model.BaseURL != openAI && c.unset("OPENAI_MODEL") && !c.Model.Azure, "OPENAI_MODEL",
		"is not set for your own endpoint", "name a model that it serves; "+c.Model.Name+" is asked for")
	add(c.Slack.SocketMode() && c.Slack.SigningSecret != "", "SLACK_SIGNING_SECRET", "is set together with SLACK_APP_TOKEN",
		"Socket Mode is used; the HTTP endpoints are not served")
	add(c.Slack.Distributed() && c.HTTP.PublicURL == "", "MARU_PUBLIC_URL", "is not set while workspaces install the Slack app",
		"set it, so that the redirect address is the one in the app's settings whatever a request says")
	warnSignIn(c, add)
	add(c.Tools.TavilyKey != "" && c.Tools.GoogleKey != "", "GOOGLE_API_KEY", "is set together with TAVILY_API_KEY", "Tavily is used")
	for variable, base := range map[string]string{
		"SLACK_API_URL": onlyIf(c.Slack.On(), c.Slack.APIURL), "DISCORD_API_URL": onlyIf(c.Discord.On(), c.Discord.APIURL),
		"OPENAI_BASE_URL": onlyIf(c.Model.APIKey != "", c.Model.BaseURL), "OPENAI_EMBEDDING_BASE_URL": onlyIf(c.Model.Embedding.APIKey != "", c.Model.Embedding.BaseURL), "OPENWEATHER_BASE_URL": onlyIf(c.Tools.OpenWeatherKey != "", c.Tools.OpenWeatherBaseURL),
		"TAVILY_BASE_URL": onlyIf(c.Tools.TavilyKey != "", c.Tools.TavilyBaseURL), "GOOGLE_BASE_URL": onlyIf(c.Tools.GoogleKey != "", c.Tools.GoogleBaseURL),
		"MARU_PUBLIC_URL": onlyIf(c.HTTP.WebPassword != "" || c.SignIn.On(), c.HTTP.PublicURL), "OIDC_ISSUER": c.SignIn.Issuer,
	} {
		add(clearText(base), variable, "sends a secret to another machine without TLS", "use https://")
	}
	slices.SortStableFunc(f, func(a, b Fault) int { return strings.Compare(a.Variable, b.Variable) })
	return f
}

// clearText reports whether an address leads to another machine without TLS.
func clearText(base string) bool {
	u, err := url.Parse(base)
	return err == nil && u.Scheme == "http" && !loopback(u.Hostname())
}

func onlyIf(on bool, value string) string {
	if on {
		return value
	}
	return ""
}

func clearRedis(s Secret) bool {
	u, err := url.Parse(s.Reveal())
	return err == nil && u.Scheme == "redis" && !loopback(u.Hostname())
}

func clearPostgres(s Secret) bool {
	u, err := url.Parse(s.Reveal())
	if err != nil || u.Hostname() == "" || loopback(u.Hostname()) {
		return false
	}
	if host := u.Query().Get("host"); strings.HasPrefix(host, "/") {
		return false // a unix socket
	}
	mode := u.Query().Get("sslmode")
	return mode != "verify-full" && mode != "verify-ca"
}
