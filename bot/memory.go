package bot

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"maru/config"
	"maru/memory/longterm"
)

// memoryActions are what "/maru memory" can do; the first is the default.
func memoryActions() []string {
	return []string{"list", "forget", "use", "dont", "share", "on", "off", "export"}
}

// cmdMemory shows people what is known about them, and lets them decide about
// it. Its answers are for the caller alone.
func (b *Bot) cmdMemory(ctx context.Context, c Invocation, lang string) (*Card, error) {
	action, what, _ := strings.Cut(strings.TrimSpace(c.Args), " ")
	if v := c.Options["action"]; v != "" {
		action, what = v, c.Options["what"]
	}
	action, what = strings.ToLower(action), strings.TrimSpace(what)
	if b.cfg.Memory == nil {
		return &Card{Kind: CardNotice, Language: lang, Final: true,
			Text: say(lang, "여기에서는 사람에 대해 아무것도 기억하지 않아요.", "I remember nothing about people here.")}, nil
	}
	switch action {
	case "", "list":
		return b.showMemory(ctx, c, lang)
	case "export":
		return b.exportMemory(ctx, c, lang)
	case "on", "off":
		return b.switchMemory(ctx, c, action == "on", what, lang)
	case "forget", "use", "dont", "share":
		return b.changeMemory(ctx, c, action, what, lang)
	}
	return nil, &Error{Code: CodeBadCommand, Detail: "`/maru memory " + strings.Join(memoryActions(), "|") + "`"}
}

// shownRecords bounds a list; an export has all.
const shownRecords = 20

// showMemory lists what is known about the caller, with when, why and where it
// was used.
func (b *Bot) showMemory(ctx context.Context, c Invocation, lang string) (*Card, error) {
	list, err := b.cfg.Memory.Known(ctx, userKey(c.Thread, c.User))
	if err != nil {
		return nil, err
	}
	var s strings.Builder
	for i, r := range list[:min(len(list), shownRecords)] {
		fmt.Fprintf(&s, "%d. %s\n", i+1, recordLine(r, c.Thread, lang))
	}
	if n := len(list) - shownRecords; n > 0 {
		fmt.Fprintf(&s, say(lang, "\n그 밖에 %d개가 더 있어요. `/maru memory export`로 모두 볼 수 있어요.\n", "\nThere are %d more; `/maru memory export` shows all.\n"), n)
	}
	if len(list) == 0 {
		s.WriteString(say(lang, "아직 기억하는 것이 없어요.", "I do not remember anything about you yet.") + "\n")
	}
	s.WriteString("\n" + b.memoryState(ctx, c, lang))
	return &Card{Kind: CardNotice, Title: say(lang, "제가 기억하는 것", "What I remember about you"), Text: s.String(), Language: lang, Final: true,
		Footer: say(lang, "지우기: /maru memory forget 번호|all · 쓰지 않기: dont 번호 · 끄기: off", "forget NUMBER|all · dont NUMBER · off")}, nil
}

// memoryState says whether memory is on here, and where what is learned stays.
func (b *Bot) memoryState(ctx context.Context, c Invocation, lang string) string {
	o := b.owner(ctx, c.Thread, c.User)
	switch {
	case o.Off:
		return say(lang, "여기에서는 기억이 꺼져 있어요.", "Memory is off here.")
	case o.Home == teamScope(c.Thread):
		return say(lang, "여기에서 배우는 것은 워크스페이스 어디서나 써요.", "What I learn here I use anywhere in the workspace.")
	}
	return say(lang, "여기에서 배우는 것은 여기에서만 써요. 어디서나 쓰려면 `/maru memory share`.",
		"What I learn here I use only here; `/maru memory share` lets me use it anywhere.")
}

