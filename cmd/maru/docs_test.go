package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	testCommand = regexp.MustCompile("`go test ([^`]+)`")
	pattern     = regexp.MustCompile(`-(?:run|bench) +(?:'([^']*)'|([^ ]+))`)
	testName    = regexp.MustCompile(`\bTest[A-Z]\w*`)
)

// TestDocumentsNameTestsThatThereAre reads the README and the documents: each command
// that is said to show something names packages and tests that exist, for a pattern
// that matches nothing passes.
func TestDocumentsNameTestsThatThereAre(t *testing.T) {
	t.Parallel()
	unraced(t)
	root := filepath.Join("..", "..")
	known := testsOf(t, root)
	all := func(string) bool { return true }
	commands := 0
	for _, doc := range documents(t, root) {
		raw, err := os.ReadFile(filepath.Join(root, doc))
		if err != nil {
			t.Fatal(err)
		}
		text := strings.Join(strings.Fields(string(raw)), " ") // a command may run over a line's end
		for _, name := range testName.FindAllString(text, -1) {
			if !known.some(all, func(test string) bool { return strings.HasPrefix(test, name) }) {
				t.Errorf("%s: there is no test %s", doc, name)
			}
		}
		for _, c := range testCommand.FindAllStringSubmatch(text, -1) {
			commands++
			known.check(t, doc, c[1])
		}
	}
	if commands < 50 {
		t.Errorf("only %d commands were found", commands)
	}
}

// walkOwn walks the repository without hidden folders: in those of Git, files come and go while tests run.
func walkOwn(root string, visit func(file string, d fs.DirEntry) error) error {
	return filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && file != root && strings.HasPrefix(d.Name(), ".") {
			return filepath.SkipDir
		}
		if err != nil {
			return err
		}
		return visit(file, d)
	})
}

// documents returns the README, the pages below docs and the READMEs of packages.
func documents(t *testing.T, root string) []string {
	t.Helper()
	list, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	more, err2 := filepath.Glob(filepath.Join(root, "docs", "decisions", "*.md"))
	if err != nil || err2 != nil {
		t.Fatal(err, err2)
	}
	out := []string{"README.md"}
	for _, part := range []string{"adapters", "agent", "bot", "memory", "rag"} {
		must(t, "walk", filepath.WalkDir(filepath.Join(root, part), func(file string, d fs.DirEntry, err error) error {
			if err == nil && d.Name() == "README.md" {
				list = append(list, file)
			}
			return err
		}))
	}
	for _, f := range append(list, more...) {
		rel, err := filepath.Rel(root, f)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, rel)
	}
	return out
}

// TestGuidesAreCompiled: each block of Go in the guides is in a file of Go, so that it is compiled. "…" stands for
// anything.
func TestGuidesAreCompiled(t *testing.T) {
	t.Parallel()
	unraced(t)
	root := filepath.Join("..", "..")
	flat := func(text string) string { return strings.Join(strings.Fields(text), " ") }
	var code []string
	err := walkOwn(root, func(file string, d fs.DirEntry) error {
		if d.IsDir() || !strings.HasSuffix(file, "_test.go") {
			return nil
		}
		raw, err := os.ReadFile(file)
		code = append(code, flat(string(raw)))
		return err
	})
	guides, err2 := filepath.Glob(filepath.Join(root, "docs", "adding-a*.md"))
	if err != nil || err2 != nil || len(guides) < 5 {
		t.Fatal(err, err2, guides)
	}
	for _, guide := range guides {
		raw, err := os.ReadFile(guide)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile("(?s)```go\n(.*?)```").FindAllStringSubmatch(string(raw), -1) {
			if !slices.ContainsFunc(code, func(file string) bool {
				return !slices.ContainsFunc(strings.Split(flat(m[1]), "…"), func(part string) bool { return !strings.Contains(file, strings.TrimSpace(part)) })
			}) {
				t.Errorf("%s: no test has this:\n%s", filepath.Base(guide), m[1])
			}
		}
	}
}

// declared are the names of tests and benchmarks, by their packages' folders.
type declared map[string][]string

