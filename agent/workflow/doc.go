// Package workflow turns agents written as JSON into graphs. A [Definition]
// names nodes, their types and the edges between them; a [Registry] knows the
// types; [Compile] checks everything it can before anything runs and builds a
// graph of agent/graph. The five built-in agents are such definitions, and a
// team's own are too.
//
// It knows no particular agent: an agent registers its node types explicitly.
package workflow
