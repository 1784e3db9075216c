// Command lint is `go vet` and staticcheck in one: a tool for `go vet -vettool` that reads and type-checks a package once for
// both. Of other modules it takes only what is deprecated and what never returns, which their syntax tells:
// staticcheck itself analyses all of their code, for most of its time. Three checks know less for that: which functions of
// other modules have no effect (SA4017), never return nil (SA4022, SA4023) or want pairs (SA5012). It must not know Maru.
//
//	go build -o bin/lint ./scripts/lint && go vet -vettool=bin/lint ./...
package main

import (
	"encoding/gob"
	"encoding/json"
	"fmt"
	"go/token"
	"os"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/ctrlflow"
	"golang.org/x/tools/go/analysis/unitchecker"
	"honnef.co/go/tools/analysis/facts/deprecated"
	"honnef.co/go/tools/analysis/facts/purity"
	"honnef.co/go/tools/analysis/lint"
	"honnef.co/go/tools/simple"
	"honnef.co/go/tools/staticcheck"
	"honnef.co/go/tools/stylecheck"
	"honnef.co/go/tools/unused"
)

func main() {
	if last := os.Args[len(os.Args)-1]; strings.HasSuffix(last, ".cfg") {
		if facts := ofForeign(last); facts != nil {
			unitchecker.Main(facts...)
		}
	}
	unitchecker.Main(slices.Concat(vet(), static())...)
}

// effectless are the packages of which staticcheck lists functions without effect.
var effectless = []string{"errors", "fmt", "sort", "strings", "time"}

// ofForeign returns the analyzers for a unit of work that is a package of another module, of which only facts are wanted, and
// nil for other units.
func ofForeign(file string) []*analysis.Analyzer {
	var unit struct {
		ImportPath                string
		VetxOnly                  bool
		ModulePath, ModuleVersion string // without a version: the main module, or the standard library, which has no path
	}
	data, err := os.ReadFile(file) //nolint:gosec // named by go vet
	if err != nil || json.Unmarshal(data, &unit) != nil || !unit.VetxOnly || unit.ModuleVersion == "" && unit.ModulePath != "" {
		return nil // of an error unitchecker says why
	}
	facts := []*analysis.Analyzer{ctrlflow.Analyzer, deprecated.Analyzer}
	gob.Register(new(purity.IsPure)) // imported packages may have it
	if slices.Contains(effectless, unit.ImportPath) {
		facts = append(facts, purity.Analyzer)
	}
	return facts
}

// optional are the checks that staticcheck leaves out by default.
var optional = []string{"SA9003", "ST1000", "ST1003", "ST1016", "ST1020", "ST1021", "ST1022", "ST1023"}

// static returns staticcheck's default checks.
func static() []*analysis.Analyzer {
	exceptIgnored(unusedCode)
	out := []*analysis.Analyzer{unusedCode}
	for _, list := range [][]*lint.Analyzer{simple.Analyzers, staticcheck.Analyzers, stylecheck.Analyzers} {
		for _, check := range list {
			if !slices.Contains(optional, check.Analyzer.Name) {
				exceptIgnored(check.Analyzer)
				out = append(out, check.Analyzer)
			}
		}
	}
	return out
}

// unusedCode reports what staticcheck's U1000 finds, which its own driver reports. A package is analysed with its tests, so
// that code which only they use counts as used.
var unusedCode = &analysis.Analyzer{
	Name: "U1000", Doc: "report unused code", Requires: []*analysis.Analyzer{unused.Analyzer.Analyzer},
	Run: func(pass *analysis.Pass) (any, error) {
		for _, o := range pass.ResultOf[unused.Analyzer.Analyzer].(unused.Result).Unused {
			pass.Reportf(lineOf(pass, o.Position), "%s %s is unused", o.Kind, o.Name)
		}
		return nil, nil
	},
}

// lineOf returns the start of a position's line.
func lineOf(pass *analysis.Pass, p token.Position) token.Pos {
	for _, f := range pass.Files {
		if file := pass.Fset.File(f.FileStart); file.Name() == p.Filename {
			return file.LineStart(p.Line)
		}
	}
	return token.NoPos
}

// exceptIgnored drops the findings of a check that a comment "//lint:ignore CHECKS reason" in or above their line allows, and adds
// the name of the check to the others.
func exceptIgnored(a *analysis.Analyzer) {
	run := a.Run
	a.Run = func(pass *analysis.Pass) (any, error) {
		report := pass.Report
		pass.Report = func(d analysis.Diagnostic) {
			if !ignored(pass, a.Name, d.Pos) {
				d.Message = fmt.Sprintf("%s (%s)", d.Message, a.Name)
				report(d)
			}
		}
		return run(pass)
	}
}

func ignored(pass *analysis.Pass, check string, pos token.Pos) bool {
	at := pass.Fset.Position(pos)
	for _, f := range pass.Files {
		if pass.Fset.Position(f.FileStart).Filename != at.Filename {
			continue
		}
		for _, group := range f.Comments {
			for _, c := range group.List {
				words := strings.Fields(c.Text)
				line := pass.Fset.Position(c.Pos()).Line
				if len(words) > 2 && words[0] == "//lint:ignore" && slices.Contains(strings.Split(words[1], ","), check) && (line == at.Line || line == at.Line-1) {
					return true
				}
			}
		}
	}
	return false
}
