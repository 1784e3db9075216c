package main

import (
	"context"
	"maru/bot/operate"
	"slices"
)

// subcommand is one row of the program's command table.
type subcommand struct {
	name     string
	forms    []string // argument forms after the name; none for nothing
	summary  string
	options  []option // those that are not settings
	examples []string // after `maru `
	hidden   bool
	bare     bool // runs without valid settings
	agents   bool // requires that the default agent exists
	run      func(context.Context, invocation) error
}

// option is a flag of one subcommand, as its help shows it.
type option struct{ flag, meaning string }

func subcommands() []subcommand {
	return slices.Concat(everyday(), []subcommand{rehearsing()}, operating())
}

// everyday lists the commands for using the bot and adding documents.
func everyday() []subcommand {
	return []subcommand{
		{name: "serve", summary: "serve the web console, Slack and Discord (the default)", agents: true, run: serve},
		{
			name: "chat", forms: []string{"[--thread NAME]"}, summary: "talk to the bot in this terminal", run: talk,
			options: []option{{"--thread NAME", "go on with that conversation; otherwise with the last one"}},
		},
		{name: "demo", summary: "see a task from question to answer in this terminal, with a scripted model", run: demonstrate},
		{
			name: "ask", forms: []string{"[--json] [--thread NAME] QUESTION…|/COMMAND…|-"}, summary: "ask once, or give a command of the chat, and print the answer", run: ask,
			options: []option{
				{"--json", "print answer, sources and usage as JSON, for programs"},
				{"--thread NAME", "ask in that conversation, which is remembered"},
				{"-", "read the question from standard input"},
			},
			examples: []string{`ask "How many days of annual leave do I have?"`, `ask --json "12.5 * 8"`, `ask "/memory"`},
		},
		{
			name: "ingest", forms: []string{"[--scope SCOPE] [--tag TAG]… [--sync] [--wait] PATH…"}, summary: "add files or folders to the documents", run: ingest,
			options: []option{
				{"--scope SCOPE", "who finds them, default public: everybody"},
				{"--tag TAG", "file them under a tag, may be given several times; without it they keep the tags they have"},
				{"--sync", "remove what earlier runs took from a folder and is not in it any more"},
				{"--wait", "end when all passages have vectors, or say why not; without it `maru serve` makes them"},
			},
			examples: []string{"ingest handbook/", "ingest --tag hr --tag 2026 leave.pdf"},
		},
		{
			name: "docs", forms: []string{"[--scope SCOPE] [list]", "[--scope SCOPE] remove NAME…", "sample on|off"}, run: docs,
			summary:  "list or remove documents, or switch the sample handbook on or off for good",
			options:  []option{{"--scope SCOPE", "of whose documents, default public: everybody's"}},
			examples: []string{"docs remove rules/leave.md", "docs sample off"},
		},
		{
			name: "workflow", forms: []string{
				"list", "show ID|FILE", "validate FILE…", "graph [--svg] ID|FILE", "schema [ID]", "run [--log FILE] FILE|ID INPUT…|-",
			}, summary: "list agents; check, draw and try workflow definitions", run: workflows,
			options: []option{
				{"--svg", "draw a picture instead of Mermaid"},
				{"--log FILE", "add the turn to a file, where the workflow has a transcript_record"},
			},
			examples: []string{"workflow graph --svg chat > chat.svg", `workflow run triage.json "The page is blank"`},
		},
		{
			name: "eval", forms: []string{
				"[--json|--html PAGE] [--wrong] [--grade] [--documents PATH]… [--scope SCOPE]… [--against YAML] FILE",
				"[--agent NAME] [--json] [--wrong] [--documents PATH]… [--every N] [--skip N] TASKS|FOLDER",
				"[--json] [--every N] [--skip N] [--vectors|--removed|--memory] SET…", "--labels FILE", "--from-channel CHANNEL",
			}, summary: "measure answers to a file of questions, agents on tasks, or retrieval on folders of a set", run: evaluated,
			options: []option{
				{"--json", "print everything as JSON, each question with its answer"},
				{"--html PAGE", "write a page with the figures and the wrong answers"},
				{"--grade", "have the model grade each answer: right, cited, complete, declined"},
				{"--agent NAME", "run the tasks of a file through that agent; a folder has a file for each"},
				{"--labels", "how far does the model's grading agree with a file of labels?"},
				{"--from-channel CHANNEL", "write what a channel asked in vain or voted down as lines of a question file"},
				{"--wrong", "list what went wrong, with the answers"},
				{"--documents PATH", "ask of these files alone, may be given several times"},
				{"--scope SCOPE", "ask of the documents of a scope, default public, may be given several times"},
				{"--against YAML", "ask again with the settings of that file and show both"},
				{"--every N", "ask every N-th question or task alone"},
				{"--skip N", "leave the first N questions or tasks out, for other ones than --every alone asks"},
				{"--vectors", "also beside pretended vectors of every quality"},
				{"--removed", "take a fifth of the passages out: is it told that the answer is gone?"},
				{"--memory", "measure the memory of conversations"},
			},
			examples: []string{"eval --wrong handbook/testdata/questions.jsonl", "eval --agent orchestrator examples/tasks/orchestrator.jsonl"},
		},
	}
}

