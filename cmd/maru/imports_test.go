package main

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// rule says what a package may import: of ours, and which SDKs have their home
// in it.
type rule struct {
	ours []string // path prefixes below the module, without the module's name
	sdks []string
}

// rules is the table of docs/architecture.md: four rings, imports only point
// inward. A package without a rule fails the test.
var rules = map[string]rule{
	// Ring 0: words.
	"phrase":                  {},
	"phrase/chart":            {ours: []string{"phrase", "phrase/fit", "phrase/pattern"}},
	"phrase/correction":       {ours: []string{"phrase/fit", "phrase/pattern"}},
	"phrase/fit":              {},
	"phrase/pattern":          {},
	"phrase/intent":           {ours: []string{"phrase/pattern"}},
	"phrase/link":             {ours: []string{"phrase/fit", "phrase/pattern"}},
	"phrase/mention":          {ours: []string{"phrase/pattern"}},
	"phrase/markdown":         {ours: []string{"phrase", "phrase/chart", "phrase/fit", "phrase/link", "phrase/pattern"}},
	"phrase/prose":            {ours: []string{"phrase/fit"}},
	"phrase/quantity":         {ours: []string{"phrase/pattern"}},
	"phrase/slip":             {},
	"phrase/zone":             {},
	"phrase/when":             {ours: []string{"phrase", "phrase/pattern", "phrase/zone"}, sdks: []string{"github.com/netresearch/go-cron"}},
	"config/network":          {},
	"config":                  {ours: []string{"config/network", "phrase", "phrase/pattern", "phrase/slip", "phrase/zone"}},
	"memory":                  {},
	"memory/schema":           {},
	"rag/article":             {ours: []string{"phrase/pattern"}},
	"rag/english":             {},
	"rag/lexicon":             {},
	"rag/rank":                {ours: []string{"rag"}},
	"rag/answer":              {ours: []string{"phrase/fit", "phrase/intent", "phrase/pattern", "phrase/prose", "rag"}},
	"rag/edition":             {ours: []string{"phrase/pattern", "rag"}},
	"rag/naming":              {ours: []string{"phrase/pattern", "phrase/slip", "rag", "rag/article", "rag/english"}},
	"rag/vec":                 {},
	"rag":                     {ours: []string{"phrase/pattern", "rag/article", "rag/lexicon"}},
	"handbook":                {},
	"agent":                   {ours: []string{"agent/limit", "phrase"}},
	"agent/limit":             {},
	"agent/token":             {},
	"agent/llm/runaway":       {ours: []string{"phrase/pattern"}},
	"agent/llm/queue":         {ours: []string{"agent/limit", "agent/llm"}},
	"agent/llm":               {ours: []string{"agent/limit", "phrase/fit"}},
	"agent/graph":             {ours: []string{"agent/limit", "phrase/slip"}},
	"agent/flow":              {ours: []string{"agent/llm", "agent/tool", "phrase/fit", "phrase/mention", "phrase/pattern", "phrase/prose", "phrase/quantity", "phrase/when", "phrase/zone", "rag", "rag/naming"}},
	"agent/tool":              {ours: []string{"agent", "agent/limit", "agent/llm", "phrase", "phrase/fit", "phrase/pattern", "phrase/slip", "rag"}},
	"memory/longterm":         {ours: []string{"phrase", "phrase/correction", "phrase/fit", "phrase/intent", "phrase/pattern", "rag"}},
	"memory/longterm/episode": {ours: []string{"rag"}},
	// Ring 1: decisions.
	"bot":                    {ours: []string{"agent", "bot/audit", "phrase", "phrase/fit", "rag"}},
	"bot/audit":              {},
	"bot/audit/sentence":     {ours: []string{"agent", "bot/audit", "config", "phrase", "phrase/fit"}},
	"bot/unread":             {ours: []string{"agent", "bot", "bot/content", "phrase", "phrase/fit"}},
	"bot/linked":             {ours: []string{"agent", "bot", "bot/content", "phrase", "phrase/fit", "phrase/pattern", "rag"}},
	"rag/source":             {ours: []string{"phrase"}},
	"bot/toolserver":         {ours: []string{"agent", "agent/tool/attached", "bot", "bot/seal", "config", "phrase", "phrase/fit"}},
	"bot/seal":               {},
	"bot/standing":           {ours: []string{"bot", "bot/place", "config", "phrase", "phrase/fit"}},
	"bot/account":            {ours: []string{"agent/tool/attached", "bot", "bot/approval", "bot/seal", "bot/shared", "phrase", "phrase/fit"}},
	"bot/audience":           {ours: []string{"bot", "bot/shared", "phrase", "rag/source"}},
	"bot/source":             {ours: []string{"bot", "bot/audience", "config", "phrase", "phrase/fit", "phrase/markdown", "phrase/when", "rag/source"}},
	"rag/source/sync":        {ours: []string{"bot/chore", "phrase", "rag", "rag/library", "rag/source"}},
	"bot/label":              {ours: []string{"bot", "phrase", "phrase/fit"}},
	"bot/overview":           {ours: []string{"bot"}},
	"bot/about":              {ours: []string{"bot", "config", "phrase", "phrase/intent"}},
	"bot/definition":         {ours: []string{"bot/audit"}},
	"bot/exchange":           {ours: []string{"agent", "bot"}},
	"bot/receipt":            {},
	"bot/shared":             {ours: []string{"bot"}},
	"bot/desk":               {ours: []string{"agent", "bot", "bot/approval", "bot/outside", "bot/place", "bot/receipt", "bot/seal", "phrase", "phrase/fit", "rag"}},
	"bot/rehearsal":          {ours: []string{"agent", "agent/tool/replay", "bot", "bot/approval", "bot/overview", "bot/place", "bot/reply", "config", "phrase", "phrase/fit", "phrase/pattern", "rag"}},
	"bot/calendar":           {ours: []string{"bot", "phrase/when"}},
	"bot/outside":            {ours: []string{"bot"}},
	"bot/content":            {ours: []string{"phrase/fit"}},
	"bot/picture":            {ours: []string{"agent"}},
	"bot/approval":           {ours: []string{"agent", "bot", "bot/chore", "bot/label", "bot/place", "config", "phrase", "phrase/fit", "phrase/intent", "phrase/markdown"}},
	"adapters/lanes/body":    {ours: []string{"bot"}},
	"rag/load/cut":           {ours: []string{"rag/article", "rag/load/outline"}},
	"rag/load/ocr":           {},
	"rag/load/records":       {},
	"bot/chore":              {},
	"bot/forecast":           {ours: []string{"agent", "bot", "bot/overview", "bot/place", "bot/tally", "config", "phrase", "phrase/fit"}},
	"bot/modeluse":           {ours: []string{"agent", "bot"}},
	"bot/tally":              {ours: []string{"bot", "bot/place", "config", "phrase", "phrase/fit"}},
	"bot/said":               {ours: []string{"agent", "agent/llm", "agent/tool", "bot", "phrase", "phrase/fit", "phrase/intent", "phrase/when", "rag"}},
	"bot/schedule":           {ours: []string{"bot", "bot/calendar", "bot/chore", "config", "phrase", "phrase/fit", "phrase/intent", "phrase/pattern", "phrase/prose", "phrase/when"}},
	"bot/command":            {ours: []string{"agent", "bot", "bot/approval", "bot/audit", "bot/audit/sentence", "bot/cited", "bot/place", "bot/privacy", "bot/share", "bot/tally", "config", "memory/longterm", "phrase", "phrase/fit", "phrase/intent", "phrase/pattern", "phrase/slip", "rag"}},
	"bot/share":              {ours: []string{"bot", "bot/place", "config", "phrase", "rag", "rag/library"}},
	"bot/operate":            {ours: []string{"bot", "bot/audit", "bot/command", "bot/desk", "bot/gap", "bot/parking", "bot/receipt", "bot/tally", "phrase/fit"}},
	"bot/parking":            {ours: []string{"bot", "bot/shared", "config", "phrase", "phrase/fit", "phrase/when"}},
	"bot/wording":            {ours: []string{"bot"}},
	"bot/cited":              {ours: []string{"bot", "phrase", "phrase/fit"}},
	"bot/gap":                {ours: []string{"bot", "bot/calendar", "bot/note", "config", "phrase", "phrase/fit", "phrase/when", "rag"}},
	"bot/note":               {ours: []string{"bot", "bot/shared", "memory/longterm", "phrase", "phrase/fit", "phrase/intent", "phrase/when", "rag"}},
	"bot/inbox":              {ours: []string{"bot", "bot/chore", "bot/parking", "bot/place", "bot/shared", "config", "phrase/fit", "phrase/intent"}},
	"bot/learning":           {ours: []string{"agent", "bot", "bot/place", "memory/longterm", "phrase/intent"}},
	"bot/place":              {ours: []string{"agent", "bot", "bot/audit", "bot/chore", "config", "memory/longterm", "phrase"}},
	"agent/catalog":          {ours: []string{"agent/autonomous", "agent/chat", "agent/contract", "agent/graph", "agent/guide", "agent/orchestrator", "agent/workflow", "phrase"}},
	"agent/metering":         {ours: []string{"agent", "agent/llm", "bot"}},
	"memory/history":         {ours: []string{"agent/workflow", "bot", "memory/longterm/episode", "phrase/correction"}},
	"rag/library":            {ours: []string{"bot", "phrase", "phrase/pattern", "rag", "rag/article", "rag/edition", "rag/lexicon", "rag/naming"}},
	"bot/privacy":            {ours: []string{"bot", "bot/audit", "bot/chore", "bot/exchange", "bot/place", "config", "memory/longterm", "phrase"}},
	"agent/workflow/foreign": {},
	"agent/workflow/syntax":  {ours: []string{"phrase", "phrase/pattern"}},
	"agent/workflow/reach":   {},
	"agent/workflow":         {ours: []string{"agent", "agent/graph", "agent/llm", "agent/token", "agent/tool", "agent/workflow/foreign", "agent/workflow/reach", "agent/workflow/syntax", "memory/longterm", "phrase", "phrase/fit", "phrase/pattern", "phrase/prose", "phrase/slip", "phrase/when", "rag", "rag/edition"}},
	"bot/service":            {ours: []string{"agent", "agent/tool/attached", "bot", "bot/about", "bot/account", "bot/approval", "bot/audience", "bot/calendar", "bot/chore", "bot/cited", "bot/command", "bot/desk", "bot/exchange", "bot/forecast", "bot/gap", "bot/inbox", "bot/learning", "bot/linked", "bot/note", "bot/parking", "bot/picture", "bot/place", "bot/privacy", "bot/reply", "bot/said", "bot/schedule", "bot/seal", "bot/source", "bot/standing", "bot/toolserver", "bot/turn", "config", "memory/longterm", "rag/source"}},
	"bot/turn":               {ours: []string{"agent", "bot", "bot/approval", "bot/chore", "bot/cited", "bot/content", "bot/exchange", "bot/forecast", "bot/learning", "bot/linked", "bot/modeluse", "bot/parking", "bot/picture", "bot/place", "bot/reply", "bot/unread", "bot/wording", "config", "memory/longterm", "phrase", "phrase/chart", "phrase/fit", "phrase/intent", "phrase/pattern", "rag"}},
	"bot/reply":              {ours: []string{"agent", "bot", "bot/chore", "phrase", "phrase/chart", "phrase/fit", "phrase/pattern", "rag"}},
	"agent/workflow/node":    {ours: []string{"agent", "agent/flow", "agent/graph", "agent/llm", "agent/tool", "agent/workflow", "memory", "phrase", "phrase/fit", "phrase/prose", "rag", "rag/answer"}},
	"agent/workflow/host":    {ours: []string{"agent", "agent/graph", "agent/llm", "agent/workflow", "agent/workflow/node", "memory", "memory/longterm", "phrase/fit"}},
	"agent/contract":         {ours: []string{"agent", "agent/graph", "agent/llm", "agent/tool", "agent/workflow", "agent/workflow/host", "agent/workflow/node", "memory", "phrase", "phrase/fit", "phrase/intent", "phrase/pattern", "rag", "rag/answer", "rag/article", "rag/lexicon"}},
	"agent/guide":            {ours: []string{"agent", "agent/graph", "agent/llm", "agent/planedit", "agent/tool", "agent/workflow", "agent/workflow/host", "agent/workflow/node", "memory", "memory/longterm", "phrase", "phrase/fit", "phrase/intent", "phrase/pattern", "phrase/prose", "rag", "rag/answer"}},
	"agent/autonomous":       {ours: []string{"agent", "agent/flow", "agent/graph", "agent/llm", "agent/tool", "agent/workflow", "agent/workflow/host", "agent/workflow/node", "memory", "phrase/pattern", "rag"}},
	"agent/orchestrator":     {ours: []string{"agent", "agent/flow", "agent/graph", "agent/limit", "agent/llm", "agent/planedit", "agent/tool", "agent/workflow", "agent/workflow/consent", "agent/workflow/host", "agent/workflow/node", "memory", "memory/longterm", "phrase", "phrase/fit", "phrase/intent", "rag"}},
	"agent/chat":             {ours: []string{"agent", "agent/flow", "agent/graph", "agent/llm", "agent/tool", "agent/workflow", "agent/workflow/consent", "agent/workflow/host", "agent/workflow/node", "memory", "memory/longterm", "phrase", "phrase/chart", "phrase/correction", "phrase/fit", "phrase/intent", "phrase/pattern", "phrase/prose", "rag", "rag/answer", "rag/naming"}},
	"agent/demo":             {ours: []string{"agent", "agent/graph", "agent/llm", "agent/orchestrator", "agent/tool", "agent/workflow/host", "handbook", "phrase"}},
	// Parts of agents that need none of their words.
	"agent/workflow/complete": {ours: []string{"agent/workflow"}},
	"agent/workflow/consent":  {ours: []string{"agent", "agent/flow", "agent/graph", "agent/llm", "agent/tool", "agent/workflow", "agent/workflow/node", "memory/longterm", "phrase", "phrase/fit", "phrase/intent"}},
	"agent/planedit":          {ours: []string{"phrase/fit", "phrase/intent", "phrase/pattern"}},
	// Ring 2: edges.
	"adapters/slack":            {ours: []string{"adapters/lanes/conn", "adapters/slack/file", "adapters/slack/gateway", "adapters/slack/inbound", "adapters/slack/install", "adapters/slack/payload", "adapters/slack/people", "adapters/slack/reply", "adapters/slack/web", "adapters/slack/workspace", "bot", "bot/label"}},
	"adapters/web/site":         {ours: []string{"bot", "bot/overview", "phrase", "phrase/fit"}},
	"adapters/web/access":       {},
	"adapters/web/signin":       {sdks: []string{"github.com/coreos/go-oidc", "golang.org/x/oauth2"}},
	"adapters/web":              {ours: []string{"adapters/lanes/body", "adapters/web/access", "adapters/web/signin", "adapters/web/site", "bot", "bot/cited", "bot/content", "bot/shared", "phrase", "phrase/chart", "phrase/fit", "phrase/intent", "phrase/markdown"}},
	"adapters/account":          {ours: []string{"bot/account", "phrase"}},
	"adapters/mcp":              {ours: []string{"adapters/lanes/body", "agent", "bot", "bot/desk", "bot/receipt", "phrase"}, sdks: []string{"github.com/modelcontextprotocol/go-sdk"}},
	"adapters/console":          {ours: []string{"bot", "phrase", "phrase/chart", "phrase/fit", "phrase/intent", "phrase/markdown"}},
	"agent/llm/openai/schema":   {ours: []string{"agent/llm"}},
	"agent/llm/openai/rawjson":  {},
	"agent/llm/openai/toolcall": {ours: []string{"agent/llm", "agent/llm/openai/rawjson", "agent/llm/openai/schema", "phrase/pattern"}},
	"agent/llm/openai":          {ours: []string{"agent/llm", "agent/llm/openai/rawjson", "agent/llm/openai/schema", "agent/llm/openai/toolcall", "agent/llm/runaway", "phrase/pattern"}, sdks: []string{"github.com/sashabaranov/go-openai"}},
	"agent/llm/extractive":      {ours: []string{"agent/llm", "phrase", "phrase/chart", "phrase/correction", "phrase/fit", "phrase/intent", "phrase/pattern", "phrase/prose", "phrase/when", "phrase/zone", "rag", "rag/answer", "rag/article"}},
	"agent/llm/scripted":        {ours: []string{"agent/llm", "phrase", "phrase/quantity"}},
	"agent/tool/builtin":        {ours: []string{"agent", "agent/tool", "memory/longterm", "phrase", "phrase/zone", "rag"}},
	"agent/tool/attached":       {ours: []string{"agent"}},
	"agent/tool/replay":         {ours: []string{"agent", "agent/tool", "phrase"}},
	"agent/tool/mcp":            {ours: []string{"agent", "agent/tool", "phrase", "rag/source"}, sdks: []string{"github.com/modelcontextprotocol/go-sdk"}},
	"agent/tool/mcp/grant":      {sdks: []string{"github.com/modelcontextprotocol/go-sdk", "golang.org/x/oauth2"}},
	"memory/redisstore":         {ours: []string{"agent/graph", "agent/llm/queue", "bot"}, sdks: []string{"github.com/redis/go-redis"}},
	"memory/sqlitestore/blank":  {},
	"memory/sqlitestore/lock":   {},
	"memory/sqlitestore":        {ours: []string{"agent", "agent/graph", "agent/tool/attached", "bot", "bot/audit", "bot/calendar", "bot/definition", "bot/exchange", "bot/modeluse", "bot/outside", "bot/overview", "bot/parking", "memory/longterm", "memory/schema", "memory/sqlitestore/blank", "memory/sqlitestore/lock", "rag/source"}},
	"memory/pgstore":            {ours: []string{"agent/graph", "agent/tool/attached", "bot", "bot/audit", "bot/calendar", "bot/definition", "bot/exchange", "bot/modeluse", "bot/outside", "bot/overview", "bot/parking", "memory/longterm", "memory/schema", "rag/source"}, sdks: []string{"github.com/jackc/pgx"}},
	"rag/load":                  {ours: []string{"phrase", "phrase/fit", "phrase/pattern", "rag", "rag/article", "rag/load/charset", "rag/load/confine", "rag/load/cut", "rag/load/hwp", "rag/load/mail", "rag/load/numfmt", "rag/load/ocr", "rag/load/office", "rag/load/outline", "rag/load/pack", "rag/load/page", "rag/load/pdf", "rag/load/plain", "rag/load/records", "rag/load/remark", "rag/load/talk"}},
	"rag/load/charset":          {},
	"rag/load/confine":          {},
	"rag/load/numfmt":           {},
	"rag/load/outline":          {ours: []string{"phrase/fit", "phrase/pattern"}},
	"rag/load/hwp":              {ours: []string{"rag/load/outline", "rag/load/pack"}, sdks: []string{"github.com/richardlehane/mscfb"}},
	"rag/load/pack":             {},
	"rag/load/page":             {sdks: []string{"codeberg.org/readeck/go-readability"}},
	"rag/source/confluence":     {ours: []string{"rag/source", "rag/source/rest"}},
	"rag/source/drive":          {ours: []string{"rag/source", "rag/source/rest"}},
	"rag/source/git":            {ours: []string{"rag/source"}},
	"rag/source/github":         {ours: []string{"rag/source", "rag/source/rest"}},
	"rag/source/notion":         {ours: []string{"rag/source", "rag/source/rest"}},
	"rag/source/rest":           {ours: []string{"rag/source"}},
	"rag/source/website":        {ours: []string{"rag/source", "rag/source/rest"}},
	"rag/load/talk":             {ours: []string{"phrase/fit", "rag/load/outline", "rag/load/pack"}},
	"rag/load/mail":             {ours: []string{"rag/load/charset", "rag/load/outline", "rag/load/pack"}, sdks: []string{"github.com/richardlehane/mscfb"}},
	"rag/load/office":           {ours: []string{"rag/load/charset", "rag/load/outline", "rag/load/pack", "rag/load/remark"}},
	"rag/load/remark":           {ours: []string{"phrase", "phrase/fit", "rag/load/outline", "rag/load/pack"}},
	"rag/load/plain":            {ours: []string{"phrase/pattern", "rag/load/charset", "rag/load/outline", "rag/load/records"}},
	"rag/load/pdf":              {ours: []string{"phrase/fit", "rag", "rag/article", "rag/load/ocr"}, sdks: []string{"github.com/klippa-app/go-pdfium", "github.com/tetratelabs/wazero"}},
	"rag/local":                 {ours: []string{"rag", "rag/rank", "rag/vec"}},
	"metrics":                   {ours: []string{"agent", "bot"}, sdks: []string{"github.com/prometheus/client_golang"}},
	"rag/eval/grade":            {ours: []string{"agent/llm", "rag/eval"}},
	"metrics/otlp":              {},
	"metrics/push":              {ours: []string{"metrics/otlp"}, sdks: []string{"github.com/prometheus/client_golang"}},
	"metrics/spans":             {ours: []string{"agent", "bot", "metrics/otlp"}},
	"rag/eval":                  {ours: []string{"memory/longterm", "memory/longterm/episode", "phrase/intent", "rag"}},
	"rag/opensearch":            {ours: []string{"rag", "rag/rank", "rag/vec"}},
	"rag/pgvector":              {ours: []string{"rag", "rag/rank", "rag/vec"}, sdks: []string{"github.com/jackc/pgx"}},
	"rag/replica":               {ours: []string{"rag", "rag/vec"}, sdks: []string{"github.com/jackc/pgx"}},

	"adapters/slack/file":                {ours: []string{"adapters/lanes/body", "adapters/slack/payload", "adapters/slack/render", "adapters/slack/web", "adapters/slack/workspace", "bot", "phrase/markdown"}, sdks: []string{"github.com/slack-go/slack"}},
	"adapters/slack/gateway":             {ours: []string{"adapters/lanes", "adapters/slack/payload", "adapters/slack/web", "bot"}, sdks: []string{"github.com/slack-go/slack"}},
	"adapters/slack/inbound":             {ours: []string{"adapters/lanes/cache", "adapters/slack/file", "adapters/slack/gateway", "adapters/slack/payload", "adapters/slack/people", "adapters/slack/render", "adapters/slack/reply", "adapters/slack/web", "adapters/slack/workspace", "bot", "bot/content", "bot/said", "phrase", "phrase/fit", "phrase/link", "phrase/markdown", "phrase/pattern"}, sdks: []string{"github.com/slack-go/slack"}},
	"adapters/slack/install":             {ours: []string{"adapters/lanes/cache", "adapters/slack/gateway", "adapters/slack/payload", "adapters/slack/web", "bot", "phrase"}, sdks: []string{"github.com/slack-go/slack"}},
	"adapters/slack/payload":             {ours: []string{"bot"}},
	"adapters/slack/people":              {ours: []string{"adapters/lanes/cache", "adapters/slack/payload", "adapters/slack/web", "adapters/slack/workspace", "bot", "bot/label"}, sdks: []string{"github.com/slack-go/slack"}},
	"adapters/slack/render":              {ours: []string{"adapters/slack/payload", "bot", "phrase", "phrase/chart", "phrase/fit", "phrase/link", "phrase/markdown"}, sdks: []string{"github.com/slack-go/slack"}},
	"adapters/slack/reply":               {ours: []string{"adapters/lanes/cache", "adapters/slack/payload", "adapters/slack/render", "adapters/slack/web", "adapters/slack/workspace", "bot", "phrase", "phrase/markdown"}, sdks: []string{"github.com/slack-go/slack"}},
	"adapters/slack/web":                 {ours: []string{"adapters/lanes/cache", "adapters/slack/payload", "bot", "phrase"}, sdks: []string{"github.com/slack-go/slack"}},
	"adapters/slack/workspace":           {},
	"adapters/discord":                   {ours: []string{"adapters/discord/account", "adapters/lanes/cache", "adapters/lanes/conn", "adapters/discord/event", "adapters/discord/inbound", "adapters/discord/interact", "adapters/discord/outbound", "adapters/discord/place", "adapters/discord/render", "adapters/discord/rest", "adapters/discord/shard", "adapters/discord/task", "adapters/discord/wire", "bot", "bot/label", "bot/said"}},
	"adapters/discord/account":           {ours: []string{"adapters/discord/rest", "adapters/discord/wire", "bot"}},
	"adapters/lanes/cache":               {},
	"adapters/lanes/conn":                {},
	"adapters/discord/event":             {ours: []string{"adapters/lanes/cache", "adapters/discord/place", "adapters/discord/rest", "adapters/discord/wire", "adapters/lanes", "bot"}},
	"adapters/discord/gateway":           {},
	"adapters/discord/inbound":           {ours: []string{"adapters/discord/place", "adapters/discord/render", "adapters/discord/rest", "adapters/discord/wire", "adapters/lanes/cache", "bot", "bot/content", "bot/said", "phrase", "phrase/fit", "phrase/link", "phrase/pattern"}, sdks: []string{"github.com/bwmarrin/discordgo"}},
	"adapters/discord/interact":          {ours: []string{"adapters/lanes/cache", "adapters/discord/outbound", "adapters/discord/place", "adapters/discord/render", "adapters/discord/rest", "adapters/discord/wire", "bot", "phrase", "phrase/fit"}, sdks: []string{"github.com/bwmarrin/discordgo"}},
	"adapters/discord/outbound":          {ours: []string{"adapters/lanes/cache", "adapters/discord/place", "adapters/discord/render", "adapters/discord/rest", "adapters/discord/wire", "bot", "phrase", "phrase/fit", "phrase/markdown"}},
	"adapters/discord/place":             {ours: []string{"adapters/lanes/cache", "adapters/discord/rest", "adapters/discord/wire", "bot", "bot/label"}, sdks: []string{"github.com/bwmarrin/discordgo"}},
	"adapters/discord/render":            {ours: []string{"adapters/discord/wire", "bot", "phrase", "phrase/fit", "phrase/link", "phrase/markdown"}},
	"adapters/discord/render/rendertest": {ours: []string{"bot"}},
	"adapters/discord/rest":              {ours: []string{"adapters/lanes/body", "adapters/lanes/cache", "bot", "phrase", "phrase/fit"}},
	"adapters/discord/shard":             {ours: []string{"adapters/discord/account", "adapters/discord/gateway", "adapters/discord/rest", "adapters/discord/wire", "bot"}, sdks: []string{"github.com/bwmarrin/discordgo"}},
	"adapters/discord/task":              {},
	"adapters/discord/wire":              {ours: []string{"bot", "bot/content"}, sdks: []string{"github.com/bwmarrin/discordgo"}},
	"adapters/lanes":                     {},

	// Suites and fakes: as far in as what they test.
	"agent/chat/chateval":            {ours: []string{"agent", "agent/chat", "agent/graph", "agent/workflow", "phrase", "rag", "rag/eval"}},
	"agent/tool/mcp/grant/grantfake": {sdks: []string{"github.com/modelcontextprotocol/go-sdk"}},
	"agent/graph/graphtest":          {ours: []string{"agent/graph", "datatest"}},
	"rag/load/ocr/ocrtest":           {ours: []string{"rag/load/ocr"}},
	"agent/llm/llmtest":              {ours: []string{"agent/llm"}},
	"bot/bottest":                    {ours: []string{"bot"}},
	"memory/memtest":                 {ours: []string{"agent", "agent/graph", "agent/tool/attached", "bot", "bot/audit", "bot/calendar", "bot/definition", "bot/exchange", "bot/modeluse", "bot/outside", "bot/overview", "bot/parking", "bot/shared", "memory/longterm", "memory/schema", "phrase/when", "rag/source"}},
	"memory/longterm/longtermtest":   {ours: []string{"memory/longterm"}},
	"memory/memtest/servers":         {},
	"scripts/lint":                   {},
	"scripts/scorecard":              {},
	"scripts/testcount":              {},
	"datatest":                       {},
	"agent/flow/flowtest":            {ours: []string{"datatest"}},
	"logtest":                        {},
	"rag/load/loadtest":              {},
	"rag/ragtest":                    {ours: []string{"datatest", "rag", "rag/vec"}},
	"rag/opensearch/opensearchfake":  {},
	"rag/source/sourcetest":          {ours: []string{"rag/source"}},
	"rag/source/drive/drivefake":     {}, "rag/source/rest/restfake": {},
	"rag/source/github/githubfake": {ours: []string{"rag/source/rest/restfake"}},

	"rag/source/confluence/confluencefake": {ours: []string{"rag/source/rest/restfake"}},
	"rag/source/notion/notionfake":         {ours: []string{"rag/source/rest/restfake"}},
	"adapters/offline":                     {},
	"adapters/web/signin/oidcfake":         {},
	"adapters/slack/slackfake":             {ours: []string{"adapters/offline", "adapters/web/signin/oidcfake"}},
	"adapters/discord/discordfake":         {ours: []string{"adapters/offline", "phrase/pattern"}},
	// Programs of the examples know nothing of ours.
	"examples/on-call/server": {sdks: []string{"github.com/modelcontextprotocol/go-sdk"}},
	// Ring 3: wiring.
	"cmd/maru/checkup":       {ours: []string{"agent/autonomous", "agent/workflow", "bot", "bot/parking"}},
	"cmd/maru/heap":          {},
	"cmd/maru/sight":         {ours: []string{"agent", "bot/picture", "rag/load/confine"}},
	"cmd/maru":               {ours: []string{""}},
	"cmd/maru/evaluate":      {ours: []string{"agent", "agent/autonomous", "agent/chat", "agent/chat/chateval", "agent/contract", "agent/graph", "agent/guide", "agent/llm/openai", "agent/metering", "agent/orchestrator", "agent/tool", "agent/tool/builtin", "agent/workflow", "bot", "bot/operate", "cmd/maru/evaluate/task", "cmd/maru/provider", "config", "phrase", "rag", "rag/eval", "rag/eval/grade", "rag/library", "rag/local", "rag/vec"}},
	"cmd/maru/rehearse":      {ours: []string{"agent/catalog", "agent/llm", "bot", "bot/definition", "bot/operate", "bot/rehearsal", "config", "phrase", "rag", "rag/eval", "rag/eval/grade", "rag/library"}},
	"cmd/maru/evaluate/task": {ours: []string{"agent", "agent/tool", "agent/workflow", "phrase", "rag/eval"}},
	"cmd/maru/provider":      {ours: []string{"agent/llm", "agent/llm/extractive", "agent/llm/openai", "agent/llm/queue", "agent/workflow/host", "bot/turn", "config"}},
	"cmd/maru/embedding":     {ours: []string{"agent/llm", "agent/llm/openai", "agent/metering", "bot", "cmd/maru/provider", "config", "rag"}},
	"cmd/maru/trigger":       {ours: []string{"agent/workflow", "bot/calendar"}},
	"cmd/maru/toolserver":    {ours: []string{"agent", "agent/tool", "agent/tool/attached", "agent/tool/mcp", "agent/tool/mcp/grant", "agent/workflow/node", "bot", "bot/account", "bot/seal", "bot/toolserver", "config"}},
	"cmd/maru/telemetry":     {ours: []string{"agent/llm/extractive", "config", "metrics", "metrics/otlp", "metrics/push", "metrics/spans"}},
	"cmd/maru/sources":       {ours: []string{"bot", "config", "phrase", "rag/library", "rag/source", "rag/source/confluence", "rag/source/drive", "rag/source/git", "rag/source/github", "rag/source/notion", "rag/source/sync", "rag/source/website"}},
	"cmd/maru/session":       {ours: []string{"agent/workflow"}},
	"cmd/maru/visitor":       {ours: []string{"adapters/web", "adapters/web/signin", "bot"}},
	"cmd/maru/console":       {ours: []string{""}},
	// Rehearsals of the console.
	"cmd/maru/console/tryout": {ours: []string{"adapters/web/site", "agent/catalog", "agent/llm", "bot", "bot/overview", "bot/rehearsal", "cmd/maru/console", "cmd/maru/rehearse", "config", "phrase", "phrase/fit", "rag", "rag/library"}},
}