func testsOf(t *testing.T, root string) declared {
	t.Helper()
	out := declared{}
	err := walkOwn(root, func(file string, d fs.DirEntry) error {
		if d.IsDir() || !strings.HasSuffix(file, "_test.go") {
			return nil
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		dir, err := filepath.Rel(root, filepath.Dir(file))
		for _, decl := range parsed.Decls {
			if f, ok := decl.(*ast.FuncDecl); ok && f.Recv == nil {
				out[dir] = append(out[dir], f.Name.Name)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// some reports whether a test that fits is in a folder that does.
func (d declared) some(folder, test func(string) bool) bool {
	for dir, names := range d {
		if !folder(dir) {
			continue
		}
		for _, n := range names {
			if test(n) {
				return true
			}
		}
	}
	return false
}

// check holds a command's words against what is declared. Of a pattern each
// alternative must match something: one that does not, hides behind the others.
func (d declared) check(t *testing.T, doc, command string) {
	t.Helper()
	var folders []string
	for word := range strings.FieldsSeq(command) {
		if dir, ok := strings.CutPrefix(word, "./"); ok {
			folders = append(folders, dir)
		}
	}
	within := func(dir string) bool {
		for _, f := range folders {
			if base, ok := strings.CutSuffix(f, "..."); dir == f || ok && strings.HasPrefix(dir+"/", base) {
				return true
			}
		}
		return false
	}
	if !d.some(within, func(string) bool { return true }) {
		t.Errorf("%s: no tests in %q", doc, command)
	}
	for _, m := range pattern.FindAllStringSubmatch(command, -1) {
		top, _, _ := strings.Cut(m[1]+m[2], "/") // subtests have names that only running tells
		for one := range strings.SplitSeq(top, "|") {
			re, err := regexp.Compile(one)
			if err != nil {
				t.Errorf("%s: %q: %v", doc, command, err)
				continue
			}
			if one != "^$" && !strings.EqualFold(strings.Trim(one, "xX"), "") && !d.some(within, re.MatchString) {
				t.Errorf("%s: %q: nothing is called %s", doc, command, one)
			}
		}
	}
}

var fileLink = regexp.MustCompile(`\]\(([^)#:\s]+)(?:#[^)]*)?\)`)

// TestDocumentsLeadSomewhere: what they link to is there.
func TestDocumentsLeadSomewhere(t *testing.T) {
	t.Parallel()
	root := filepath.Join("..", "..")
	links := 0
	for _, doc := range documents(t, root) {
		raw, err := os.ReadFile(filepath.Join(root, doc))
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range fileLink.FindAllStringSubmatch(string(raw), -1) {
			if strings.Contains(l[1], "`") { // Markdown as an example
				continue
			}
			links++
			if _, err := os.Stat(filepath.Join(root, filepath.Dir(doc), filepath.FromSlash(l[1]))); err != nil {
				t.Errorf("%s leads to %s: %v", doc, l[1], err)
			}
		}
	}
	if links < 100 {
		t.Errorf("only %d links were found", links)
	}
}

var (
	codeFile = regexp.MustCompile("`([a-z][a-z0-9_/]*/[a-z0-9_]+\\.(?:go|json))`")
	mapRow   = regexp.MustCompile("(?m)^\\| `([a-z][a-z0-9/]*)` \\|")
	wayRow   = regexp.MustCompile("(?m)^\\| .+ \\| `([a-z0-9_/]+\\.go)` \\| `([A-Za-z]+)` \\|$")
)

// TestArchitectureNamesCode: the files, packages and functions that docs/architecture.md
// names are there.
func TestArchitectureNamesCode(t *testing.T) {
	t.Parallel()
	root := filepath.Join("..", "..")
	raw, err := os.ReadFile(filepath.Join(root, "docs", "architecture.md"))
	must(t, "read", err)
	text := string(raw)
	for _, m := range slices.Concat(codeFile.FindAllStringSubmatch(text, -1), mapRow.FindAllStringSubmatch(text, -1)) {
		if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(m[1]))); err != nil {
			t.Errorf("architecture.md names %s: %v", m[1], err)
		}
	}
	ways := wayRow.FindAllStringSubmatch(text, -1)
	if len(ways) < 20 {
		t.Errorf("only %d steps with a file and a function were found", len(ways))
	}
	for _, m := range ways {
		code, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(m[1])))
		must(t, "read", err)
		if !regexp.MustCompile(`(?m)^func (?:\([^)]*\) )?` + m[2] + `\(`).Match(code) {
			t.Errorf("architecture.md: %s declares no function %s", m[1], m[2])
		}
	}
}
