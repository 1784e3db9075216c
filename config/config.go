// Package config holds the settings of the program ([Config], read once at start by [Load]) and the settings that
// people can change in a place ([Key], resolved by [Resolve]).
//
// One table, in table.go, defines every program setting: its parsing, validation, flag, variable, key in the YAML
// file, text of --help and row of the table in docs/configuration.md. Load reports every fault at once and never shows a secret.
//
// The package imports only phrase of this module and never touches the environment or the disk itself: cmd/maru
// passes functions for both.
package config

import (
	"log/slog"
	"slices"
	"time"

	"maru/config/network"
)

// Config holds the operator's settings. Every field is valid after Load.
type Config struct {
	File      string // the YAML file it was read from, "" if there was none
	Slack     Slack
	Discord   Discord
	Model     Model  // of answers; see Models for those of other roles
	Models    Models // of the YAML file alone
	Store     Store
	HTTP      HTTP
	SignIn    SignIn
	Log       Log
	Thread    Thread
	Approvals Approvals
	Decisions Decisions
	Tools     Tools
	Documents Documents
	Contract  Contract
	Guide     Guide
	Workflows Workflows
	Memory    Memory
	Run       Run
	Telemetry Telemetry
	Place     Place
	Limits    struct{ Person, Run Limits } // of a person a day in a workspace, and of a run

	// Warnings are settings that work but deserve a second look.
	Warnings Faults

	origin map[string]string // variable → where its value comes from
}

// Slack is the Slack app. It is on when BotToken is set, or ClientID: then
// workspaces install it by themselves.
type Slack struct {
	BotToken      Secret // xoxb-…, of one workspace
	AppToken      Secret // xapp-…; set: Socket Mode, unset: signed HTTP
	SigningSecret Secret // of HTTP requests
	APIURL        string // base of the Web API, ends in "/"

	ClientID     string
	ClientSecret Secret
	Teams        []string // workspaces and organisations that may install the app; empty: any
}

// On reports whether Slack is configured.
func (s Slack) On() bool { return s.BotToken != "" || s.Distributed() }

// Distributed reports whether workspaces may install the app by themselves.
func (s Slack) Distributed() bool { return s.ClientID != "" }

// SocketMode reports whether events come over a web socket that we open.
func (s Slack) SocketMode() bool { return s.AppToken != "" }

// Discord is the Discord app. It is on when BotToken is set.
type Discord struct {
	BotToken       Secret
	PublicKey      string // 64 hex digits; set: HTTP interactions are served too
	APIURL         string // base of the REST API with its version, no "/" at the end
	AnswerInThread bool   // open a thread from the question and answer there
	Greet          bool   // say hello in a guild that took the bot in
}

// On reports whether Discord is configured.
func (d Discord) On() bool { return d.BotToken != "" }

// Model is the language model endpoint. With neither APIKey nor a BaseURL of
// one's own the built-in extractive model answers.
type Model struct {
	APIKey       Secret
	BaseURL      string
	Name         string // chat model, or Azure deployment
	Embedding    Embedding
	Azure        bool
	APIVersion   string // of Azure
	Fallbacks    []string
	Choices      []string      // of Name, that places may choose from; none: they may not choose
	Timeout      time.Duration // of one call, with its stream
	FirstTimeout time.Duration // until a stream begins; then it is asked for again
	IdleTimeout  time.Duration // between two pieces of a stream
	Retries      int           // after the first try, on errors that may pass
	MaxTokens    int           // of one reply, 0 means the endpoint's own
	Temperature  *float64      // nil means the endpoint's own
	Context      int           // tokens of prompt and reply; 0 means what the endpoint tells, or what it turns out to take
	InFlight     int           // calls at the same time; 0 means as many as the endpoint turns out to take
	Prices       map[string]Price
	Transcriber  string // model of the endpoint that writes recordings down; "": they are not heard
	Vision       string // "auto", "on" or "off": whether models are sent pictures

	Settings string // begins the names of its settings: "models.plan" in the YAML file; "" for those of OPENAI_*
}