// homed are the SDKs that only their own package may import.
var homed = []string{
	"github.com/slack-go/slack", "github.com/bwmarrin/discordgo", "github.com/redis/go-redis",
	"github.com/jackc/pgx", "github.com/sashabaranov/go-openai", "github.com/modelcontextprotocol/go-sdk", "github.com/klippa-app/go-pdfium", "github.com/tetratelabs/wazero",
	"github.com/gomlx", "codeberg.org/readeck/go-readability", "github.com/prometheus/client_golang", "github.com/coreos/go-oidc", "golang.org/x/oauth2",
}

const module = "maru"

func TestImportsPointInward(t *testing.T) {
	t.Parallel()
	root := filepath.Join("..", "..")
	used := map[string][]string{} // imports by package
	for file, imports := range productImports(t, root) {
		pkg := path.Dir(file)
		used[pkg] = append(used[pkg], imports...)
		r, ok := rules[pkg]
		if !ok {
			t.Errorf("%s: package %s has no rule; add one to the table", file, pkg)
			continue
		}
		for _, imp := range imports {
			switch {
			case imp == module || strings.HasPrefix(imp, module+"/"):
				if !r.allows(strings.TrimPrefix(imp, module+"/")) {
					t.Errorf("%s: %s may not import %s", file, pkg, imp)
				}
			default:
				for _, sdk := range homed {
					if strings.HasPrefix(imp, sdk) && !hasPrefix(r.sdks, imp) {
						t.Errorf("%s: %s is not the home of %s", file, pkg, sdk)
					}
				}
			}
		}
	}
	for pkg, r := range rules {
		r.check(t, pkg, used)
	}
}

