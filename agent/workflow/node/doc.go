// Package node holds the node types with which teams write workflows of their
// own, and the state they work on: [State] has the channels with their reducers,
// [Types] the types. Templates and conditions are expressions over the state,
// bounded and without effects.
//
// It knows neither a platform nor a store, nor any particular agent: what a run
// has at hand comes as a [workflow.Exec]. The agent that runs team workflows is
// agent/autonomous.
package node
