package config

func agentSettings() []Setting {
	return []Setting{
		{Var: "MARU_CONTRACT_MAX_ITERATIONS", Key: "contract.max_iterations", Default: "4", Help: "maximum search rounds of the contract agent before it answers",
			into: func(c *Config) any { return &c.Contract.MaxIterations }, rule: between(1, 20)},
		{Var: "MARU_CONTRACT_CACHE", Key: "contract.enable_cache", Default: "true", Help: "the contract agent caches model replies for an hour",
			into: func(c *Config) any { return &c.Contract.Cache }},
		{Var: "MARU_CONTRACT_PERSISTENCE", Key: "contract.persistence_mode", Default: "sync", Help: "when the contract agent commits its steps: `sync` (each one), `grouped` (several together) or `exit` (at the end of the turn); after a crash, uncommitted steps run again",
			into: func(c *Config) any { return &c.Contract.Persistence }, rule: oneOf("sync", "grouped", "exit"), fold: true},
		{Var: "MARU_CONTRACT_CHECKPOINTS", Key: "contract.checkpoint_path", Help: "separate SQLite file for the contract agent's steps, for a single replica only; unset: the record",
			into: func(c *Config) any { return &c.Contract.Checkpoints }, rule: path},
		{Var: "MARU_GUIDE_THRESHOLD", Key: "guide.threshold", Default: "0.3", Help: "minimum similarity of a service or passage for the guide agent, 0 to 1",
			into: func(c *Config) any { return &c.Guide.Threshold }, rule: ranging(0, 1)},
		{Var: "MARU_GUIDE_MAX_ROUNDS", Key: "guide.max_rounds", Default: "6", Help: "maximum tool rounds of the guide agent's search for services",
			into: func(c *Config) any { return &c.Guide.MaxRounds }, rule: between(1, 30)},
		{Var: "MARU_GUIDE_SERVICES", Key: "guide.services", Help: "JSON file with the team's own services, which the guide agent recommends in addition to the bundled ones (docs/adding-a-service.md); unset: none",
			into: func(c *Config) any { return &c.Guide.Services }, rule: path},
		{Var: "MARU_HTTP_INSIDE", Key: "workflows.http_inside", Help: "internal addresses that `http_request` nodes and `sources` may access in addition to public ones: `10.1.2.3`, `10.1.2.3:8080` or a network such as `10.0.0.0/8`, separated by commas; cloud metadata addresses are always refused; unset: none",
			into: func(c *Config) any { return &c.Workflows.Inside }, rule: each(innerNetwork)},
	}
}