// recordLine is one thing that is known: what, since when, why, where.
func recordLine(r longterm.Record, t Thread, lang string) string {
	var s strings.Builder
	fmt.Fprintf(&s, "**%s** `%s` — %s, %s", plainLine(r.Text, r.ID), shortID(r.ID), kindName(r.Kind, lang), r.Last.Format("2006-01-02"))
	fmt.Fprintf(&s, say(lang, ", 대화 %d번에서", ", from %d conversations"), r.Samples)
	if quote := quoteOf(r); quote != "" {
		s.WriteString(", “" + quote + "”")
	}
	s.WriteString(", " + placeName(r.Scope, t, lang))
	fmt.Fprintf(&s, say(lang, ", 확신 %d %%", ", %d %% sure"), int(r.Confidence()*100+0.5))
	if r.Uses > 0 {
		fmt.Fprintf(&s, say(lang, ", %d번 사용 (마지막 %s, %s)", ", used %d times (last %s, %s)"), r.Uses, r.Used.Format("2006-01-02"), placeName(r.UsedIn, t, lang))
	}
	if r.Muted {
		s.WriteString(say(lang, ", **쓰지 않음**", ", **not used**"))
	}
	return s.String()
}

// plainLine is a record's text on one line; one that holds nothing any more is
// named by its id.
func plainLine(text, id string) string {
	if text = strings.Join(strings.Fields(text), " "); text == "" {
		return shortID(id)
	}
	return clipText(strings.NewReplacer("*", "·", "`", "'").Replace(text), 160)
}

// quoteOf is what the person said, for what they said of themselves.
func quoteOf(r longterm.Record) string {
	var p longterm.Preference
	if r.Kind != longterm.KindPreference || json.Unmarshal(r.Data, &p) != nil {
		return ""
	}
	return clipText(p.Quote, 100)
}

// shortID names a record in a command.
func shortID(id string) string { return id[:min(len(id), 9)] }

// kindName names a memory for people.
func kindName(k longterm.Kind, lang string) string {
	switch k {
	case longterm.KindPreference:
		return say(lang, "직접 말한 것", "you said so")
	case longterm.KindClarification:
		return say(lang, "되물었을 때의 답", "your answer to a question")
	case longterm.KindPlan:
		return say(lang, "계획", "a plan of yours")
	case longterm.KindBehavior:
		return say(lang, "결정하는 방식", "how you decide")
	case longterm.KindTool:
		return say(lang, "도구 경험", "how a tool served you")
	case longterm.KindWorkflow:
		return say(lang, "일하는 방식", "how you work")
	}
	return string(k)
}

// placeName names a scope for people.
func placeName(scope string, t Thread, lang string) string {
	switch scope {
	case channelScope(t):
		return say(lang, "여기", "here")
	case teamScope(t):
		return say(lang, "워크스페이스 어디서나", "anywhere in the workspace")
	}
	return say(lang, "다른 곳", "another place")
}

// exportMemory gives everything that is known about the caller as JSON, with
// what taught it.
func (b *Bot) exportMemory(ctx context.Context, c Invocation, lang string) (*Card, error) {
	person := userKey(c.Thread, c.User)
	list, err := b.cfg.Memory.Known(ctx, person)
	if err != nil {
		return nil, err
	}
	type note struct {
		Session string          `json:"session"`
		At      string          `json:"at"`
		Lesson  json.RawMessage `json:"lesson"`
	}
	type record struct {
		ID         string          `json:"id"`
		Kind       longterm.Kind   `json:"kind"`
		Text       string          `json:"text"`
		Data       json.RawMessage `json:"data"`
		Scope      string          `json:"scope"`
		Confidence float64         `json:"confidence"`
		Muted      bool            `json:"muted,omitempty"`
		Uses       int             `json:"uses"`
		Notes      []note          `json:"notes"`
	}
	records := make([]record, 0, len(list))
	for _, r := range list {
		out := record{ID: r.ID, Kind: r.Kind, Text: r.Text, Data: r.Data, Scope: r.Scope, Confidence: r.Confidence(), Muted: r.Muted, Uses: r.Uses}
		notes, err := b.cfg.Memory.History(ctx, person, r.ID)
		if err != nil {
			return nil, err
		}
		for _, n := range notes {
			out.Notes = append(out.Notes, note{n.Session, n.At.Format("2006-01-02T15:04:05Z"), n.Data})
		}
		records = append(records, out)
	}
	raw, err := json.MarshalIndent(map[string]any{"person": person, "records": records}, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("encode memory: %w", err)
	}
	b.audit(ctx, c.Thread, c.User, "memory.export", map[string]any{"records": len(records)})
	return &Card{Kind: CardNotice, Title: say(lang, "제가 기억하는 것", "What I remember about you"), Language: lang, Final: true,
		Text: "```json\n" + string(raw) + "\n```"}, nil
}

