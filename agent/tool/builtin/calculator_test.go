package builtin_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"maru/agent/tool"
	"maru/agent/tool/builtin"
)

// invoke calls a tool as an agent does, through a registry.
func invoke(t *testing.T, made tool.Tool, arguments any, call tool.Call) (tool.Result, error) {
	t.Helper()
	r, err := tool.NewRegistry(made)
	if err != nil {
		t.Fatal(err)
	}
	if call.Arguments, err = json.Marshal(arguments); err != nil {
		t.Fatal(err)
	}
	return r.Invoke(t.Context(), made.Spec().Name, call)
}

// wrong returns err as the *tool.Error that every tool must return.
func wrong(t *testing.T, err error, code string) *tool.Error {
	t.Helper()
	var e *tool.Error
	if !errors.As(err, &e) || e.Code != code {
		t.Fatalf("want an error with code %s, got %v", code, err)
	}
	if e.Model == "" || e.People.In("ko") == "" || e.People.In("en") == "" {
		t.Errorf("error says nothing to somebody: %+v", e)
	}
	return e
}

func calculate(t *testing.T, expression string) (string, error) {
	t.Helper()
	result, err := invoke(t, builtin.NewCalculator(), map[string]string{"expression": expression}, tool.Call{})
	return result.Text, err
}

