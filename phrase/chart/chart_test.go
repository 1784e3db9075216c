package chart_test

import (
	"encoding/xml"
	"errors"
	"io"
	"regexp"
	"strings"
	"testing"

	"maru/phrase/chart"
	"maru/phrase/fit"
)

func TestParse(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ in, want string }{
		"as_the_prompt_shows":   {`{"type":"bar","title":"매출","unit":"만원","labels":["1월","2월"],"series":[{"name":"서울","values":[120,80.5]}]}`, "매출 / 1월 ██████████████████ 120만원 / 2월 ████████████ 80.5만원"},
		"points":                {`{"type":"pie","data":[{"label":"A","value":3},{"name":"B","value":1}]}`, "A ██████████████████ 3 (75%) / B ██████ 1 (25%)"},
		"chart_js":              {`{"type":"line","data":{"labels":[2023,2024],"datasets":[{"label":"x","data":[1000,2500]}]}}`, "2023 ███████ 1,000 / 2024 ██████████████████ 2,500"},
		"values_alone":          {`{"labels":["a","b"],"values":[1,0]}`, "a ██████████████████ 1 / b  0"},
		"several_series":        {`{"labels":["Q1"],"series":[{"name":"a","values":[1]},{"name":"bb","values":[-2]}]}`, "Q1 /   a  █████████ 1 /   bb ░░░░░░░░░░░░░░░░░░ -2"},
		"a_loss_is_no_slice":    {`{"type":"pie","labels":["a","b"],"values":[1,-1]}`, "a ██████████████████ 1 / b ░░░░░░░░░░░░░░░░░░ -1"},
		"not_json":              {`a: 1`, "error"},
		"a_value_is_missing":    {`{"labels":["a","b"],"values":[1]}`, "error"},
		"no_labels":             {`{"values":[1]}`, "error"},
		"an_empty_label":        {`{"labels":["a",""],"values":[1,2]}`, "error"},
		"too_large_a_number":    {`{"labels":["a"],"values":[1e300]}`, "error"},
		"too_many_labels":       {`{"labels":["` + strings.Repeat(`a","`, 50) + `a"],"values":[1]}`, "error"},
		"words_as_values":       {`{"labels":["a"],"values":["x"]}`, "error"},
		"hidden_letters_vanish": {`{"labels":["a\u202eb","c\nd"],"values":[1,1]}`, "ab  ██████████████████ 1 / c d ██████████████████ 1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := chart.Parse(c.in)
			text := strings.Join(got.Bars(), " / ")
			if err != nil {
				text = "error"
			}
			if text != c.want {
				t.Errorf("got  %s\nwant %s (%v)", text, c.want, err)
			}
		})
	}
}

