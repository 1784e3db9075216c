package config

import (
	"strings"

	"maru/phrase"
)

// Setting is one row of the table of program settings. Rows and not struct tags: rules,
// help and the file of a secret do not fit into a tag, and a library like viper tells
// faults one at a time and folds the case of keys.
type Setting struct {
	Var     string // environment variable
	Key     string // in the YAML file, dotted
	Default string // as one would write it; "" means unset
	Help    string // description, one line
	Secret  bool   // masked everywhere; VAR_FILE names a file that holds it

	into func(*Config) any // where it goes; its type chooses the parser
	rule rule              // validation, nil for none
	fold bool              // capitals count as small letters
	bare bool              // spaces around the value are part of it
}

// Group is a part of the table under one heading.
type Group struct {
	Title    string
	Settings []Setting
}

// Table returns every program setting, grouped as people look for them.
func Table() []Group {
	return []Group{
		{"Slack", slackSettings()}, {"Discord", discordSettings()}, {"Model", modelSettings()},
		{"Data", storeSettings()}, {"Listeners and log", httpSettings()}, {"Sign-in", signInSettings()}, {"Conversation", threadSettings()}, {"Limits", limitSettings()},
		{"Approvals", approvalSettings()}, {"Tools", toolSettings()}, {"Documents", documentSettings()}, {"Agents", agentSettings()},
		{"Memory", memorySettings()},
		{"Runs", runSettings()},
		{"Traces and metrics", telemetrySettings()},
	}
}

// all returns the rows of every group.
func all() []Setting {
	var rows []Setting
	for _, g := range Table() {
		rows = append(rows, g.Settings...)
	}
	return rows
}

// configVar names the variable of the YAML file.
const configVar = "MARU_CONFIG"

func slackSettings() []Setting {
	return []Setting{
		{Var: "SLACK_BOT_TOKEN", Key: "slack.bot_token", Secret: true, Help: "bot token (xoxb-…); enables Slack",
			into: func(c *Config) any { return &c.Slack.BotToken }, rule: slackToken("xoxb-", "SLACK_APP_TOKEN")},
		{Var: "SLACK_APP_TOKEN", Key: "slack.app_token", Secret: true, Help: "app-level token (xapp-…) for Socket Mode; if unset, events arrive over HTTP",
			into: func(c *Config) any { return &c.Slack.AppToken }, rule: slackToken("xapp-", "SLACK_BOT_TOKEN")},
		{Var: "SLACK_SIGNING_SECRET", Key: "slack.signing_secret", Secret: true, Help: "signing secret; required for events over HTTP",
			into: func(c *Config) any { return &c.Slack.SigningSecret }, rule: notAToken},
		{Var: "SLACK_API_URL", Key: "slack.api_url", Default: "https://slack.com/api/", Help: "base URL of the Web API",
			into: func(c *Config) any { return &c.Slack.APIURL }, rule: webURL},
		{Var: "SLACK_CLIENT_ID", Key: "slack.client_id", Help: "client ID of the app; workspaces can then install it at `/slack/oauth/install`",
			into: func(c *Config) any { return &c.Slack.ClientID }, rule: appCredential},
		{Var: "SLACK_CLIENT_SECRET", Key: "slack.client_secret", Secret: true, Help: "client secret of the app; required with SLACK_CLIENT_ID",
			into: func(c *Config) any { return &c.Slack.ClientSecret }, rule: appCredential},
		{Var: "SLACK_INSTALL_TEAMS", Key: "slack.install_teams", Help: "IDs of the workspaces and organisations that may install the app, separated by commas; unset: any",
			into: func(c *Config) any { return &c.Slack.Teams }, rule: each(slackTeam)},
	}
}

func discordSettings() []Setting {
	return []Setting{
		{Var: "DISCORD_BOT_TOKEN", Key: "discord.bot_token", Secret: true, Help: "bot token; enables Discord",
			into: func(c *Config) any { return &c.Discord.BotToken }, rule: discordToken},
		{Var: "DISCORD_PUBLIC_KEY", Key: "discord.public_key", Help: "public key (64 hex digits); required for interactions over HTTP",
			into: func(c *Config) any { return &c.Discord.PublicKey }, rule: hexDigits(64)},
		{Var: "DISCORD_API_URL", Key: "discord.api_url", Default: "https://discord.com/api/v10", Help: "base URL of the REST API, which also returns the gateway URL",
			into: func(c *Config) any { return &c.Discord.APIURL }, rule: webURL},
		{Var: "DISCORD_ANSWER_IN_THREAD", Key: "discord.answer_in_thread", Default: "true", Help: "answer in a thread created from the question",
			into: func(c *Config) any { return &c.Discord.AnswerInThread }},
		{Var: "DISCORD_GREET", Key: "discord.greet", Default: "true", Help: "post a one-time greeting with set-up instructions in servers that add the bot",
			into: func(c *Config) any { return &c.Discord.Greet }},
	}
}

