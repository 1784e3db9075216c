package library_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"maru/bot"
	"maru/rag"
)

// TestOrdinaryTitles asks questions in ordinary words that name documents by a noun for their kind with a word that no text
// says: by where they came from, who keeps or made them, and whom they are for. Such a word makes no document missing.
func TestOrdinaryTitles(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for name, text := range map[string]string{
		"security-handbook.md":    "# Security Handbook\n\n## Passwords\n\nA password has 14 characters at least.\n\n## Laptops\n\nLock laptops when you leave. Report a loss to security at once.\n",
		"expense-guide.md":        "# Expense Guide\n\n## Hotels\n\nA hotel may cost 120 dollars a night.\n\n## Taxis\n\nA taxi may cost 40 dollars.\n",
		"보안지침.md":                 "# 보안지침\n\n## 비밀번호\n\n비밀번호는 14자 이상이어야 한다.\n\n## 노트북\n\n자리를 비울 때는 노트북을 잠근다.\n",
		"취업규칙.md":                 "# 취업규칙\n\n## 근무시간\n\n근무시간은 9시부터 18시까지다.\n\n## 휴가\n\n휴가는 한 해에 15일이다.\n",
		"brook_privacy_notice.md": "# Brook Privacy Notice\n\nBrook keeps accounts for 90 days. Write to Brook about yours.\n",
		"fjord_privacy_notice.md": "# Fjord Privacy Notice\n\nFjord keeps accounts for 30 days. Write to Fjord about yours.\n",
		"나무_이용약관.md":              "# 이용약관\n\n나이는 14살부터다. 숙박비는 돌려주지 않는다.\n",
		"이용약관.md":                 "# 이용약관\n\n나이는 19살부터다.\n",
		"acme-travel-policy.md":   "# Acme Travel Policy\n\nStaff of Acme fly economy class. The Travel Policy of Acme holds for all.\n",
		"acme-leave-policy.md":    "# Acme Leave Policy\n\nStaff of Acme get 25 days of leave. Sick days are not counted.\n",
		"한결_출장규정.md":              "# 한결 출장규정\n\n일비는 3만 원이다.\n",
		"한결_복리후생규정.md":            "# 한결 복리후생규정\n\n건강검진은 모두 해마다 받는다.\n",
		"하늘철강_공급계약서.md":           "# 공급계약서\n\n하늘철강은 철판을 달마다 공급한다.\n",
	} {
		if _, err := w.lib.Add(t.Context(), bot.NewDocument{Scope: "public", Name: name, Body: strings.NewReader(text)}); err != nil {
			t.Fatal(err)
		}
	}
	list, err := os.ReadFile(filepath.Join("testdata", "ordinary.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	_, questions, _ := strings.Cut(string(list), "\n")
	halves := [2]struct {
		name           string
		asked, missing int
		most           int
	}{{name: "open", most: 6}, {name: "held out", most: 6}} // these by the rules of names, not of titles: 해외 출장규정
	for i, question := range strings.Split(strings.TrimSpace(questions), "\n") {
		half := &halves[i%2]
		absent, missing, err := w.lib.Absent(t.Context(), rag.Query{Text: question, Scopes: []string{"public"}})
		if err != nil {
			t.Fatal(err)
		}
		if half.asked++; missing {
			half.missing++
		}
		if missing && i%2 == 0 {
			t.Logf("%q misses %q", question, absent.Name)
		}
	}
	for _, half := range halves {
		t.Logf("| %s | %d of %d are told that their document is missing |", half.name, half.missing, half.asked)
		if half.missing > half.most {
			t.Errorf("%s: %d of %d are told that their document is missing, want %d at most", half.name, half.missing, half.asked, half.most)
		}
	}
}