func TestCalculator(t *testing.T) {
	t.Parallel()
	for _, tc := range [][2]string{
		// Exact decimals.
		{"0.1 + 0.2", "= 0.3"}, {"1.1 * 1.1", "= 1.21"}, {"0.1 + 0.2 - 0.3", "= 0"}, {"1e-20 + 1", "= 1.00000000000000000001"},
		{"123456789012345678901234567890 * 987654321098765432109876543210", "= 121932631137021795226185032733622923332237463801111263526900"},
		{"2^200", "= 1606938044258990275541962092341162602522202993782792835301376"}, {"2^-2", "= 0.25"}, {"1/8", "= 0.125"}, {"1/3", "≈ 0.3333333333333333333333333333333333"},
		{"1/3*3", "≈ 1"}, {"10/4", "= 2.5"}, {"1e3", "= 1000"}, {".5+5.", "= 5.5"}, {"1_000*2", "= 2000"}, {"-0", "= 0"},
		// Precedence.
		{"2+3*4", "= 14"}, {"(2+3)*4", "= 20"}, {"-2^2", "= -4"}, {"(-2)^2", "= 4"}, {"2^3^2", "= 512"}, {"2**10", "= 1024"}, {"2^-1", "= 0.5"}, {"--3", "= 3"},
		{"2*-3", "= -6"}, {"10-4-3", "= 3"}, {"100/10/2", "= 5"}, {"7//2", "= 3"}, {"-7//2", "= -4"}, {"7 % 3", "= 1"}, {"-7 mod 3", "= 2"}, {"5.5 mod 2", "= 1.5"},
		{"3!", "= 6"}, {"-3!", "= -6"}, {"2^3!", "= 64"},
		// Percent.
		{"15% of 240", "= 36"}, {"240의 15%", "= 36"}, {"15%", "= 0.15"}, {"200 + 10%", "= 220"}, {"200 - 10%", "= 180"}, {"10% + 5%", "= 0.15"}, {"200 * 10%", "= 20"},
		{"50% - 3", "= -2.5"}, {"1000*(1+5%)", "= 1050"}, {"10%(3)", "= 1"},
		// Borders near zero, and of what cannot be written exactly.
		{"ceil(0.02)", "= 1"}, {"ceil(21e-8)", "= 1"}, {"floor(-0.001)", "= -1"}, {"floor(0.001)", "= 0"}, {"ceil(-0.001)", "= 0"}, {"round(0.049, 1)", "= 0"}, {"round(4, -2)", "= 0"}, {"trunc(-0.001)", "= 0"}, {"ceil(1/300)", "= 1"}, {"floor(-17/3330)", "= -1"},
		{"1 // (1/3)", "≈ 3"}, {"1 mod (1/3)", "≈ 0"}, {"10 // (10/36)", "≈ 36"}, {"7 mod (22/7)", "≈ 0.7142857142857142857142857142857143"}, {"-1 mod (2/3)", "≈ 0.3333333333333333333333333333333333"}, {"1e20 mod (1/7)", "≈ 0"},
		// Writing habits.
		{"1,234,567.89 + 1", "= 1234568.89"}, {"3 × 4 ÷ 2 − 1", "= 5"}, {"３＋４", "= 7"}, {"3x4", "= 12"}, {"3 X 4", "= 12"}, {"10x3", "= 30"}, {"0 x 5", "= 0"}, {"2+2=", "= 4"}, {"2+2=?", "= 4"},
		{"1억 2천만 / 4", "= 30000000"}, {"3만 5000", "= 35000"}, {"2천5백", "= 2500"}, {"1.5억", "= 150000000"}, {"[1+2]*{3}", "= 9"}, {"5²+√16", "= 29"}, {"2·3", "= 6"},
		// Functions.
		{"sqrt(2)", "≈ 1.414213562373095048801688724209698"}, {"sqrt(144)", "= 12"}, {"SQRT(0.25)", "= 0.5"}, {"cbrt(27)", "= 3"}, {"cbrt(-8)", "= -2"}, {"abs(-3.5)", "= 3.5"},
		{"round(2.5)", "= 3"}, {"round(-2.5)", "= -3"}, {"round(3.14159, 2)", "= 3.14"}, {"round(1234.5, -2)", "= 1200"}, {"round(2/3, 4)", "= 0.6667"}, {"floor(-1.5)", "= -2"},
		{"ceil(1.2)", "= 2"}, {"trunc(-1.9)", "= -1"}, {"floor(1/3*3)", "= 1"}, {"floor(sqrt(2)^2)", "= 2"}, {"min(3, 1, 2)", "= 1"}, {"max(1,234)", "= 234"}, {"max((1,234), 5)", "= 1234"}, {"sum(1,2,3)", "= 6"},
		{"avg(1; 2)", "= 1.5"}, {"ln(e)", "≈ 1"}, {"ln(1)", "= 0"}, {"log10(1000)", "= 3"}, {"log(0.001)", "= -3"}, {"log(8, 2)", "≈ 3"}, {"exp(0)", "= 1"}, {"exp(1)", "≈ 2.718281828459045235360287471352662"},
		{"sin(0)", "= 0"}, {"sin(30°)", "≈ 0.5"}, {"cos(60°)", "≈ 0.5"}, {"tan(45°)", "≈ 1"}, {"sin(pi)", "≈ 0"}, {"cos(π)", "≈ -1"}, {"sin(1e15)", "≈ 0.8582727931702358355238863908484066"}, {"cos(1)", "≈ 0.5403023058681397174009366074429766"},
		{"pow(2, 0.5)", "≈ 1.414213562373095048801688724209698"}, {"4^0.5", "≈ 2"}, {"(-8)^3", "= -512"}, {"mod(10, 4)", "= 2"}, {"factorial(20)", "= 2432902008176640000"}, {"0!", "= 1"}, {"0^0", "= 1"}, {"0^5", "= 0"},
		{"1.0000001^1000000", "≈ 1.105170912549793416638382709346716"}, {"1000!", "= 4.02387260077093773543702433923004e+2567 (2568 digits, the first 34 are shown)"}, {"1e-9000*1", "= 1e-9000"},
	} {
		t.Run(strings.ReplaceAll(tc[0], "/", "÷"), func(t *testing.T) {
			t.Parallel()
			got, err := calculate(t, tc[0])
			if err != nil {
				t.Fatal(err)
			}
			if !strings.HasSuffix(got, " "+tc[1]) {
				t.Errorf("got %q, want %q", got, tc[1])
			}
		})
	}
}

func TestCalculatorSaysHowItUnderstood(t *testing.T) {
	t.Parallel()
	for expression, want := range map[string]string{
		"max(1,234)":      "max(1, 234) = 234",
		"(1+2)*3-(4-5)":   "(1 + 2) * 3 - (4 - 5) = 10",
		"7 % 3":           "7 mod 3 = 1",
		"(-2)^2":          "(-2) ^ 2 = 4",
		"1억 2천":           "100002000 = 100002000",
		"12,000 x 3":      "12000 * 3 = 36000",
		"2^(3^2)+(2^3)^2": "2 ^ 3 ^ 2 + (2 ^ 3) ^ 2 = 576",
	} {
		if got, err := calculate(t, expression); err != nil || got != want {
			t.Errorf("%s: got %q, %v", expression, got, err)
		}
	}
}