func modelSettings() []Setting {
	return []Setting{
		{Var: "OPENAI_API_KEY", Key: "model.api_key", Secret: true, Help: "API key of the model endpoint; without a key and a base URL, the built-in extractive model answers",
			into: func(c *Config) any { return &c.Model.APIKey }, rule: oneWord},
		{Var: "OPENAI_BASE_URL", Key: "model.base_url", Default: openAI, Help: "any OpenAI-compatible endpoint: vLLM, Ollama, llama.cpp, Azure",
			into: func(c *Config) any { return &c.Model.BaseURL }, rule: webURL},
		{Var: "OPENAI_MODEL", Key: "model.name", Default: "gpt-4.1-mini", Help: "chat model, or the name of the Azure deployment",
			into: func(c *Config) any { return &c.Model.Name }, rule: oneWord},
		{Var: "OPENAI_EMBEDDING_MODEL", Key: "model.embedding", Help: "embedding model; unset: keyword search only",
			into: func(c *Config) any { return &c.Model.Embedding.Model }, rule: oneWord},
		{Var: "OPENAI_EMBEDDING_BASE_URL", Key: "model.embedding_base_url", Help: "separate endpoint of the embedding model; works without a language model and without a key",
			into: func(c *Config) any { return &c.Model.Embedding.BaseURL }, rule: webURL},
		{Var: "OPENAI_EMBEDDING_API_KEY", Key: "model.embedding_api_key", Secret: true, Help: "API key of OPENAI_EMBEDDING_BASE_URL, if required",
			into: func(c *Config) any { return &c.Model.Embedding.APIKey }, rule: oneWord},
		{Var: "OPENAI_EMBEDDING_QUERY_PREFIX", Key: "model.embedding_query_prefix", Help: "prefix of each embedded question, or `none`; unset: the documented prefix of the model family (e5, nomic, bge, gte, snowflake and others)",
			into: func(c *Config) any { return &c.Model.Embedding.QueryPrefix }, bare: true},
		{Var: "OPENAI_EMBEDDING_PASSAGE_PREFIX", Key: "model.embedding_passage_prefix", Help: "prefix of each embedded passage, with the same rules; a change re-embeds all documents",
			into: func(c *Config) any { return &c.Model.Embedding.PassagePrefix }, bare: true},
		{Var: "OPENAI_API_TYPE", Key: "model.api_type", Default: "openai", Help: "`openai` or `azure`",
			into: func(c *Config) any { return apiType{&c.Model.Azure} }, rule: oneOf("openai", "azure"), fold: true},
		{Var: "OPENAI_API_VERSION", Key: "model.api_version", Help: "Azure API version, e.g. 2024-10-21",
			into: func(c *Config) any { return &c.Model.APIVersion }, rule: apiVersion},
		{Var: "OPENAI_FALLBACK_MODELS", Key: "model.fallbacks", Help: "models to try in order if OPENAI_MODEL fails, separated by commas",
			into: func(c *Config) any { return &c.Model.Fallbacks }},
		{Var: "OPENAI_MODEL_CHOICES", Key: "model.choices", Help: "models that channels may select with the setting `model`, separated by commas; unset: none",
			into: func(c *Config) any { return &c.Model.Choices }},
		{Var: "OPENAI_VISION", Key: "model.vision", Default: "auto", Help: "send pictures to the model: `on`, `off`, or `auto` (try, and remember a refusal for a day)",
			into: func(c *Config) any { return &c.Model.Vision }, rule: oneOf("auto", "on", "off"), fold: true},
		{Var: "OPENAI_TRANSCRIPTION_MODEL", Key: "model.transcription", Help: "model for transcribing recordings at the endpoint's `/audio/transcriptions`, such as whisper-1; unset: no transcription",
			into: func(c *Config) any { return &c.Model.Transcriber }, rule: oneWord},
		{Var: "OPENAI_TIMEOUT", Key: "model.timeout", Default: "2m", Help: "time limit of one model call",
			into: func(c *Config) any { return &c.Model.Timeout }, rule: lasting("1s", "1h")},
		{Var: "OPENAI_FIRST_TIMEOUT", Key: "model.first_timeout", Default: "1m", Help: "time limit for the first byte of a reply; the call is then retried",
			into: func(c *Config) any { return &c.Model.FirstTimeout }, rule: lasting("1s", "1h")},
		{Var: "OPENAI_IDLE_TIMEOUT", Key: "model.idle_timeout", Default: "45s", Help: "time limit between two chunks of a streamed reply",
			into: func(c *Config) any { return &c.Model.IdleTimeout }, rule: lasting("1s", "1h")},
		{Var: "OPENAI_RETRIES", Key: "model.retries", Default: "3", Help: "retries after transient errors",
			into: func(c *Config) any { return &c.Model.Retries }, rule: between(0, 10)},
		{Var: "OPENAI_IN_FLIGHT", Key: "model.in_flight", Default: "0", Help: "maximum concurrent calls to the endpoint, across all replicas that share a Redis; further calls are queued; 0: determined automatically",
			into: func(c *Config) any { return &c.Model.InFlight }, rule: between(0, 1000)},
		{Var: "OPENAI_MAX_TOKENS", Key: "model.max_tokens", Default: "0", Help: "maximum tokens of one reply; 0: the endpoint's default",
			into: func(c *Config) any { return &c.Model.MaxTokens }, rule: between(0, 1_000_000)},
		{Var: "OPENAI_TEMPERATURE", Key: "model.temperature", Help: "sampling temperature, 0 to 2; unset: the endpoint's default",
			into: func(c *Config) any { return &c.Model.Temperature }, rule: ranging(0, 2)},
		{Var: "MODEL_PRICES", Key: "model.prices", Help: "prices per million tokens as `model=input/output/cached`, separated by commas; a map in YAML",
			into: func(c *Config) any { return &c.Model.Prices }},
	}
}

