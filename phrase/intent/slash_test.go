package intent_test

import (
	"slices"
	"testing"

	"maru/phrase/intent"
)

func TestSlash(t *testing.T) {
	t.Parallel()
	known := func(name string) bool {
		return slices.Contains([]string{"help", "도움말", "도움", "ask", "docs"}, name)
	}
	for text, want := range map[string]string{ // name|args; "" is a message
		"/help":     "help|",
		"  /HELP  ": "help|",
		"/help?":    "help|",
		"/도움말":      "도움말|",
		"/\u1103\u1169\u110b\u116e\u11b7\u1106\u1161\u11af": "도움말|", // as a Mac writes it
		"／help":                        "help|",
		"/docs list  all":              "docs|list  all",
		"/ask first\nsecond":           "ask|first\nsecond",
		"/maru":                        "help|",
		"/Maru docs list":              "docs|list",
		"/maru nonsense, or not":       "nonsense|or not",
		"/hepl":                        "hepl|",
		"/hepl me":                     "hepl|me",
		"/nonsense what is it?":        "nonsense|what is it?",
		"/없는말 뭐야":                      "없는말|뭐야",
		"/etc":                         "etc|",
		"/etc/hosts":                   "",
		"/etc/hosts holds what?":       "",
		"/usr/local what is it?":       "",
		"/tmp is full":                 "",
		"/tmp/ is full":                "",
		"/.bashrc":                     "",
		"/index.html is missing":       "",
		"/":                            "",
		"/ 3":                          "",
		"/ maru":                       "",
		"//":                           "",
		"// a comment":                 "",
		"/* a comment */":              "",
		"/^a+$/ matches what?":         "",
		"/1":                           "",
		"/nonsense\nand a second line": "",
		"/api\n/docs":                  "",
		"help":                         "",
		"what does /help do?":          "",
		"":                             "",
	} {
		got := ""
		if name, args, ok := intent.Slash(text, known); ok {
			got = name + "|" + args
		}
		if got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}
