package rehearsal_test

import (
	"slices"
	"testing"

	"maru/bot"
	"maru/bot/rehearsal"
)

func said(text string, sources ...string) rehearsal.Answer {
	a := rehearsal.Answer{Text: text, Agent: "chat", Route: "rag"}
	for i, s := range sources {
		a.Sources = append(a.Sources, bot.Source{N: i + 1, Title: s})
	}
	return a
}

func TestCompare(t *testing.T) {
	t.Parallel()
	leave := said("Everybody has 15 days of leave [1].", "leave.md")
	for name, c := range map[string]struct {
		before, after rehearsal.Answer
		want          []rehearsal.Kind
	}{
		"same":             {leave, leave, nil},
		"renumbered":       {leave, said("Everybody has 15 days of leave [2].", "leave.md"), nil},
		"number":           {leave, said("Everybody has 12 days of leave [1].", "leave.md"), []rehearsal.Kind{rehearsal.Numbers}},
		"number_spelt":     {said("It costs 1,500 won."), said("It costs 1500 won."), nil},
		"korean_number":    {said("연차는 15일이에요 [1].", "연차"), said("연차는 12일이에요 [1].", "연차"), []rehearsal.Kind{rehearsal.Numbers}},
		"list_numbers":     {said("1. Ask Ann.\n2. Wait."), said("- Ask Ann.\n- Wait."), nil},
		"citation_lost":    {leave, said("Everybody has 15 days of leave."), []rehearsal.Kind{rehearsal.Uncited}},
		"citation_more":    {leave, said("Everybody has 15 days of leave [1][2].", "leave.md", "faq.md"), []rehearsal.Kind{rehearsal.Cites}},
		"other_source":     {leave, said("Everybody has 15 days of leave [1].", "faq.md"), []rehearsal.Kind{rehearsal.Uncited}},
		"name":             {said("Ask Ann Lee about it."), said("Ask Bob Kim about it."), []rehearsal.Kind{rehearsal.Names}},
		"korean_name":      {said("김민수 팀장에게 물어보세요."), said("이영희 팀장에게 물어보세요."), []rehearsal.Kind{rehearsal.Names}},
		"first_word":       {said("The office opens early."), said("Our office opens early."), []rehearsal.Kind{rehearsal.Worded}},
		"declines":         {leave, said("The documents don't say."), []rehearsal.Kind{rehearsal.Declines, rehearsal.Numbers, rehearsal.Uncited}},
		"declines_ko":      {said("연차는 15일이에요 [1].", "연차"), said("문서에서 답을 찾지 못했어요."), []rehearsal.Kind{rehearsal.Declines, rehearsal.Numbers, rehearsal.Uncited}},
		"answers":          {said("The documents don't say."), leave, []rehearsal.Kind{rehearsal.Answers, rehearsal.Numbers, rehearsal.Cites}},
		"failed":           {leave, rehearsal.Answer{End: rehearsal.Failed}, []rehearsal.Kind{rehearsal.Broken}},
		"without_a_record": {leave, rehearsal.Answer{End: rehearsal.Unrecorded}, []rehearsal.Kind{rehearsal.Open}},
		"route_unknown":    {rehearsal.Answer{Text: leave.Text, Sources: leave.Sources, Agent: "chat"}, leave, nil},
		"route_lost":       {leave, rehearsal.Answer{Text: leave.Text, Sources: leave.Sources, Agent: "chat"}, []rehearsal.Kind{rehearsal.Routed}},
		"other_agent":      {rehearsal.Answer{Text: leave.Text, Sources: leave.Sources, Agent: "guide"}, leave, []rehearsal.Kind{rehearsal.Routed}},
		"other_route":      {leave, rehearsal.Answer{Text: leave.Text, Sources: leave.Sources, Agent: "chat", Route: "agent"}, []rehearsal.Kind{rehearsal.Routed}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := rehearsal.Compare(c.before, c.after)
			if !slices.Equal(d.Kinds, c.want) {
				t.Errorf("%+v, want %v", d, c.want)
			}
		})
	}
}

// TestTheGravestFirst: what loses an answer goes before what changes a number, and that before a source and words.
func TestTheGravestFirst(t *testing.T) {
	t.Parallel()
	leave := said("Everybody has 15 days of leave, says Ann Lee [1].", "leave.md")
	order := []rehearsal.Answer{
		{End: rehearsal.Failed}, said("The documents don't say."), said("Everybody has 12 days of leave, says Ann Lee [1].", "leave.md"),
		said("Everybody has 15 days of leave, says Ann Lee."), said("Everybody has 15 days of leave, says Bob Kim [1].", "leave.md"),
		said("Everybody has 15 days of leave, says Ann Lee [1][2].", "leave.md", "faq.md"), said("All people get 15 days off, so says Ann Lee [1].", "leave.md"), leave,
	}
	for i := 1; i < len(order); i++ {
		a, b := rehearsal.Compare(leave, order[i-1]), rehearsal.Compare(leave, order[i])
		if a.Score <= b.Score {
			t.Errorf("%q scores %.2f, not more than %q with %.2f", order[i-1].Text, a.Score, order[i].Text, b.Score)
		}
	}
}