func storeSettings() []Setting {
	return []Setting{
		{Var: "DATA_DIR", Key: "store.data_dir", Default: "data", Help: "directory of the embedded stores",
			into: func(c *Config) any { return &c.Store.DataDir }, rule: path},
		{Var: "MARU_WORKFLOWS", Key: "store.workflows", Help: "directory of the team's own agents, one JSON workflow per file; unset: `workflows` in DATA_DIR",
			into: func(c *Config) any { return &c.Store.WorkflowDir }, rule: path},
		{Var: "DATABASE_URL", Key: "store.database_url", Secret: true, Help: "PostgreSQL URL, `postgres://…`; unset: one SQLite file in DATA_DIR",
			into: func(c *Config) any { return &c.Store.DatabaseURL }, rule: storeURL("postgres", "postgresql")},
		{Var: "REDIS_URL", Key: "store.redis_url", Secret: true, Help: "Redis URL, `redis://…` or `rediss://…`; unset: transient state is kept in memory",
			into: func(c *Config) any { return &c.Store.RedisURL }, rule: storeURL("redis", "rediss", "unix")},
		{Var: "MARU_SECRET_KEY", Key: "store.secret_key", Secret: true, Help: "key that encrypts stored tokens: 32 random bytes in base64 or hex, e.g. from `openssl rand -base64 32`; older keys for decryption may follow after commas",
			into: func(c *Config) any { return &c.Store.SecretKey }, rule: sealKeys},
	}
}

