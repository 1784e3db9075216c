package tool_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"maru/agent/llm"
	"maru/agent/tool"
	"maru/phrase"
)

// fake is a tool made of a function.
type fake struct {
	spec tool.Spec
	call func(ctx context.Context, call tool.Call) (tool.Result, error)
}

func (f fake) Spec() tool.Spec { return f.spec }
func (f fake) Call(ctx context.Context, call tool.Call) (tool.Result, error) {
	return f.call(ctx, call)
}

const params = `{"type":"object","properties":{"city":{"type":"string","minLength":1},"days":{"type":"integer","minimum":1,"maximum":5},
	"units":{"enum":["metric","imperial"]},"extra":{"type":"object"}},"required":["city"],"additionalProperties":false}`

func forecast(call func(context.Context, tool.Call) (tool.Result, error)) fake {
	return fake{tool.Spec{Name: "forecast", Description: "d", Parameters: json.RawMessage(params)}, call}
}

func echo(_ context.Context, call tool.Call) (tool.Result, error) {
	return tool.Result{Text: string(call.Arguments)}, nil
}

func registry(t *testing.T, tools ...tool.Tool) *tool.Registry {
	t.Helper()
	r, err := tool.NewRegistry(tools...)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestRegistryOffersWhatItHolds(t *testing.T) {
	t.Parallel()
	r := registry(t, forecast(echo), fake{spec: tool.Spec{Name: "clock"}})
	if !reflect.DeepEqual(r.Names(), []string{"clock", "forecast"}) || len(r.Offer()) != 2 {
		t.Errorf("names %v", r.Names())
	}
	if offer := r.Offer("forecast", "gone"); len(offer) != 1 || offer[0].Name != "forecast" || string(offer[0].Parameters) != params {
		t.Errorf("offer %v", offer)
	}
	if _, spec, err := r.Lookup("clock"); err != nil || spec.Name != "clock" {
		t.Errorf("lookup: %v, %v", spec, err)
	}
	if !r.Remove("clock") || r.Remove("clock") {
		t.Error("remove does not say whether it was there")
	}
	if _, _, err := r.Lookup("clock"); !errors.Is(err, tool.ErrUnknown) {
		t.Errorf("lookup of a removed tool: %v", err)
	}
}

func TestRegistryRefusesBrokenTools(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ name, params, want string }{
		"capitals":         {"Weather", "", "a name is"},
		"empty name":       {"", "", "a name is"},
		"twice":            {"forecast", "", "already"},
		"not json":         {"x", "{", "not JSON"},
		"not an object":    {"x", `{"type":"string"}`, `"type": "object"`},
		"boolean":          {"x", `true`, `"type": "object"`},
		"broken schema":    {"x", `{"type":"object","properties":{"a":{"type":"strin"}}}`, "tool x"},
		"reads a file":     {"x", `{"type":"object","properties":{"a":{"$ref":"file:///etc/passwd"}}}`, "never loaded from elsewhere"},
		"fetches":          {"x", `{"type":"object","properties":{"a":{"$ref":"http://127.0.0.1/s"}}}`, "never loaded from elsewhere"},
		"broken expession": {"x", `{"type":"object","properties":{"a":{"pattern":"("}}}`, "tool x"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, err := tool.NewRegistry(forecast(echo), fake{spec: tool.Spec{Name: tc.name, Parameters: json.RawMessage(tc.params)}})
			if err == nil || !strings.Contains(err.Error(), tc.want) || len(r.Names()) != 1 {
				t.Errorf("got %v with %v", err, r.Names())
			}
		})
	}
}

func TestInvokeChecksArguments(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat(`{"a":`, 40) + "1" + strings.Repeat("}", 40)
	for _, tc := range []struct{ arguments, want string }{
		{`{"city":"서울","days":3}`, ""},
		{`{"city":"Seoul","extra":{"Any":[1,2,{"x":null}]}}`, ""},
		{``, "missing city"}, {`null`, "missing city"}, {`{}`, "missing city"},
		{`{"city":""}`, "city: "}, {`{"city":7}`, "city: got number, want string"}, {`{"city":"x","days":9}`, "days: "}, {`{"city":"x","days":1.5}`, "days: "},
		{`{"city":"x","units":"kelvin"}`, "units: "}, {`{"city":"x","day":1}`, `unknown "day", did you mean "days"?`}, {`{"City":"x"}`, `unknown "City", did you mean "city"?`},
		{`{"city":"a","city":"b"}`, `the key "city" is there twice`}, {`{"city":"a","extra":{"k":1,"k":2}}`, `"k" is there twice`},
		{`{"city":"a"} {"city":"b"}`, "something after"}, {`["Seoul"]`, "not a JSON object"}, {`"Seoul"`, "not a JSON object"}, {`{"city":`, "not valid JSON"}, {`{city:"x"}`, "not valid JSON"},
		{"{\"city\":\"\xff\"}", "not UTF-8"}, {`{"city":"x","extra":` + deep + `}`, "nested more than 32"}, {`{"city":"` + strings.Repeat("x", 300_000) + `"}`, "longer than"},
		{`{"a":1,"b":1,"c":1,"d":1,"e":1,"f":1,"g":1,"h":1,"i":1,"j":1}`, "and more"},
	} {
		called := false
		r := registry(t, forecast(func(_ context.Context, call tool.Call) (tool.Result, error) {
			called = true
			return tool.Result{Text: "ok"}, nil
		}))
		_, err := r.Invoke(t.Context(), "forecast", tool.Call{Arguments: json.RawMessage(tc.arguments)})
		if tc.want == "" {
			if err != nil || !called {
				t.Errorf("%.60s: %v", tc.arguments, err)
			}
			continue
		}
		var e *tool.Error
		if !errors.As(err, &e) || e.Code != "bad_argument" || !strings.Contains(e.Model, tc.want) || called || len(e.Model) > 4096 {
			t.Errorf("%.60s: got %v (called %v), want %q", tc.arguments, err, called, tc.want)
		}
	}
}

