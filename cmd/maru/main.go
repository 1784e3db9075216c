// Command maru is a chat bot for teams on Slack and Discord, with a web console and a terminal interface. Without
// a subcommand it serves; `maru help` lists the others.
package main

import (
	"os"
	_ "time/tzdata" // time zones for images without them
)

func main() {
	os.Exit(run(process{
		args: os.Args[1:], environ: os.Environ(), readFile: os.ReadFile,
		stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr,
	}))
}