// rehearsing returns the command that tests a change.
func rehearsing() subcommand {
	return subcommand{
		name: "rehearse", forms: []string{
			"[--against YAML] [--set KEY=VALUE]… [--definition FILE]… [--documents PATH]… [--channel CHANNEL] [--last N] [--baseline] [--cost N] [--time D] [--html PAGE] [--save FILE [--pick N,N…]] [--fresh]",
		}, summary: "ask a channel's last questions again with other settings, without any effect, and show which answers change", run: rehearsed,
		options: []option{
			{"--against YAML", "with the settings of that file"},
			{"--set KEY=VALUE", "with a channel's setting, such as agent=guide, may be given several times"},
			{"--definition FILE", "with that workflow in place of the one with its id, may be given several times"},
			{"--documents PATH", "with these files as the only documents, may be given several times"},
			{"--channel CHANNEL", "of one channel, such as slack/T0123/C0123; otherwise of all"},
			{"--last N", "how many questions, default 200"},
			{"--baseline", "ask with the present settings as well, to tell chance from the change"},
			{"--cost N", "stop when so much is spent, in the currency of MODEL_PRICES"},
			{"--time D", "stop after that time, such as 30m; the same command goes on"},
			{"--html PAGE", "write a page with the answers side by side"},
			{"--save FILE", "add the changed questions to a question file of `maru eval`"},
			{"--pick N,N", "save these of the report instead"},
			{"--fresh", "forget earlier progress of the same rehearsal"},
		},
		examples: []string{"rehearse --against new.yaml --channel slack/T0123/C0123 --html report.html"},
	}
}

// operating lists the commands for operating the program, and those about it.
func operating() []subcommand {
	return []subcommand{
		{name: "migrate", forms: []string{"[status]"}, summary: "bring the record's schema up to date, or show its version", run: migrate},
		{
			name: "audit", forms: []string{
				"verify [--team TEAM]", "list [--team TEAM] [--who ID] [--what KIND] [--since WHEN] [--format json|csv]", "check RECEIPT [KEYS]", "new-key",
			}, summary: "check the audit log's chain, write the log, check a receipt of an approval, or renew the key of receipts", run: desk(operate.Desk.Audit, "audit"),
			options: []option{
				{"--team TEAM", "of one workspace, such as slack/T0123ABCD; otherwise of all"},
				{"--who ID", "what that person did"},
				{"--what KIND", "entries of a kind, such as setting"},
				{"--since WHEN", "entries from then on: 12h, 7d or 2026-11-21"},
				{"--format json|csv", "JSON lines (the default) or CSV"},
			},
			examples: []string{"audit list --what setting --since 7d --format csv"},
		},
		{
			name: "usage", forms: []string{"[--days N] [--by person|model]"}, summary: "write usage as CSV", run: desk(operate.Desk.Usage, "usage"),
			options: []option{{"--days N", "of so many days up to today, default 30"}, {"--by person", "one row a person"}},
		},
		{
			name: "parked", forms: []string{"[list]", "retry ID|all"}, run: desk(operate.Desk.Parked, "retry"),
			summary:  "list messages and jobs that were set aside after the program died processing them, or retry them",
			examples: []string{"parked retry all"},
		},
		{name: "doctor", summary: "check every configured part and say what to fix", bare: true, run: doctor},
		{
			name: "installs", forms: []string{"[list]", "remove PLATFORM/WORKSPACE"}, run: installs,
			summary:  "list the workspaces that installed the bot, or uninstall it from one",
			examples: []string{"installs remove slack/T0123ABCD"},
		},
		{
			name: "manifest", forms: []string{"[--url URL] [--install]"}, summary: "print the manifest that creates the Slack app", bare: true, run: manifest,
			options: []option{
				{"--url URL", "https address that Slack reaches the program at, for HTTP instead of Socket Mode; default MARU_PUBLIC_URL"},
				{"--install", "for an app that workspaces install themselves; needs an address"},
			},
			examples: []string{"manifest --url https://maru.example.com"},
		},
		{name: "healthcheck", summary: "ask the running program whether it is alive", hidden: true, run: healthcheck},
		{name: "version", summary: "print the version", bare: true, run: printVersion},
		{name: "help", forms: []string{"[COMMAND]"}, summary: "every command and setting, or the use of one command", bare: true, run: help},
		{name: childCommand, hidden: true, bare: true, run: parseChild},
		{name: pictureCommand, hidden: true, bare: true, run: pictureChild},
	}
}

func find(name string) (subcommand, bool) {
	for _, c := range subcommands() {
		if c.name == name {
			return c, true
		}
	}
	return subcommand{}, false
}