// changeMemory forgets records, or says where and whether they are used.
func (b *Bot) changeMemory(ctx context.Context, c Invocation, action, what, lang string) (*Card, error) {
	person := userKey(c.Thread, c.User)
	if action == "share" && what == "" {
		return b.shareMemory(ctx, c, true, lang)
	}
	if action == "share" && (what == "on" || what == "off") {
		return b.shareMemory(ctx, c, what == "on", lang)
	}
	all := what == "all" || what == "모두" || what == "전부"
	ids, err := b.recordsNamed(ctx, person, what, all)
	if err != nil {
		return nil, err
	}
	if len(ids) == 0 && !all {
		return &Card{Kind: CardNotice, Language: lang, Final: true,
			Text: say(lang, "그런 기억이 없어요. `/maru memory`에서 번호를 확인해 주세요.", "I know no such thing. `/maru memory` shows the numbers.")}, nil
	}
	if action == "forget" {
		if all {
			ids = nil
		}
		return b.forgetMemory(ctx, c, ids, lang)
	}
	var n int
	switch action {
	case "share":
		n, err = b.cfg.Memory.Move(ctx, person, ids, teamScope(c.Thread))
	default:
		n, err = b.cfg.Memory.Mute(ctx, person, ids, action == "dont")
	}
	if err != nil {
		return nil, err
	}
	b.audit(ctx, c.Thread, c.User, "memory."+action, map[string]any{"records": n})
	text := map[string]string{
		"share": say(lang, "%d개를 이제 워크스페이스 어디서나 써요.", "I now use %d of them anywhere in the workspace."),
		"dont":  say(lang, "%d개를 이제 쓰지 않아요.", "I do not use %d of them any more."),
		"use":   say(lang, "%d개를 다시 써요.", "I use %d of them again."),
	}[action]
	return &Card{Kind: CardNotice, Language: lang, Final: true, Text: fmt.Sprintf(text, n)}, nil
}

// recordsNamed finds records by their number in the list or the start of their
// id.
func (b *Bot) recordsNamed(ctx context.Context, person, what string, all bool) ([]string, error) {
	list, err := b.cfg.Memory.Known(ctx, person)
	if err != nil {
		return nil, err
	}
	var ids []string
	for i, r := range list {
		if all {
			ids = append(ids, r.ID)
			continue
		}
		for _, name := range strings.FieldsFunc(what, func(r rune) bool { return r == ' ' || r == ',' || r == '`' || r == '#' }) {
			if name == fmt.Sprint(i+1) || len(name) > 5 && strings.HasPrefix(r.ID, name) {
				ids = append(ids, r.ID)
			}
		}
	}
	return ids, nil
}

// forgetMemory removes records, all of them if ids is nil, and says how many of
// what are gone. When it answers they are gone from the record, and no prompt
// from now on holds them.
func (b *Bot) forgetMemory(ctx context.Context, c Invocation, ids []string, lang string) (*Card, error) {
	receipt, err := b.cfg.Memory.Forget(ctx, userKey(c.Thread, c.User), ids)
	if err != nil {
		return nil, err
	}
	b.audit(ctx, c.Thread, c.User, "memory.forget", map[string]any{"all": ids == nil, "receipt": receipt})
	var s strings.Builder
	fmt.Fprintf(&s, say(lang, "지웠어요: 기억 %d개", "Forgotten: %d records"), receipt.Total())
	for _, k := range slices.Sorted(maps.Keys(receipt.Records)) {
		fmt.Fprintf(&s, "\n- %s: %d", kindName(k, lang), receipt.Records[k])
	}
	fmt.Fprintf(&s, say(lang, "\n- 근거가 된 기록 %d개, 사용 기록 %d개, 아직 정리하지 않은 것 %d개",
		"\n- %d notes that taught them, %d notes of their use, %d that were still waiting"), receipt.Notes, receipt.Uses, receipt.Jobs)
	return &Card{Kind: CardNotice, Language: lang, Final: true, Text: s.String()}, nil
}

