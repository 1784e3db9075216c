package interact

import (
	"encoding/json"
	"testing"

	"maru/adapters/discord/render"
	"maru/adapters/discord/wire"
	"maru/bot"
)

// FuzzInteraction feeds what strangers can put into interactions.
func FuzzInteraction(f *testing.F) {
	for _, raw := range []string{
		`{"id":"1573671288776425472","channel_id":"2","guild_id":"3","type":0,"content":"<@9> hi <#2> <t:1>","author":{"id":"4","username":"a"},"timestamp":"2026-11-21T00:00:00Z","mentions":[{"id":"9","member":{"nick":null}}]}`,
		`{"id":"1","type":3,"token":"t","channel_id":"2","data":{"custom_id":"m1:a:b"},"message":{"id":"5"}}`,
		`{"id":"1","type":5,"token":"t","data":{"custom_id":"m1:a:b","components":[{"type":18,"component":{"custom_id":"x","value":"y"}},{"type":1,"components":[{"custom_id":"z","values":["1"]}]}]}}`,
		`{"id":"1","type":2,"token":"t","data":{"name":"maru","options":[{"type":1,"name":"ask","options":[{"name":"question","value":7}]}]}}`,
		`{"id":null}`, `[]`, `"x"`,
	} {
		f.Add(raw)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		var i wire.Interaction
		if json.Unmarshal([]byte(raw), &i) == nil {
			formValues(i.Data)
			chosen(i.Data)
			target(i.Data)
			given(i.Data)
			invocation([]bot.Command{{Name: "ask", Args: []bot.Arg{{Name: "question"}}}}, &i, bot.Thread{}, bot.User{})
			if id, verb, ok := render.ParseCustomID(i.Data.CustomID); ok && (id == "" || len(id)+len(verb) > 4*render.MaxCustomID) {
				t.Errorf("custom id %q", i.Data.CustomID)
			}
		}
	})
}
