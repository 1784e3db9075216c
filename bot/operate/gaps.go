package operate

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"maru/bot"
	"maru/bot/gap"
)

// gapDays is the period of [Desk.Gaps] in days.
const gapDays = 90

// Gaps is "maru eval --from-channel CHANNEL": it writes a channel's poorly answered questions as lines of a
// question file, one per group of similar questions. A question that the documents do not answer has no relevant
// passages yet.
func (d Desk) Gaps(ctx context.Context, args []string, out io.Writer) error {
	if len(args) != 1 {
		return Misuse{"it takes one channel, such as slack/T0123/C0123"}
	}
	channel, err := bot.ParseThread(args[0] + "/")
	if err != nil || strings.Count(args[0], "/") != 2 {
		return Misuse{"a channel is PLATFORM/WORKSPACE/CHANNEL, such as slack/T0123/C0123"}
	}
	r, done, err := d.Open(ctx)
	if err != nil {
		return err
	}
	defer done()
	gaps, err := gap.New(gap.Config{Record: r, Now: time.Now}).Of(ctx, channel, time.Now().AddDate(0, 0, -gapDays))
	if err != nil {
		return err
	}
	lines := json.NewEncoder(out)
	lines.SetEscapeHTML(false)
	for _, g := range gaps {
		kind := "voted_down"
		if g.NotFound > 0 {
			kind = "not_found"
		}
		if err := lines.Encode(struct {
			ID       string   `json:"id"`
			Question string   `json:"question"`
			Relevant []string `json:"relevant"`
			Kind     string   `json:"kind"`
		}{g.Run, g.Question, []string{}, kind}); err != nil {
			return fmt.Errorf("write questions: %w", err)
		}
	}
	return nil
}