// shareMemory sets whether what is learned of the caller may be used anywhere
// in the workspace. What is known already stays where it is.
func (b *Bot) shareMemory(ctx context.Context, c Invocation, on bool, lang string) (*Card, error) {
	if err := b.setFor(ctx, c, "memory_share", "user:"+userKey(c.Thread, c.User), on); err != nil {
		return nil, err
	}
	text := say(lang, "이제부터 배우는 것은 배운 곳에서만 써요.", "What I learn from now on I use only where I learned it.")
	if on {
		text = say(lang, "이제부터 배우는 것은 워크스페이스 어디서나 써요. 이미 아는 것은 `/maru memory share 번호`로 옮길 수 있어요.",
			"What I learn from now on I use anywhere in the workspace. `/maru memory share NUMBER` does it for what I know already.")
	}
	return &Card{Kind: CardNotice, Language: lang, Final: true, Text: text}, nil
}

// switchMemory switches memory on or off for the caller, the channel or the
// workspace.
func (b *Bot) switchMemory(ctx context.Context, c Invocation, on bool, what, lang string) (*Card, error) {
	level, name := config.Person, say(lang, "회원님에 대해", "you")
	switch strings.ToLower(what) {
	case "", "me":
	case "channel", "here":
		level, name = config.Channel, say(lang, "이 채널에서", "this channel")
	case "workspace", "team":
		level, name = config.Workspace, say(lang, "이 워크스페이스에서", "this workspace")
	default:
		return nil, &Error{Code: CodeBadCommand, Detail: "`/maru memory on|off me|channel|workspace`"}
	}
	if !b.maySwitch(level, c) {
		b.audit(ctx, c.Thread, c.User, "memory.refused", map[string]any{"level": level.String()})
		return nil, &Error{Code: CodeMayNot, Detail: whom(config.Admin, lang)}
	}
	place := placesOf(c.Thread, c.User)[level-config.Workspace]
	if err := b.setFor(ctx, c, "memory", place, on); err != nil {
		return nil, err
	}
	text := fmt.Sprintf(say(lang, "%s 기억하기를 껐어요. 지금부터 아무것도 배우거나 쓰지 않아요.", "Memory is off for %s: from now on I learn and use nothing."), name)
	if on {
		text = fmt.Sprintf(say(lang, "%s 기억하기를 켰어요.", "Memory is on for %s."), name)
		if b.owner(ctx, c.Thread, c.User).Off {
			text += " " + say(lang, "다른 설정 때문에 여기에서는 아직 꺼져 있어요.", "Another setting still keeps it off here.")
		}
	}
	return &Card{Kind: CardNotice, Language: lang, Final: true, Text: text}, nil
}

// maySwitch reports whether somebody may switch memory at a level: everybody for
// themselves, and in their own direct messages.
func (b *Bot) maySwitch(level config.Level, c Invocation) bool {
	return level == config.Person || b.may(c.Thread, c.User, config.Admin) || level == config.Channel && c.Thread.Direct
}

// setFor stores a setting of memory; it holds at once.
func (b *Bot) setFor(ctx context.Context, c Invocation, key, place string, on bool) error {
	raw, err := json.Marshal(on)
	if err != nil {
		return fmt.Errorf("encode setting: %w", err)
	}
	return b.known.set(ctx, Setting{Place: place, Key: key, Value: raw, By: c.User.ID, At: b.cfg.Now()})
}