// check finds what a rule allows and nothing needs any more: a table that allows
// more than there is draws no line.
func (r rule) check(t *testing.T, pkg string, used map[string][]string) {
	t.Helper()
	imports, ok := used[pkg]
	if !ok {
		t.Errorf("there is no package %s; take its rule off the table", pkg)
	}
	for _, o := range r.ours {
		if o != "" && !slices.Contains(imports, module+"/"+o) {
			t.Errorf("%s may import %s and does not; take it off the table", pkg, o)
		}
	}
	for _, sdk := range r.sdks {
		if !slices.ContainsFunc(imports, func(imp string) bool { return strings.HasPrefix(imp, sdk) }) {
			t.Errorf("%s is a home of %s and does not import it; take it off the table", pkg, sdk)
		}
	}
}

func (r rule) allows(pkg string) bool {
	for _, o := range r.ours {
		if o == "" || o == pkg {
			return true
		}
	}
	return false
}

func hasPrefix(prefixes []string, s string) bool {
	for _, p := range prefixes {
		if strings.HasPrefix(s, p) {
			return true
		}
	}
	return false
}

// productImports reads the imports of every file that is not a test. It reads
// the files itself: the answer of a child process would be cached by go test.
func productImports(t *testing.T, root string) map[string][]string {
	t.Helper()
	found := map[string][]string{}
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() {
			if p != root && (strings.HasPrefix(name, ".") || name == "testdata" || name == "node_modules" || isModule(p)) {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), p, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, p)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		found[rel] = nil
		for _, i := range f.Imports {
			imp, err := strconv.Unquote(i.Path.Value)
			if err != nil {
				return err
			}
			found[rel] = append(found[rel], imp)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// isModule reports whether a folder is a module of its own, such as benchmarks against peers.
func isModule(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, "go.mod"))
	return err == nil
}
