package console_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"maru/adapters/web"
	"maru/adapters/web/site"
	"maru/bot"
	"maru/rag"
	"maru/rag/library"
)

// add adds a document to a scope.
func (o office) add(t *testing.T, scope, name, text string) string {
	t.Helper()
	doc, err := o.docs.Add(t.Context(), bot.NewDocument{Scope: scope, Name: name, Body: strings.NewReader(text)})
	if err != nil {
		t.Fatal(err)
	}
	return doc.ID
}

// shows lists the documents that the owner is shown.
func (o office) shows(t *testing.T) map[string]string { return o.showsTo(t, operator, home) }

func (o office) showsTo(t *testing.T, by bot.User, from bot.Thread) map[string]string {
	t.Helper()
	list, err := o.AllDocuments(t.Context(), by, from)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, d := range list {
		out[d.Name+" "+d.Scope] = d.ID
	}
	return out
}

func TestDocumentsOfAllChannels(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	here := bot.Thread{Platform: "web", Team: "local", Channel: "home"}
	private := bot.Thread{Platform: "slack", Team: "T1", Channel: "D1", ID: "1", Direct: true}
	channel := bot.Thread{Platform: "slack", Team: "T1", Channel: "C1"}.ChannelScope()
	o.ran(t, "m1", private)
	salaries := o.add(t, bot.ScopePublic, "salaries.md", "The salary of everybody")
	travel := o.add(t, channel, "travel.md", "Travel costs are paid within a week")
	secret := o.add(t, private.ChannelScope(), "diary.md", "Travel to the sea")
	if got := o.shows(t); len(got) != 2 || got["diary.md "+private.ChannelScope()] != "" {
		t.Fatalf("documents %v", got)
	}

	if _, err := o.docs.AddBundled(t.Context(), rag.ScopeSample, []library.Bundled{{Name: "sample.md", Data: []byte("# Travel costs\n\nTravel costs of the sample.")}}); err != nil {
		t.Fatal(err)
	}
	found, err := o.Probe(t.Context(), operator, home, "travel costs", "")
	if err != nil || len(found) == 0 || found[0].Title != "travel.md" || found[0].Rank != 1 || found[0].KeywordRank != 1 {
		t.Errorf("found %+v, %v", found, err)
	}
	for _, p := range found {
		if p.Title == "diary.md" || p.Scope == rag.ScopeSample {
			t.Errorf("%s is found: a private document, or the sample beside documents of one's own", p.Title)
		}
	}
	if _, err := o.Probe(t.Context(), operator, home, "sea", private.ChannelScope()); !errors.Is(err, bot.ErrNotFound) {
		t.Errorf("a private scope is searched: %v", err)
	}

	n, err := o.MoveDocuments(t.Context(), operator, here, []site.Chosen{{Scope: channel, ID: travel}, {Scope: private.ChannelScope(), ID: secret}}, bot.ScopePublic)
	if err != nil || n != 1 {
		t.Fatalf("moved %d, %v", n, err)
	}
	moved := o.shows(t)["travel.md "+bot.ScopePublic]
	if moved == "" {
		t.Fatalf("documents %v", o.shows(t))
	}
	again := o.add(t, channel, "travel.md", "Another text")
	if n, err := o.MoveDocuments(t.Context(), operator, here, []site.Chosen{{Scope: channel, ID: again}}, bot.ScopePublic); !errors.Is(err, site.ErrTaken) || n != 0 {
		t.Errorf("moved %d over another document, %v", n, err)
	}
	adder, done := o.docs.Remotes()
	wiki, err := adder.Add(t.Context(), library.Remote{Scope: channel, ID: "wiki.md", Name: "wiki.md", Source: "wiki", Data: []byte("Wiki")})
	done()
	if err != nil {
		t.Fatal(err)
	}
	if n, err := o.MoveDocuments(t.Context(), operator, here, []site.Chosen{{Scope: channel, ID: wiki.ID}}, bot.ScopePublic); !errors.Is(err, site.ErrSynced) || n != 0 {
		t.Errorf("moved %d that a source keeps in sync, %v", n, err)
	}
	if err := o.RemoveDocument(t.Context(), here, operator, salaries); err != nil {
		t.Errorf("remove a public document: %v", err)
	}
	if err := o.RemoveDocument(t.Context(), here, operator, secret); !errors.Is(err, bot.ErrNotFound) {
		t.Errorf("remove a private document: %v", err)
	}
	if err := o.RemoveDocument(t.Context(), here, bot.User{ID: "U1", Admin: true}, moved); !errors.Is(err, bot.ErrNotFound) {
		t.Errorf("a member removes a public document: %v", err)
	}
	log, err := o.record.AuditLog(t.Context(), "web/local", 0, 10)
	if err != nil || len(log) != 2 || log[0].What != "document.move" || log[1].What != "document.remove" {
		t.Errorf("audit log %+v, %v", log, err)
	}
}