func TestInvokeGivesNoArgumentsAsAnObject(t *testing.T) {
	t.Parallel()
	r := registry(t, fake{tool.Spec{Name: "clock"}, echo})
	for _, none := range []string{"", "null", " {} "} {
		if got, err := r.Invoke(t.Context(), "clock", tool.Call{Arguments: json.RawMessage(none)}); err != nil || got.Text != "{}" {
			t.Errorf("%q: got %q, %v", none, got.Text, err)
		}
	}
}

func TestInvokeUnknownToolSuggests(t *testing.T) {
	t.Parallel()
	r := registry(t, fake{spec: tool.Spec{Name: "web_search"}}, fake{spec: tool.Spec{Name: "calculator"}}, fake{spec: tool.Spec{Name: "read_file"}})
	for name, want := range map[string]string{
		"calculater": `"calculator"`, "websearch": `"web_search"`, "Web-Search": `"web_search"`, "search": `"web_search"`, "readfile": `"read_file"`, "calc": `"calculator"`,
		"launch_missiles": "", strings.Repeat("가", 5000): "",
	} {
		_, err := r.Invoke(t.Context(), name, tool.Call{})
		var e *tool.Error
		if !errors.As(err, &e) || !errors.Is(err, tool.ErrUnknown) || e.Code != "not_found" || len(e.Model) > 400 {
			t.Fatalf("%.20s: %v", name, err)
		}
		if got := strings.Contains(e.Model, "Did you mean "+want); got != (want != "") && want != "" || (want == "" && strings.Contains(e.Model, "Did you mean")) {
			t.Errorf("%.20s: says %q, want %s", name, e.Model, want)
		}
	}
}

func TestInvokeTurnsFailuresIntoObservations(t *testing.T) {
	t.Parallel()
	known := &tool.Error{Code: "limit", Model: "busy", People: phrase.Of("error.busy")}
	for name, tc := range map[string]struct {
		call func(context.Context, tool.Call) (tool.Result, error)
		code string
	}{
		"its own error": {func(context.Context, tool.Call) (tool.Result, error) {
			return tool.Result{}, fmt.Errorf("x: %w", known)
		}, "limit"},
		"any error": {func(context.Context, tool.Call) (tool.Result, error) {
			return tool.Result{}, errors.New("secret detail")
		}, "unavailable"},
		"panic":      {func(context.Context, tool.Call) (tool.Result, error) { panic("secret detail") }, "unavailable"},
		"bare error": {func(context.Context, tool.Call) (tool.Result, error) { return tool.Result{}, &tool.Error{} }, "unavailable"},
		"too slow": {func(ctx context.Context, _ tool.Call) (tool.Result, error) {
			<-ctx.Done()
			return tool.Result{}, ctx.Err()
		}, "timeout"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := forecast(tc.call)
			if tc.code == "timeout" {
				f.spec.Timeout = time.Millisecond * 20
			}
			_, err := registry(t, f).Invoke(t.Context(), "forecast", tool.Call{Arguments: json.RawMessage(`{"city":"x"}`)})
			var e *tool.Error
			if !errors.As(err, &e) || e.Code != tc.code || e.Model == "" {
				t.Fatalf("got %v", err)
			}
			if tool.Sentence(err, "ko") == tool.Sentence(err, "en") || tool.Sentence(err, "fr") != tool.Sentence(err, "en") {
				t.Errorf("sentences: %v", e.People)
			}
			for _, language := range []string{"ko", "en", ""} {
				if seen := tool.ObserveIn(language, tool.Result{}, err); seen != tool.Observe(tool.Result{}, err)+"\n"+llm.ForPerson+tool.Sentence(err, language) {
					t.Errorf("in %q the model sees %q", language, seen)
				}
			}
			if seen := tool.Observe(tool.Result{}, err); strings.Contains(seen, "secret") || !strings.HasPrefix(seen, "error ("+tc.code+")") {
				t.Errorf("the model sees %q", seen)
			}
		})
	}
}

