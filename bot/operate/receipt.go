package operate

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"maru/bot/desk"
	"maru/bot/receipt"
)

// Inline replaces file names in the arguments of `maru audit check` by the files' contents, since the program that
// executes the command may run in another folder.
func Inline(args []string) []string {
	if len(args) == 0 || args[0] != "check" {
		return args
	}
	out := []string{args[0]}
	for _, a := range args[1:] {
		if raw, err := os.ReadFile(a); err == nil {
			a = strings.TrimSpace(string(raw))
		}
		out = append(out, a)
	}
	return out
}

// check is `maru audit check RECEIPT [KEYS]`. With keys it works offline; otherwise it uses the record's.
func (d Desk) check(ctx context.Context, args []string, out io.Writer) error {
	if len(args) < 1 || len(args) > 2 {
		return Misuse{"check wants a receipt, or a file with one, and perhaps a file of keys as GET /api/approvals/key returns them"}
	}
	keys, err := d.keys(ctx, args[1:])
	if err != nil {
		return err
	}
	c, err := receipt.Check(args[0], keys)
	if errors.Is(err, receipt.ErrForm) && len(args[0]) < 200 && !strings.Contains(args[0], "\n") { // a receipt is longer
		return fmt.Errorf("%w, and no file that can be read: %q", err, args[0])
	}
	if err != nil {
		return err
	}
	lines := []string{
		"the receipt is genuine", "request:  " + c.Request, "decision: " + c.Decision, "digest:   " + c.Digest, "decided:  " + c.Decided.Format(time.RFC3339),
		"for:      " + c.For, "program:  " + c.Program, "place:    " + c.Place,
	}
	for _, p := range c.By {
		lines = append(lines, fmt.Sprintf("by:       %s %q %s", p.ID, p.Name, p.At.Format(time.RFC3339)))
	}
	if c.Text != "" {
		lines = append(lines, fmt.Sprintf("text:     %q", c.Text))
	}
	_, err = fmt.Fprintln(out, strings.Join(lines, "\n"))
	return err
}

// keys returns the given keys, otherwise the record's.
func (d Desk) keys(ctx context.Context, given []string) (receipt.Keys, error) {
	if len(given) == 1 {
		return receipt.ReadKeys([]byte(given[0]))
	}
	r, done, err := d.Open(ctx)
	if err != nil {
		return receipt.Keys{}, err
	}
	defer done()
	return desk.Keyring{Notes: r, Now: time.Now}.Public(ctx)
}

// newKey is `maru audit new-key`: new receipts are signed with a new key, and old ones stay valid.
func (d Desk) newKey(ctx context.Context, out io.Writer) error {
	r, done, err := d.Open(ctx)
	if err != nil {
		return err
	}
	defer done()
	k, err := desk.Keyring{Notes: r, Secrets: d.Secrets, Now: time.Now}.Renew(ctx)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "receipts are signed with the key %s from now on; earlier keys stay published\n", k.ID)
	return err
}