// Embedding is the model that makes vectors.
type Embedding struct {
	Model         string // "": search is by keywords alone
	BaseURL       string // "": the endpoint of the language model
	APIKey        Secret // "" with a BaseURL: that endpoint needs none
	QueryPrefix   string // before a question; "" what the model's family is documented to need, "none" nothing
	PassagePrefix string // before a passage, in the same way

	Timeout time.Duration // of one batch; 0 means that of the language model
}

// Embeds reports whether vectors are made: by an endpoint of their own or by the language
// model's.
func (m Model) Embeds() bool { return m.Embedding.Model != "" && (m.Embedding.BaseURL != "" || m.On()) }

// openAI is the default endpoint.
const openAI = "https://api.openai.com/v1"

// On reports whether an endpoint is configured.
func (m Model) On() bool { return m.APIKey != "" || (m.BaseURL != "" && m.BaseURL != openAI) }

// Price is the price of a million tokens of a model, in the currency of your bill.
type Price struct {
	Input  float64
	Output float64
	Cached float64 // input tokens that the service had cached
}

// Store is where data lives.
type Store struct {
	DataDir     string // folder of the embedded stores
	WorkflowDir string // folder of the team's own workflows; "" means workflows under DataDir
	DatabaseURL Secret // PostgreSQL; "" means SQLite under DataDir
	RedisURL    Secret // "" means live state in process
	SecretKey   Secret // seals workspace credentials: keys of [SealKeys], the newest first
}

// HTTP holds the listen addresses.
type HTTP struct {
	Addr        string
	AdminAddr   string  // "" switches the operator's listener off
	Console     bool    // serve the web console
	WebPassword Secret  // login of the web console; "" means no login, loopback only
	Tokens      []Token // of the HTTP API, of the YAML file alone
	PublicURL   string  // how people reach Addr, no "/" at the end; "" if links cannot be given
	Pprof       bool
}

// Log is how the program logs.
type Log struct {
	Level slog.Level
}

// Thread is the window of a conversation that the model sees.
type Thread struct {
	MaxMessages  int // more than this many are summarised
	KeepRecent   int // this many are kept word for word
	MaxSummaries int // this many summaries are kept
}

// Approvals are the defaults for questions of a run. The individual settings win over ENABLE_HITL, which sets all
// three.
type Approvals struct {
	Clarification bool
	Plan          bool
	Step          bool
}

// Decisions are the defaults of how people decide about a run.
type Decisions struct {
	Approvers []string      // who may decide besides who asked: ids of people, roles or user groups, "@admins"
	TwoPeople bool          // actions that change, send or execute something need two people
	Expires   time.Duration // a question is given up after it
	Remind    time.Duration // people are reminded once after it; 0: never
	WhileBusy string        // effect of a message during a run; see BusyQueue
	OnEdit    string        // effect of an edited question; see EditRestart
	Feedback  bool          // final answers have 👍 and 👎
	AutoSteps bool          // a step that only reads may be approved by its person's own history
}

// Tools are the settings of tools.
type Tools struct {
	AutoDetect    bool          // watch MCP servers' tool lists
	CheckInterval time.Duration // how often
	Timeout       time.Duration // of one call
	Rounds        int           // of tool calls in a turn
	Disabled      []string      // names of tools that are never offered
	MCP           []MCPServer   // of the YAML file alone

	OpenWeatherKey     Secret
	OpenWeatherBaseURL string
	TavilyKey          Secret
	TavilyBaseURL      string
	GoogleKey          Secret
	GoogleCSE          string
	GoogleBaseURL      string
	WikipediaBaseURL   string // "{lang}" becomes the language

	Python        string // "auto", "on" or "off"
	PythonPath    string
	PythonTimeout time.Duration
	PythonMemory  int64 // bytes
}

// The indexes of documents.
const (
	IndexLocal      = "local"      // under DataDir; with a database it follows that of all replicas
	IndexPGVector   = "pgvector"   // in PostgreSQL
	IndexOpenSearch = "opensearch" // in an OpenSearch cluster
)

