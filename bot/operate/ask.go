package operate

import (
	"errors"
	"strconv"
	"strings"
)

// Question is what `maru ask` asks, and where.
type Question struct {
	JSON         bool // the answer is printed as JSON
	Thread, Text string
}

// ReadQuestion reads the arguments of `maru ask`.
func ReadQuestion(args []string) (q Question, err error) {
	f := Flags("ask")
	f.BoolVar(&q.JSON, "json", false, "")
	f.StringVar(&q.Thread, "thread", "", "")
	rest, err := Parse(f, args)
	if err == nil && len(rest) == 0 {
		err = Misuse{"it wants a question, or - to read it from standard input"}
	}
	q.Text = strings.Join(rest, " ")
	return q, err
}

// Args returns the arguments that ReadQuestion reads as the question.
func (q Question) Args() []string {
	return []string{"--json=" + strconv.FormatBool(q.JSON), "--thread=" + q.Thread, "--", q.Text}
}

// Unlike is the error of a question whose caller gave settings that differ from those of the running program, which answers with its own.
func Unlike(settings []string) error {
	if len(settings) == 0 {
		return nil
	}
	return Misuse{"the running program has this data folder and answers with its own settings, from which these differ: " + strings.Join(settings, ", ") +
		"; leave them out, or name another folder with --data-dir"}
}

// Asked returns the error for an exit code of `maru ask`: 0, 1, or 2 for incorrect use. why is a message that has not been printed
// yet, "" if there is none.
func Asked(code int, why string) error {
	switch {
	case code == 0:
		return nil
	case code == 2 && why != "":
		return Misuse{why}
	case code == 2:
		return ErrMisused
	case why != "":
		return errors.New(why)
	}
	return ErrTold
}