func TestBlocks(t *testing.T) {
	t.Parallel()
	const body = `{"labels":["a"],"values":[1]}`
	block := "```chart\n" + body + "\n```"
	draw := func(c chart.Chart) string { return "<" + strings.Join(c.Bars(), ";") + ">" }
	const drawn = "<a ██████████████████ 1>"
	for in, want := range map[string]string{
		block:                              drawn,
		"x\n\n" + block + "\ny\n":          "x\n\n" + drawn + "\ny\n",
		"~~~ Chart\n" + body + "\n~~~~\nz": drawn + "\nz",
		block + "\n" + block:               drawn + "\n" + drawn,
		"````\n" + block + "\n````":        "````\n" + block + "\n````", // shown as code
		"```chart\n{oops\n```":             "```chart\n{oops\n```",
		"```chart\n" + body:                "```chart\n" + body, // cut off
		"```charts\n" + body + "\n```":     "```charts\n" + body + "\n```",
		"a chart":                          "a chart",
	} {
		if got := chart.Replace(in, draw); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
	for in, want := range map[string]string{"hi\n```chart\n{\"la": "hi\n", "hi\n" + block + "\nho": "hi\n" + block + "\nho", "```go\nx": "```go\nx"} {
		if got := chart.Settled(in); got != want {
			t.Errorf("%q is settled up to %q, want %q", in, got, want)
		}
	}
}

func TestAsked(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"월별 매출을 그래프로 보여줘":                               "auto",
		"이 표 차트로 만들어 주세요":                               "auto",
		"부서별 인원 원그래프로 그려줘":                              "pie",
		"지점별 매출 막대 그래프로 나타내 줄래?":                        "bar",
		"월별 추이를 꺾은선 그래프로 부탁해":                           "line",
		"매출 시각화해줘":                                      "auto",
		"작년 지표를 차트로":                                    "auto",
		"show monthly revenue as a chart":               "auto",
		"plot this":                                     "auto",
		"Can you draw a bar chart of sales by region?":  "bar",
		"turn the table into a pie chart, please":       "pie",
		"visualize our signups":                         "auto",
		"make me a line graph of the temperatures":      "line",
		"그래프 데이터베이스가 뭐야?":                               "",
		"차트 조회 권한은 누가 줘?":                               "",
		"show me the org chart":                         "",
		"how do I install the helm chart?":              "",
		"what is a flow chart":                          "",
		"who drew the charts in the report?":            "",
		"연차는 며칠이야?":                                     "",
		"The plot thickens, says the article, see page": "",
	} {
		kind, ok := chart.Asked(text)
		got := string(kind)
		if ok && got == "" {
			got = "auto"
		}
		if got != want {
			t.Errorf("%q asks for %q, want %q", text, got, want)
		}
	}
	for text, want := range map[string]bool{"그래프로 보여줘": true, "이거 원그래프로 바꿔줘": true, "plot this": true, "now as a pie chart please": true, "월별 매출을 그래프로 보여줘": false, "plot sales by region as a chart": false} {
		if got := chart.Bare(text); got != want {
			t.Errorf("%q is bare: %v", text, got)
		}
	}
}

func TestSubject(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"월별 매출을 그래프로 보여줘": "월별 매출을", "부서별 인원 원그래프로 그려줘": "부서별 인원", "show monthly revenue as a bar chart": "show monthly revenue",
		"그래프로 보여줘": "그래프로 보여줘", "연차는 며칠이야?": "연차는 며칠이야?",
	} {
		if got := chart.Subject(text); got != want {
			t.Errorf("%q is about %q, want %q", text, got, want)
		}
	}
	const rows = "지점: 서울 | 매출(만원): 100\n지점: 부산 | 매출(만원): 50"
	if !chart.About("월별 매출을 그래프로 보여줘", rows) || chart.About("연차를 그래프로 보여줘", rows) || chart.About("매출", "매출은 100이에요.") {
		t.Error("a table is about its columns")
	}
}