func TestCalculatorErrorsNameThePlace(t *testing.T) {
	t.Parallel()
	for _, tc := range [][2]string{
		{"3 + * 4", `position 5: expected a number but found "*"`}, {"3 +", "position 4: the expression ends too early"}, {"(1+2", `position 1: "(" is never closed`},
		{"1+2)", `position 4: ")" has no`}, {"2(3+4)", `position 2: an operator is missing before "("`}, {"2 pi", `position 3: an operator is missing before "pi"`},
		{"1,23", `position 2: ","`}, {"1,2345", `position 2: ","`}, {"3..4", `position 1: "3.." is not a number`}, {"1.2.3", "is not a number"}, {"12원", `position 3: expected a number`},
		{"foo(3)", `there is no function "foo"`}, {"sqr(4)", "did you mean sqrt?"}, {"sqrt 4", "sqrt needs its value in parentheses"}, {"sqrt()", `position 6: ")"`},
		{"sqrt(1,2)", "sqrt got 2 values"}, {"round(1,234.5, 2)", "inside a function a comma separates"}, {"sqrt(4", `position 5: "(" is never closed`}, {"", "ends too early"}, {"=", "ends too early"},
		{"1/0", "position 2: division by zero"}, {"5 mod 0", "division by zero"}, {"1/(2-2)", "division by zero"}, {"1e50 mod (1/7)", "too far apart for a remainder"}, {"1 // (1/3e60)", "too far apart for a remainder"}, {"sqrt(-1)", "position 1: the square root of a negative"}, {"ln(0)", "above zero"}, {"log(5,1)", "cannot be one"},
		{"(-8)^(1/3)", "not real"}, {"0^-1", "zero to a negative power"}, {"(-3)!", "a factorial needs"}, {"2.5!", "a factorial needs"}, {"1001!", "a factorial needs"}, {"3!!!!", "a factorial needs"},
		{"9^9^9^9", "larger than 10^10000"}, {"10^10001", "larger than 10^10000"}, {"1e10001", "exponent of a number is larger than"}, {"1e99999999999999999999", "is not a number"}, {"0x10", `"0x10" is not a number`}, {"2*0xFF", `"0xff" is not a number`}, {"exp(100000)", "larger than"}, {"sin(1e30)", "angle is larger than"},
		{strings.Repeat("(", 100) + "1", "nested more than 64"}, {strings.Repeat("-", 200) + "1", "nested more than 64"}, {"2" + strings.Repeat("^2", 100), "nested more than 64"}, {strings.Repeat("9", 300), "more than 200 digits"},
		{"1만 2억", "larger unit"}, {"import os", `there is no function "import"`}, {"1;2", `";"`}, {"\x00", "expected a number"}, {"tan(90°)", "not defined"}, {"round(1, 0.5)", "digits of round"},
	} {
		_, err := calculate(t, tc[0])
		if tc[0] == "" {
			wrong(t, err, "bad_argument") // the schema asks for a character
			continue
		}
		if e := wrong(t, err, "bad_argument"); !strings.Contains(e.Model, tc[1]) {
			t.Errorf("%.30s: says %q, want %q", tc[0], e.Model, tc[1])
		}
	}
}

func TestCalculatorStopsWhenCancelled(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := builtin.NewCalculator().Call(ctx, tool.Call{Arguments: json.RawMessage(`{"expression":"1+1"}`)}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// FuzzCalculator feeds anything: the calculator must answer with a value or a
// *tool.Error, never panic, never hang, never give more than a page.
func FuzzCalculator(f *testing.F) {
	for _, seed := range []string{"1+2", "15% of 240", "sqrt(2)^9!", "1억 2천만 / 4", "sin(30°)", "9^9^9", "round(1/3, 5)", "((((", "1e-9999*1e-9999", "7 % -3", "0.1^-9999", "5//3!", "max(1;2,3)"} {
		f.Add(seed)
	}
	made := builtin.NewCalculator()
	r, err := tool.NewRegistry(made)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, expression string) {
		arguments, _ := json.Marshal(map[string]string{"expression": expression})
		result, err := r.Invoke(t.Context(), "calculator", tool.Call{Arguments: arguments})
		var known *tool.Error
		if err != nil && (!errors.As(err, &known) || known.Code != "bad_argument") {
			t.Errorf("%q: %v", expression, err)
		}
		if len(result.Text) > tool.MaxResult {
			t.Errorf("%q: %d bytes", expression, len(result.Text))
		}
	})
}
