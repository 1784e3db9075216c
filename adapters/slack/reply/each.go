package reply

import (
	"maru/adapters/slack/render"
	"maru/adapters/slack/web"
)

// sendPlainer sends a part, at a plainer level after every rejection.
func sendPlainer(p render.Part, send func(render.Part) error) error {
	err := send(p)
	if !web.RefusedBlocks(err) {
		return err
	}
	err = send(p.Plainer())
	if !web.RefusedBlocks(err) {
		return err
	}
	err = send(p.WordsOnly(render.MaxPlainMessage))
	if web.Code(err) != "msg_too_long" {
		return err
	}
	return send(p.WordsOnly(render.MaxPlainEdit))
}