func TestTables(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ question, text, want string }{
		"markdown":               {"그래프로 보여줘", "지점별 매출\n\n| 지점 | 매출(만원) |\n|---|--:|\n| 서울 | 1,200 |\n| **부산** | 600 [1] |\n| 합계 | 1,800 |\n", "bar 지점별 매출 / 서울 ██████████████████ 1,200만원 / 부산 █████████ 600만원"},
		"months_become_a_line":   {"plot this", "| Month | Visits |\n|---|---|\n| Jan | 1 |\n| Feb | 2 |\n| Mar | 3 |\n| Apr | 2 |\n| May | 4 |", "line Visits / Jan █████ 1 / Feb █████████ 2 / Mar ██████████████ 3 / Apr █████████ 2 / May ██████████████████ 4"},
		"the_question_chooses":   {"건수를 막대그래프로 보여줘", "| 월 | 매출 | 건수 |\n|--|--|--|\n| 1월 | 100원 | 7건 |\n| 2월 | 200원 | 14건 |", "bar 건수 / 1월 █████████ 7건 / 2월 ██████████████████ 14건"},
		"columns_measured_alike": {"as a chart", "| Team | Open | Closed | Share |\n|--|--|--|--|\n| A | 1 | 2 | 10% |\n| B | 3 | 4 | 90% |", "bar A /   Open   █████ 1 /   Closed █████████ 2 / B /   Open   ██████████████ 3 /   Closed ██████████████████ 4"},
		"keys_count_nothing":     {"차트로 보여줘", "| 사번 | 이름 | 점수 |\n|--|--|--|\n| 1001 | 김 | 90 |\n| 1002 | 박 | 45 |", "bar 점수 / 김 ██████████████████ 90 / 박 █████████ 45"},
		"years_are_labels":       {"그래프로 그려줘", "| 연도 | 인원 |\n|--|--|\n| 2023 | 10 |\n| 2024 | 20 |", "bar 인원 / 2023 █████████ 10 / 2024 ██████████████████ 20"},
		"rows_of_a_passage":      {"매출을 그래프로 보여줘", "지점: 서울 | 매출: 100 | 비고: 좋음\n지점: 부산 | 매출: 50\n지점: 대구 | 매출: - | 비고: 휴점", "bar 매출 / 서울 ██████████████████ 100 / 부산 █████████ 50"},
		"a_list":                 {"show it as a pie chart", "Head count:\n\n- Seoul: 30\n- Busan: 10\n", "pie Head count / Seoul ██████████████████ 30 (75%) / Busan ██████ 10 (25%)"},
		"a_chart_of_before":      {"원그래프로 바꿔줘", "```chart\n{\"labels\":[\"a\",\"b\"],\"values\":[1,1]}\n```", "pie a ██████████████████ 1 (50%) / b ██████████████████ 1 (50%)"},
		"words":                  {"그래프로 보여줘", "| 이름 | 부서 |\n|--|--|\n| 김 | 개발 |\n| 박 | 인사 |", ""},
		"one_row":                {"그래프로 보여줘", "| 이름 | 값 |\n|--|--|\n| 김 | 1 |", ""},
		"prose":                  {"그래프로 보여줘", "서울은 100, 부산은 50이에요.", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := ""
			if c := chart.Of(c.question, c.text); c != nil {
				got = string(c.Kind) + " " + strings.Join(c.Bars(), " / ")
			}
			if got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

func TestComplete(t *testing.T) {
	t.Parallel()
	const table = "| a | b |\n|--|--|\n| x | 1 |\n| y | 2 |"
	for _, c := range []struct {
		question, answer string
		added            bool
	}{{"as a chart please", table, true}, {"as a table please", table, false}, {"plot this", "No numbers.", false}, {"plot this", table + "\n\n```chart\n{}\n```", false}} {
		if got := chart.Complete(c.question, c.answer); (got != c.answer) != c.added || !strings.HasPrefix(got, c.answer) {
			t.Errorf("%q of %q: %q", c.question, c.answer, got)
		}
	}
}

// TestHTML: every drawing is well formed, has its values for screen readers, and escapes its words.
func TestHTML(t *testing.T) {
	t.Parallel()
	for _, src := range []string{
		`{"type":"bar","title":"<b>&","unit":"\"x","labels":["<i>","2월"],"series":[{"name":"'a","values":[-1,2]},{"name":"b","values":[0,1e12]}]}`,
		`{"type":"line","labels":["a"],"values":[0]}`, `{"type":"area","labels":["a","b"],"values":[0.001,0.002]}`,
		`{"type":"pie","labels":["a"],"values":[5]}`, `{"type":"pie","labels":["a","b","c"],"values":[5,0,1]}`, `{"labels":["` + strings.Repeat(`긴 이름표","`, 49) + `끝"],"values":[` + strings.Repeat("1,", 49) + `1]}`,
	} {
		c, err := chart.Parse(src)
		if err != nil {
			t.Fatal(src, err)
		}
		for _, lang := range []string{"en", "ko"} {
			out := c.HTML(lang)
			d := xml.NewDecoder(strings.NewReader(out))
			for {
				_, err := d.Token()
				if errors.Is(err, io.EOF) {
					break
				}
				if err != nil {
					t.Fatalf("%s: %v\n%s", src, err, out)
				}
			}
			if !strings.Contains(out, `role="img" aria-label="`) || !strings.Contains(out, "<td") || strings.Contains(out, "NaN") || strings.Contains(out, "Inf") {
				t.Errorf("%s: %s", src, out)
			}
		}
	}
}

func FuzzText(f *testing.F) {
	f.Add("그래프로 보여줘", "| a | b |\n|--|--|\n| x | 1 |\n| y | 2 |")
	f.Add("plot this", "- a: 1\n- b: 2\n```chart\n{\"labels\":[\"a\"],\"values\":[1]}\n```")
	f.Fuzz(func(t *testing.T, question, text string) {
		out := chart.Complete(question, text)
		if !strings.HasPrefix(out, strings.TrimRight(text, "\n")) {
			t.Errorf("%q lost words: %q", text, out)
		}
		if c := chart.Of(question, text); c != nil {
			again, err := chart.Parse(strings.TrimSuffix(strings.TrimPrefix(c.Fence(), "```chart\n"), "\n```"))
			if err != nil || len(again.Labels) != len(c.Labels) {
				t.Errorf("%q gave %s: %v", text, c.Fence(), err)
			}
			if strings.ContainsFunc(c.HTML("ko"), fit.Hidden) {
				t.Errorf("hidden letters in %q", c.HTML("ko"))
			}
		}
	})
}

// TestExtremeValues: values at the ends of floating point numbers draw a figure with a few ticks, and without NaN.
func TestExtremeValues(t *testing.T) {
	t.Parallel()
	for _, values := range []string{"5e-324", "-5e-324", "5e-324,0", "1e-300,-1e-300", "1e15,-1e15", "1e15,5e-324", "1e15,1e15", "7,7", "-7,-7", "0,0"} {
		labels := strings.Repeat(`"a",`, strings.Count(values, ",")) + `"a"`
		for _, kind := range []string{"bar", "line", "area", "pie"} {
			c, err := chart.Parse(`{"type":"` + kind + `","labels":[` + labels + `],"values":[` + values + `]}`)
			if err != nil {
				t.Fatal(values, err)
			}
			checkDrawing(t, c)
		}
	}
	if _, err := chart.Parse(`{"labels":["a","b"],"values":[1e308,-1e308]}`); err == nil {
		t.Error("values without bounds are a chart")
	}
}

// checkDrawing draws a chart in every way.
func checkDrawing(t *testing.T, c chart.Chart) {
	t.Helper()
	out := c.HTML("en")
	if drawing, _, _ := strings.Cut(out, "<details>"); strings.Count(drawing, `class="grid"`) > 17 || strings.Contains(numbers(drawing), "NaN") || strings.Contains(numbers(drawing), "Inf") {
		t.Errorf("%+v: %.2000s", c, drawing)
	}
	if len(c.Bars()) == 0 {
		t.Errorf("%+v: no bars", c)
	}
}

// numbers returns the coordinates of a drawing, without the words of the chart.
func numbers(drawing string) string {
	return strings.Join(regexp.MustCompile(` (?:[xy][12]?|width|height|points|d)="[^"]*"`).FindAllString(drawing, -1), "")
}

// FuzzDrawing: whatever is a chart can be drawn.
func FuzzDrawing(f *testing.F) {
	f.Add(`{"labels":["a"],"values":[5e-324]}`)
	f.Add(`{"type":"pie","labels":["a","b"],"values":[1e-320,1e15]}`)
	f.Add(`{"type":"area","labels":["a","b"],"values":[-1e15,1e15]}`)
	f.Fuzz(func(t *testing.T, src string) {
		if c, err := chart.Parse(src); err == nil {
			checkDrawing(t, c)
		}
	})
}