// Documents are the settings of retrieval and uploads.
type Documents struct {
	Index       string           // which index holds them; see IndexLocal
	IndexURL    Secret           // of a shared index; "" means that of the record, where it can be
	IndexName   string           // of the index in OpenSearch
	Handbook    bool             // index the bundled handbook
	Synonyms    string           // file of the team's synonyms; "" for none
	Folder      string           // kept in step with the documents of everybody; "" for none
	MaxPassages int              // of one file
	MaxFile     int64            // bytes of one file
	Passages    int              // shown to the model
	Threshold   float64          // calibrated score in [0,1]; 0 means the index's own
	FetchTime   time.Duration    // of downloading one file
	Timeout     time.Duration    // of parsing one file
	Sources     []DocumentSource // kept in sync, of the YAML file alone

	Links             string // that people ask to be read: "public", "inside", "off"
	OCR, OCRLanguages string // whether text of pictures is recognised ("auto", "on", "off"), and in which languages
}

// Contract are the settings of the contract agent.
type Contract struct {
	MaxIterations int    // rounds of looking up and judging in one turn
	Cache         bool   // answer a prompt that was answered before from memory
	Persistence   string // when steps are committed: "sync", "grouped" or "exit"
	Checkpoints   string // SQLite file of its steps; "" means the record
}

// Guide are the settings of the guide agent.
type Guide struct {
	Threshold float64 // similarity in [0,1] below which a service or passage is not used
	MaxRounds int     // of tool calls in one turn
	Services  string  // JSON file of the team's own services; "" means the bundled ones alone
}

// Workflows are the settings of the team's own agents.
type Workflows struct {
	Inside network.Set // addresses that are not public, which http_request may ask all the same; default none
}

// Memory holds the settings of long-term memory.
type Memory struct {
	On        bool          // master switch: without it nothing is learned or recalled, at any place's settings
	Retention time.Duration // age at which lessons are removed
	Tokens    int           // of memory in a prompt, at most
	Extract   bool          // ask the model, after the reply, for people's statements about themselves
}

// Run bounds the work of the program and of one run.
type Run struct {
	Workers  int           // threads worked on at the same time
	Timeout  time.Duration // of one run, waiting for people not counted
	Steps    int           // super-steps of one run
	LeaseTTL time.Duration // a dead process's threads are taken over after it
	Shutdown time.Duration // from SIGTERM to the end
}

// Place holds the defaults of a place; see [Resolve].
type Place struct {
	Agent    string
	Language string
	Engage   string
	React    bool
	Persona  string
	TimeZone string   // IANA name or "Local"
	Apps     []string // whose mentions are answered; "all" for everybody's
	Admins   []string
	OnLeave  string // data of a workspace that uninstalls the bot

	Schedules      Schedules     // how many there may be
	Retention      time.Duration // age at which messages are removed; 0: never
	AuditRetention time.Duration // entries of the audit log that are older are pruned; 0: none
	Prompts        time.Duration // age at which prompts and replies of models are removed; 0: none are kept
}

// Answers reports whether mentions by an app of this ID are answered.
func (p Place) Answers(id string) bool {
	return id != "" && (slices.Contains(p.Apps, id) || slices.Contains(p.Apps, "all"))
}

// Location returns the default time zone.
func (p Place) Location() *time.Location {
	loc, err := time.LoadLocation(p.TimeZone)
	if err != nil { // refused by Load
		return time.UTC
	}
	return loc
}

// DecisionDefaults returns how people decide where neither the operator nor
// anybody else has set anything.
func DecisionDefaults() Decisions {
	return Decisions{Expires: 7 * 24 * time.Hour, Remind: 24 * time.Hour, WhileBusy: BusyQueue, OnEdit: EditRestart}
}

// AgentChat is the agent of places without a setting, and answers what was said in a channel.
const AgentChat = "chat"

// PlaceDefaults returns the built-in defaults of a place.
func PlaceDefaults() Place {
	return Place{Agent: AgentChat, Language: LanguageAuto, Engage: EngageFollow, TimeZone: "Local", OnLeave: LeaveKeep, Schedules: Schedules{Person: 20, Channel: 50}}
}

// ApproverAdmins in a list of approvers stands for the admins of the workspace and the operators of this program.
const ApproverAdmins = "@admins"
