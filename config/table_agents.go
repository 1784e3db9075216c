package config

func agentSettings() []Setting {
	return []Setting{
		{Var: "MARU_CONTRACT_MAX_ITERATIONS", Key: "contract.max_iterations", Default: "4", Help: "rounds in which the contract agent looks things up before it answers",
			into: func(c *Config) any { return &c.Contract.MaxIterations }, rule: between(1, 20)},
		{Var: "MARU_CONTRACT_CACHE", Key: "contract.enable_cache", Default: "true", Help: "the contract agent answers a prompt that was answered within the hour from memory",
			into: func(c *Config) any { return &c.Contract.Cache }},
		{Var: "MARU_CONTRACT_PERSISTENCE", Key: "contract.persistence_mode", Default: "sync", Help: "when the contract agent's steps are committed to the record: `sync` each at once, `grouped` a few together, `exit` when the turn ends; after a crash what was not committed runs again",
			into: func(c *Config) any { return &c.Contract.Persistence }, rule: oneOf("sync", "grouped", "exit"), fold: true},
		{Var: "MARU_CONTRACT_CHECKPOINTS", Key: "contract.checkpoint_path", Help: "SQLite file of its own for the contract agent's steps, for one replica alone; unset means they are in the record",
			into: func(c *Config) any { return &c.Contract.Checkpoints }, rule: path},
		{Var: "MARU_GUIDE_THRESHOLD", Key: "guide.threshold", Default: "0.3", Help: "similarity from 0 to 1 below which the guide agent does not use a service or a passage",
			into: func(c *Config) any { return &c.Guide.Threshold }, rule: ranging(0, 1)},
		{Var: "MARU_GUIDE_MAX_ROUNDS", Key: "guide.max_rounds", Default: "6", Help: "rounds of tool calls in which the guide agent looks for services",
			into: func(c *Config) any { return &c.Guide.MaxRounds }, rule: between(1, 30)},
		{Var: "MARU_GUIDE_SERVICES", Key: "guide.services", Help: "JSON file of the team's own services that the guide agent recommends beside the bundled ones (docs/adding-a-service.md); unset means none",
			into: func(c *Config) any { return &c.Guide.Services }, rule: path},
		{Var: "MARU_HTTP_INSIDE", Key: "workflows.http_inside", Help: "inner addresses that `http_request` of workflows, websites, GitHub and Confluence servers of `sources` may be at beside public ones: `10.1.2.3`, `10.1.2.3:8080` or a network such as `10.0.0.0/8`, separated by commas; those where clouds keep a machine's keys are refused whatever stands here; unset means none",
			into: func(c *Config) any { return &c.Workflows.Inside }, rule: each(innerNetwork)},
	}
}