func httpSettings() []Setting {
	return []Setting{
		{Var: "HTTP_ADDR", Key: "http.addr", Default: "127.0.0.1:8080", Help: "main listener: console, platform endpoints, API",
			into: func(c *Config) any { return &c.HTTP.Addr }, rule: listen},
		{Var: "ADMIN_ADDR", Key: "http.admin_addr", Default: "127.0.0.1:9090", Help: "admin listener: metrics, readiness, version; `off` disables it",
			into: func(c *Config) any { return &c.HTTP.AdminAddr }, rule: listenOrOff},
		{Var: "ADMIN_PPROF", Key: "http.pprof", Default: "false", Help: "serve pprof profiles on the admin listener",
			into: func(c *Config) any { return &c.HTTP.Pprof }},
		{Var: "MARU_WEB", Key: "http.console", Default: "true", Help: "serve the web console on the main listener",
			into: func(c *Config) any { return &c.HTTP.Console }},
		{Var: "MARU_WEB_PASSWORD", Key: "http.web_password", Secret: true, Help: "password of the web console, at least 8 characters; required if HTTP_ADDR is not a loopback address",
			into: func(c *Config) any { return &c.HTTP.WebPassword }, rule: atLeast(8)},
		{Var: "MARU_PUBLIC_URL", Key: "http.public_url", Help: "public URL of the main listener, used for links in chat",
			into: func(c *Config) any { return &c.HTTP.PublicURL }, rule: webURL},
		{Var: "LOG_LEVEL", Key: "log.level", Default: "info", Help: "`debug`, `info`, `warn` or `error`",
			into: func(c *Config) any { return &c.Log.Level }, rule: oneOf("debug", "info", "warn", "error"), fold: true},
	}
}

// limitSettings returns the default budgets of a person and a run.
func limitSettings() []Setting {
	var out []Setting
	for _, of := range []struct {
		name, what string
		limits     func(*Config) *Limits
	}{
		{"PERSON", "per person, workspace and day", func(c *Config) *Limits { return &c.Limits.Person }},
		{"RUN", "per run", func(c *Config) *Limits { return &c.Limits.Run }},
	} {
		key := "limits." + strings.ToLower(of.name) + "_"
		out = append(out,
			Setting{Var: "MARU_" + of.name + "_CALLS", Key: key + "calls", Default: "0", Help: "maximum model calls " + of.what + ", unless a setting overrides it; 0: unlimited",
				into: func(c *Config) any { return &of.limits(c).Calls }, rule: between(0, maxDailyCalls)},
			Setting{Var: "MARU_" + of.name + "_TOKENS", Key: key + "tokens", Default: "0", Help: "maximum tokens " + of.what + "; 0: unlimited",
				into: func(c *Config) any { return &of.limits(c).Tokens }, rule: between(0, maxDailyTokens)},
			Setting{Var: "MARU_" + of.name + "_COST", Key: key + "cost", Default: "0", Help: "maximum cost " + of.what + ", by `MODEL_PRICES`; 0: unlimited",
				into: func(c *Config) any { return &of.limits(c).Cost }, rule: ranging(0, maxDailyCost)},
		)
	}
	return out
}

