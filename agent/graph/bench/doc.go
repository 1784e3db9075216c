// Command bench runs the same work on agent/graph and on cloudwego/eino, in turns, and
// prints what one costs as a multiple of the other:
//
//	cd agent/graph/bench && go run . [-rounds 6] [-only turn]
//
// It is a module of its own, so that the product does not depend on its peers.
// The work is that of graphtest's benchmarks; where eino has no notion of it
// (a checkpoint after each step, a thread with turns) the table says how it is
// had there.
package main