func TestInvokeReturnsTheRunsOwnCancellation(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	r := registry(t, forecast(func(ctx context.Context, _ tool.Call) (tool.Result, error) {
		cancel()
		<-ctx.Done()
		return tool.Result{}, errors.New("broken pipe")
	}))
	if _, err := r.Invoke(ctx, "forecast", tool.Call{Arguments: json.RawMessage(`{"city":"x"}`)}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestInvokeBoundsResults(t *testing.T) {
	t.Parallel()
	r := registry(t, fake{tool.Spec{Name: "flood"}, func(context.Context, tool.Call) (tool.Result, error) {
		return tool.Result{Text: "a" + strings.Repeat("가", 60_000) + "\xff", Data: json.RawMessage("{"), Sources: make([]tool.Source, 500)}, nil
	}})
	got, err := r.Invoke(t.Context(), "flood", tool.Call{})
	if err != nil || len(got.Text) > tool.MaxResult || !utf8.ValidString(got.Text) || !strings.HasSuffix(got.Text, "more bytes were left out]") || got.Data != nil || len(got.Sources) > 20 {
		t.Errorf("%d bytes, data %s, %d sources, %v", len(got.Text), got.Data, len(got.Sources), err)
	}
	if shown := tool.Observe(got, nil); len(shown) > tool.MaxShown || tool.ObserveWhole(got, nil) != got.Text {
		t.Errorf("a model is shown %d bytes at once", len(shown))
	}
}

func FuzzBound(f *testing.F) {
	f.Add("가나다", 4)
	f.Add("\xff\x00", 100)
	f.Fuzz(func(t *testing.T, text string, limit int) {
		if limit < 0 || limit > 1<<16 {
			return
		}
		if got := tool.Bound(text, limit); len(got) > limit || !utf8.ValidString(got) || strings.Contains(got, "\x00") {
			t.Errorf("Bound(%q, %d) = %q", text, limit, got)
		}
	})
}

// FuzzInvoke feeds anything as the arguments a model wrote: a tool is called
// only with what its schema allows, and everything else is a bad argument.
func FuzzInvoke(f *testing.F) {
	for _, seed := range []string{`{"city":"x"}`, `{"city":"x","days":3}`, `{"city":"x","city":"y"}`, `null`, `[[[[`, `{"city":"\u0000"}`, `{"extra":{"a":[1e999]}}`} {
		f.Add([]byte(seed))
	}
	var seen json.RawMessage
	r, err := tool.NewRegistry(forecast(func(_ context.Context, call tool.Call) (tool.Result, error) {
		seen = call.Arguments
		return tool.Result{}, nil
	}))
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, arguments []byte) {
		seen = nil
		_, err := r.Invoke(t.Context(), "forecast", tool.Call{Arguments: arguments})
		var known *tool.Error
		if err != nil {
			if seen != nil || !errors.As(err, &known) || known.Code != "bad_argument" {
				t.Errorf("%q: %v", arguments, err)
			}
			return
		}
		var args struct{ City *string }
		if err := json.Unmarshal(seen, &args); err != nil || args.City == nil || *args.City == "" {
			t.Errorf("%q was let through: %v", arguments, err)
		}
	})
}

// TestRegistrySettles waits for tools that are late, but not for ever.
func TestRegistrySettles(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r, err := tool.NewRegistry()
		if err != nil {
			t.Fatal(err)
		}
		took := func(names ...string) time.Duration {
			began := time.Now()
			r.Settle(t.Context(), 5*time.Second, names...)
			return time.Since(began)
		}
		if d := took(); d != 0 {
			t.Errorf("nobody fills it, and it waited %s", d)
		}
		one, two := r.Filling(), r.Filling()
		go func() {
			time.Sleep(time.Second)
			one()
			one() // twice is once
			time.Sleep(time.Second)
			two()
		}()
		if d := took(); d != 2*time.Second {
			t.Errorf("waited %s for two that needed 2s", d)
		}
		hung := r.Filling()
		if d := took(); d != 5*time.Second {
			t.Errorf("waited %s for one that never comes", d)
		}
		if err := r.Add(fake{spec: tool.Spec{Name: "here"}}); err != nil {
			t.Fatal(err)
		}
		if d := took("here"); d != 0 {
			t.Errorf("what is asked for is there, and it waited %s", d)
		}
		slow := r.Filling()
		go func() {
			time.Sleep(time.Second)
			if err := r.Add(fake{spec: tool.Spec{Name: "later"}}); err != nil {
				t.Error(err)
			}
			slow()
		}()
		if d := took("here", "later"); d != time.Second {
			t.Errorf("waited %s for one that came after 1s, while another server hangs", d)
		}
		if d := took("here", "never"); d != 5*time.Second {
			t.Errorf("waited %s for one that never comes", d)
		}
		hung()
		if d := took(); d != 0 {
			t.Errorf("all are in, and it waited %s", d)
		}
	})
}