func threadSettings() []Setting {
	return []Setting{
		{Var: "MAX_MESSAGES", Key: "thread.max_messages", Default: "10", Help: "number of messages after which a thread is summarised",
			into: func(c *Config) any { return &c.Thread.MaxMessages }, rule: between(2, 1000)},
		{Var: "KEEP_RECENT", Key: "thread.keep_recent", Default: "5", Help: "most recent messages kept verbatim; less than MAX_MESSAGES",
			into: func(c *Config) any { return &c.Thread.KeepRecent }, rule: between(1, 999)},
		{Var: "MAX_SUMMARIES", Key: "thread.max_summaries", Default: "3", Help: "maximum number of summaries; the oldest is dropped",
			into: func(c *Config) any { return &c.Thread.MaxSummaries }, rule: between(1, 100)},
		{Var: "MARU_AGENT", Key: "place.agent", Default: "chat", Help: "default agent",
			into: func(c *Config) any { return &c.Place.Agent }, rule: name},
		{Var: "MARU_LANGUAGE", Key: "place.language", Default: LanguageAuto, Help: "`" + strings.Join(phrase.Languages(), "`, `") + "`, or `auto` for the language of the question",
			into: func(c *Config) any { return &c.Place.Language }, rule: oneOf(languages()...), fold: true},
		{Var: "MARU_ENGAGE", Key: "place.engage", Default: EngageFollow, Help: "when to answer: `mention`, `follow` (also in threads it has joined), `documents` (also channel questions that its documents answer), `always` or `never`",
			into: func(c *Config) any { return &c.Place.Engage }, rule: oneOf(EngageMention, EngageFollow, EngageDocuments, EngageAlways, EngageNever), fold: true},
		{Var: "MARU_REACT", Key: "place.react", Default: "false", Help: "react with 👀 to accepted messages",
			into: func(c *Config) any { return &c.Place.React }},
		{Var: "MARU_PERSONA", Key: "place.persona", Help: "additional text for the system prompt",
			into: func(c *Config) any { return &c.Place.Persona }, rule: atMost(maxPersona)},
		{Var: "MARU_TIME_ZONE", Key: "place.time_zone", Default: "Local", Help: "IANA time zone for people and channels whose zone is unknown, e.g. Asia/Seoul; `Local` is the machine's zone",
			into: func(c *Config) any { return &c.Place.TimeZone }, rule: zone},
		{Var: "MARU_SCHEDULES_PERSON", Key: "place.schedules_person", Default: "20", Help: "maximum schedules per person in a workspace, unless a workspace setting overrides it; 0 disables schedules",
			into: func(c *Config) any { return &c.Place.Schedules.Person }, rule: between(0, maxSchedules)},
		{Var: "MARU_SCHEDULES_CHANNEL", Key: "place.schedules_channel", Default: "50", Help: "maximum schedules per channel, unless a setting overrides it; 0 disables schedules",
			into: func(c *Config) any { return &c.Place.Schedules.Channel }, rule: between(0, maxSchedules)},
		{Var: "MARU_ADMINS", Key: "place.admins", Help: "people with admin rights in addition to the workspace's admins: IDs such as `U0123`, `slack/T0123/U0123` or `discord/SERVER/USER`, separated by commas; a bare Discord ID applies in every server",
			into: func(c *Config) any { return &c.Place.Admins }},
		{Var: "MARU_APPS", Key: "place.apps", Help: "apps and workflows whose mentions are answered: bot or app IDs of Slack (B…, A…), IDs of Discord apps and webhooks, separated by commas, or `all`; unset: none",
			into: func(c *Config) any { return &c.Place.Apps }},
		{Var: "MARU_ON_LEAVE", Key: "place.on_leave", Default: LeaveKeep, Help: "what happens to a workspace's data when the bot is removed, unless a workspace setting overrides it: `keep` or `purge`; the audit log is kept",
			into: func(c *Config) any { return &c.Place.OnLeave }, rule: oneOf(LeaveKeep, LeavePurge), fold: true},
		{Var: "MARU_RETENTION", Key: "place.retention", Default: "0s", Help: "retention of messages, answers, traces, checkpoints and learned data, unless a setting overrides it: at least `24h`; 0: unlimited",
			into: func(c *Config) any { return &c.Place.Retention }, rule: orNone(lasting("24h", "87600h"))},
		{Var: "MARU_AUDIT_RETENTION", Key: "place.audit_retention", Default: "0s", Help: "retention of the audit log, pruned a day at a time; the remaining log still verifies: at least `24h`; 0: unlimited",
			into: func(c *Config) any { return &c.Place.AuditRetention }, rule: orNone(lasting("24h", "87600h"))},
		{Var: "MARU_PROMPT_RETENTION", Key: "place.prompt_retention", Default: "168h", Help: "retention of model prompts and replies for the console's run page, at most as long as the messages they quote: at least `1h`; 0: not kept",
			into: func(c *Config) any { return &c.Place.Prompts }, rule: orNone(lasting("1h", "8760h"))},
	}
}