// TestConversationsOnTheConsoleArePrivate: operators are not shown the documents of a person's console conversation, also before its
// first message, nor those of the owner.
func TestConversationsOnTheConsoleArePrivate(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	newcomer := web.HomeOf(channel, "U1").ChannelScope()
	theirs := o.add(t, newcomer, "diary.md", "Travel to the sea")
	owners := o.add(t, home.ChannelScope(), "plan.md", "Travel to the moon")
	boss := bot.User{ID: "U1", Operator: true}
	account, oidc := bot.User{ID: "oidc-1", Operator: true}, bot.Thread{Platform: "web", Team: "oidc"}
	for name, c := range map[string]struct {
		by            bot.User
		from          bot.Thread
		theirs, owner bool
	}{
		"owner":               {operator, home, false, true},
		"the person":          {boss, bot.Thread{Platform: "slack", Team: "T1"}, true, false},
		"the person's own":    {boss, web.HomeOf(channel, "U1"), true, false},
		"another workspace's": {boss, bot.Thread{Platform: "slack", Team: "T2"}, false, false},
		"account":             {account, oidc, false, false},
	} {
		got := o.showsTo(t, c.by, c.from)
		if (got["diary.md "+newcomer] != "") != c.theirs || (got["plan.md "+home.ChannelScope()] != "") != c.owner {
			t.Errorf("%s is shown %v", name, got)
		}
		if _, err := o.Probe(t.Context(), c.by, c.from, "sea", newcomer); (err == nil) != c.theirs {
			t.Errorf("%s searches: %v", name, err)
		}
	}
	for _, c := range []site.Chosen{{Scope: newcomer, ID: theirs}, {Scope: home.ChannelScope(), ID: owners}} {
		if n, err := o.MoveDocuments(t.Context(), account, oidc, []site.Chosen{c}, bot.ScopePublic); n != 0 || err != nil {
			t.Errorf("moved %d of %s, %v", n, c.Scope, err)
		}
		if err := o.RemoveDocument(t.Context(), oidc, account, c.ID); !errors.Is(err, bot.ErrNotFound) {
			t.Errorf("removed one of %s: %v", c.Scope, err)
		}
	}
}

