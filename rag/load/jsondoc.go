package load

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"maru/rag/load/records"
	"maru/rag/load/talk"
)

// parseJSON makes every record of [records.JSON] a row.
func parseJSON(data []byte, _ limits, out *sink) error {
	text, err := decodeText(data)
	if err != nil {
		return err
	}
	if talk.IsDiscord([]byte(text[:min(len(text), 1<<10)])) {
		return talk.Discord([]byte(text), out.add)
	}
	if is, err := talk.SlackMessages([]byte(text), out.add); is {
		return err
	}
	err = records.JSON(text, func(record string) error { return out.add(block{Kind: row, Text: record}) })
	var e *Error
	switch {
	case err == nil, errors.As(err, &e):
		return err
	case errors.Is(err, records.ErrLimit):
		return fault(TooComplex, "", err)
	}
	return fault(Broken, "", err)
}

// maxBadLines limits the broken lines of a JSON Lines file; a file with more has another format.
const maxBadLines = 20

// parseJSONLines reads a value a line. Broken lines are skipped and listed; a file with too many, or nothing else, is
// refused.
func parseJSONLines(data []byte, lim limits, out *sink) error {
	whole := &sink{left: out.left}
	err := parseJSON(data, lim, whole)
	if e := new(Error); err == nil || !errors.As(err, &e) || e.Code != Broken {
		out.Blocks, out.left = append(out.Blocks, whole.Blocks...), whole.left
		return err
	}
	text, err := decodeText(data)
	if err != nil {
		return err
	}
	var first error
	good, n := 0, 0
	for line := range strings.Lines(text) {
		if n++; strings.TrimSpace(line) == "" {
			continue
		}
		err := parseJSON([]byte(line), lim, out)
		if e := new(Error); err != nil && (!errors.As(err, &e) || e.Code != Broken) {
			return err // the limits apply to the file, not the line
		}
		if err == nil {
			good++
			continue
		}
		if first == nil {
			first = fmt.Errorf("line %d: %w", n, err)
		}
		out.Unread = append(out.Unread, unread{Name: ":" + strconv.Itoa(n), Code: BadLine})
	}
	if good == 0 || len(out.Unread) > maxBadLines {
		return fault(Broken, "", first)
	}
	return nil
}