func approvalSettings() []Setting {
	return []Setting{
		{Var: "ENABLE_HITL", Key: "approvals.all", Default: "true", Help: "default of the three approval settings below",
			into: func(c *Config) any { return everyApproval{&c.Approvals} }},
		{Var: "ENABLE_CLARIFICATION_APPROVAL", Key: "approvals.clarification", Help: "ask back when a task is unclear; unset: ENABLE_HITL",
			into: func(c *Config) any { return &c.Approvals.Clarification }},
		{Var: "ENABLE_PLAN_APPROVAL", Key: "approvals.plan", Help: "ask before executing a plan; unset: ENABLE_HITL",
			into: func(c *Config) any { return &c.Approvals.Plan }},
		{Var: "ENABLE_STEP_APPROVAL", Key: "approvals.step", Help: "ask before each step; unset: ENABLE_HITL",
			into: func(c *Config) any { return &c.Approvals.Step }},
		{Var: "MARU_APPROVERS", Key: "approvals.approvers", Help: "who may decide in addition to the person who asked: IDs of people, roles or user groups, or `@admins`, separated by commas",
			into: func(c *Config) any { return &c.Decisions.Approvers }},
		{Var: "MARU_TWO_PEOPLE", Key: "approvals.two_people", Default: "false", Help: "actions that write, send or execute need approval by two people",
			into: func(c *Config) any { return &c.Decisions.TwoPeople }},
		{Var: "MARU_APPROVAL_EXPIRES", Key: "approvals.expires", Default: "168h", Help: "time after which an undecided question expires",
			into: func(c *Config) any { return &c.Decisions.Expires }, rule: lasting("1s", "8760h")},
		{Var: "MARU_APPROVAL_REMINDER", Key: "approvals.reminder", Default: "24h", Help: "time after which people are reminded once of a question; 0: never",
			into: func(c *Config) any { return &c.Decisions.Remind }, rule: lasting("0s", "8760h")},
		{Var: "MARU_WHILE_BUSY", Key: "approvals.while_busy", Default: BusyQueue, Help: "what happens to a message that arrives during a run: `queue`, `reject`, `interrupt` (stop the run) or `rollback` (stop the run and forget it)",
			into: func(c *Config) any { return &c.Decisions.WhileBusy }, rule: oneOf(BusyQueue, BusyReject, BusyInterrupt, BusyRollback), fold: true},
		{Var: "MARU_ON_EDIT", Key: "approvals.on_edit", Default: EditRestart, Help: "what happens when a person edits a question: `restart` (an active run restarts with the new text), `again` (and an answered question is answered again) or `keep` (the original question is answered)",
			into: func(c *Config) any { return &c.Decisions.OnEdit }, rule: oneOf(EditRestart, EditAgain, EditKeep), fold: true},
		{Var: "MARU_FEEDBACK", Key: "approvals.feedback", Default: "false", Help: "show 👍 and 👎 buttons below final answers",
			into: func(c *Config) any { return &c.Decisions.Feedback }},
		{Var: "MARU_AUTO_STEPS", Key: "approvals.auto_steps", Default: "false", Help: "approve read-only steps automatically for people who have nearly always approved such steps",
			into: func(c *Config) any { return &c.Decisions.AutoSteps }},
	}
}

func documentSettings() []Setting {
	return []Setting{
		{Var: "MARU_INDEX", Key: "documents.index", Default: IndexLocal, Help: "document index: `local` (in DATA_DIR), `pgvector` (PostgreSQL) or `opensearch`",
			into: func(c *Config) any { return &c.Documents.Index }, rule: oneOf(IndexLocal, IndexPGVector, IndexOpenSearch), fold: true},
		{Var: "MARU_INDEX_URL", Key: "documents.index_url", Secret: true, Help: "URL of the index: OpenSearch, `https://user:password@host:9200`, or a separate PostgreSQL; unset: DATABASE_URL for pgvector",
			into: func(c *Config) any { return &c.Documents.IndexURL }, rule: storeURL("https", "http", "postgres", "postgresql")},
		{Var: "MARU_INDEX_NAME", Key: "documents.index_name", Default: "maru-documents", Help: "name or alias of the OpenSearch index; bots that share a cluster need different names",
			into: func(c *Config) any { return &c.Documents.IndexName }, rule: indexName},
		{Var: "MARU_HANDBOOK", Key: "documents.handbook", Default: "true", Help: "index the sample handbook, which is searched until the team adds documents",
			into: func(c *Config) any { return &c.Documents.Handbook }},
		{Var: "MARU_DOCUMENTS_DIR", Key: "documents.folder", Help: "directory whose files are documents for everybody; watched for changes",
			into: func(c *Config) any { return &c.Documents.Folder }, rule: path},
		{Var: "MARU_SYNONYMS", Key: "documents.synonyms", Help: "file with the team's synonyms, one group per line: `PTO, annual leave` (docs/operating.md); reloaded when it changes; unset: none",
			into: func(c *Config) any { return &c.Documents.Synonyms }, rule: path},
		{Var: "MARU_MAX_FILE", Key: "documents.max_file", Default: "20MiB", Help: "maximum file size, e.g. 20MiB",
			into: func(c *Config) any { return &c.Documents.MaxFile }, rule: sized("1KiB", "1GiB")},
		{Var: "MARU_MAX_PASSAGES", Key: "documents.max_passages", Default: "20000", Help: "maximum passages per file; larger files are rejected",
			into: func(c *Config) any { return &c.Documents.MaxPassages }, rule: between(100, 1_000_000)},
		{Var: "MARU_PASSAGES", Key: "documents.passages", Default: "5", Help: "number of passages given to the model",
			into: func(c *Config) any { return &c.Documents.Passages }, rule: between(1, 50)},
		{Var: "MARU_THRESHOLD", Key: "documents.threshold", Default: "0", Help: "minimum score of a passage, 0 to 1; 0: the index's default",
			into: func(c *Config) any { return &c.Documents.Threshold }, rule: ranging(0, 1)},
		{Var: "MARU_FETCH_TIMEOUT", Key: "documents.fetch_timeout", Default: "5m", Help: "time limit for downloading one file from Slack or Discord",
			into: func(c *Config) any { return &c.Documents.FetchTime }, rule: lasting("1s", "1h")},
		{Var: "MARU_LINKS", Key: "documents.links", Default: "public", Help: "which linked addresses may be read on request: `public` ones only, `inside` (also those in `MARU_HTTP_INSIDE`) or `off`",
			into: func(c *Config) any { return &c.Documents.Links }, rule: oneOf("public", "inside", "off"), fold: true},
		{Var: "MARU_OCR", Key: "documents.ocr", Default: "auto", Help: "OCR of pictures and scanned pages by Tesseract: `auto` (if installed), `on` (required) or `off`",
			into: func(c *Config) any { return &c.Documents.OCR }, rule: oneOf("auto", "on", "off"), fold: true},
		{Var: "MARU_OCR_LANGUAGES", Key: "documents.ocr_languages", Default: "kor+eng", Help: "Tesseract language codes, joined by `+`",
			into: func(c *Config) any { return &c.Documents.OCRLanguages }, rule: oneWord},
		{Var: "MARU_LOAD_TIMEOUT", Key: "documents.timeout", Default: "1m", Help: "time limit for parsing one file",
			into: func(c *Config) any { return &c.Documents.Timeout }, rule: lasting("1s", "1h")},
	}
}