func TestSettingsOfAnyPlace(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	of := site.SettingPlace{Thread: bot.Thread{Platform: "slack", Team: "T1", Channel: "C1"}, Level: "channel"}
	value := func() (value, hint string) {
		t.Helper()
		forms, err := o.SettingForms(t.Context(), operator, of)
		if err != nil || len(forms) < 5 {
			t.Fatalf("%d forms, %v", len(forms), err)
		}
		for _, f := range forms {
			for _, in := range f.Inputs {
				if in.ID == "persona" {
					return in.Value, in.Hint
				}
			}
		}
		t.Fatal("no persona")
		return "", ""
	}
	_, before := value()
	if said, wrong, err := o.SaveSettings(t.Context(), operator, of, map[string]string{"persona": "Speak plainly."}); err != nil || len(wrong) > 0 || !strings.Contains(said, "persona") {
		t.Fatalf("%q, %q, %v", said, wrong, err)
	}
	got, after := value()
	if got != "Speak plainly." || before == after {
		t.Errorf("persona is %q, from %q, before from %q", got, after, before)
	}
	if _, wrong, err := o.SaveSettings(t.Context(), operator, of, map[string]string{"daily_tokens": "many"}); err != nil || wrong["daily_tokens"] == "" {
		t.Errorf("a wrong value: %q, %v", wrong, err)
	}
	forms, err := o.SettingForms(t.Context(), operator, of)
	i := slices.IndexFunc(forms, func(f bot.Form) bool {
		return slices.ContainsFunc(f.Inputs, func(in bot.Input) bool { return in.ID == "persona" })
	})
	if err != nil || i < 0 {
		t.Fatalf("%+v, %v", forms, err)
	}
	if _, _, err := o.SaveSettings(t.Context(), operator, of, map[string]string{"persona": "Be kind."}); err != nil {
		t.Fatal(err)
	}
	of.Form = forms[i].Verb // it was open before
	if said, wrong, err := o.SaveSettings(t.Context(), operator, of, map[string]string{"persona": "Speak plainly."}); err != nil || len(wrong) > 0 {
		t.Errorf("a field left as it was: %q, %q, %v", said, wrong, err)
	}
	if got, _ := value(); got != "Be kind." {
		t.Errorf("another's change is overwritten by %q", got)
	}
	if _, wrong, err := o.SaveSettings(t.Context(), operator, of, map[string]string{"persona": "Be brief."}); err != nil || !strings.Contains(wrong["persona"], "Be kind.") {
		t.Errorf("another's change is not told: %q, %v", wrong, err)
	}
	if _, err := o.SettingForms(t.Context(), bot.User{ID: "U1", Admin: true}, of); err == nil {
		t.Error("somebody who does not run the program sees the settings of a channel")
	}
}

func TestWorkflowsAreDrawnAndChecked(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	list, err := o.ListWorkflows(t.Context(), operator)
	if err != nil || len(list) < 5 {
		t.Fatalf("%d workflows, %v", len(list), err)
	}
	for _, w := range list {
		one, err := o.Workflow(t.Context(), operator, w.ID)
		if err != nil || !one.Runs() || !strings.Contains(one.Drawing, `class="box"`) {
			t.Errorf("%s: %v, %v", w.ID, one.Problems, err)
		}
		if again, err := o.CheckWorkflow(t.Context(), operator, one.Text); err != nil || !again.Runs() {
			t.Errorf("%s as its page shows it: %v, %v", w.ID, again.Problems, err)
		}
	}
	korean := operator
	korean.Locale = "ko"
	if list, err := o.ListWorkflows(t.Context(), korean); err != nil || list[0].Description != "문서에서 찾아 답하고 도구로 일하기" || list[0].Drawing == "" {
		t.Errorf("in Korean the first is %q, %v", list[0].Description, err)
	}
	for _, text := range []string{"", "{", `{"id":"x","name":"X","version":"1","nodes":[{"id":"a","node_type":"lm_call"}],"edges":[]}`} {
		if w, err := o.CheckWorkflow(t.Context(), operator, text); err != nil || w.Runs() {
			t.Errorf("%q is fine: %v", text, err)
		}
	}
	if _, err := o.Workflow(t.Context(), operator, "/etc/passwd"); !errors.Is(err, bot.ErrNotFound) {
		t.Errorf("a path of the machine: %v", err)
	}
}

// TestARemovedDocumentIsAuditedByName: the entry of a document that its reader removes has the file's name, also once it is gone.
func TestARemovedDocumentIsAuditedByName(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	doc, err := o.docs.Add(t.Context(), bot.NewDocument{Scope: home.ChannelScope(), Name: "leave.md", Body: strings.NewReader("words")})
	if err != nil {
		t.Fatal(err)
	}
	if err := o.RemoveDocument(t.Context(), home, operator, doc.ID); err != nil {
		t.Fatal(err)
	}
	log, err := o.record.AuditTail(t.Context(), home.TeamKey(), 10)
	if err != nil || len(log) != 1 || !strings.Contains(string(log[0].Detail), `"name":"leave.md"`) {
		t.Errorf("%+v, %v", log, err)
	}
	if err := o.RemoveDocument(t.Context(), home, operator, doc.ID); !errors.Is(err, bot.ErrNotFound) {
		t.Errorf("removed again: %v", err)
	}
}