func runSettings() []Setting {
	return []Setting{
		{Var: "MARU_WORKERS", Key: "run.workers", Default: "96", Help: "threads processed concurrently; at most three quarters of them in one channel and two thirds for one person there",
			into: func(c *Config) any { return &c.Run.Workers }, rule: between(1, 10_000)},
		{Var: "MARU_RUN_TIMEOUT", Key: "run.timeout", Default: "10m", Help: "time limit of one run, not counting waits for people",
			into: func(c *Config) any { return &c.Run.Timeout }, rule: lasting("1s", "24h")},
		{Var: "MARU_MAX_STEPS", Key: "run.steps", Default: "100", Help: "maximum super-steps of one run",
			into: func(c *Config) any { return &c.Run.Steps }, rule: between(10, 100_000)},
		{Var: "MARU_LEASE_TTL", Key: "run.lease_ttl", Default: "10s", Help: "lease duration: another process takes over a dead process's threads after it",
			into: func(c *Config) any { return &c.Run.LeaseTTL }, rule: lasting("1s", "10m")},
		{Var: "MARU_SHUTDOWN", Key: "run.shutdown", Default: "10s", Help: "time limit for a graceful shutdown after SIGTERM",
			into: func(c *Config) any { return &c.Run.Shutdown }, rule: lasting("1s", "10m")},
	}
}

func memorySettings() []Setting {
	return []Setting{
		{Var: "MARU_MEMORY_ON", Key: "memory.on", Default: "true", Help: "remember people's working habits and what they said about themselves; each person may turn it off",
			into: func(c *Config) any { return &c.Memory.On }},
		{Var: "MARU_MEMORY_RETENTION", Key: "memory.retention", Default: "8760h", Help: "retention of learned data",
			into: func(c *Config) any { return &c.Memory.Retention }, rule: lasting("24h", "87600h")},
		{Var: "MARU_MEMORY_TOKENS", Key: "memory.tokens", Default: "300", Help: "maximum tokens of memory in a prompt",
			into: func(c *Config) any { return &c.Memory.Tokens }, rule: between(50, 4000)},
		{Var: "MARU_MEMORY_EXTRACT", Key: "memory.extract", Default: "true", Help: "let the model extract, after the reply, what a person said about themselves",
			into: func(c *Config) any { return &c.Memory.Extract }},
	}
}
