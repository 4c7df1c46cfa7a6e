/** Random numbers in [0, 1) that are the same for the same seed (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** A request at one stage: when it arrived, and how long the work takes there, milliseconds. */
interface Visit {
  readonly at: number;
  readonly service: number;
}

/**
 * When each visit ends, at a stage with `servers` that serve in order of arrival; in the order of the visits.
 */
export function passStage(visits: readonly Visit[], servers: number): number[] {
  const free = Array.from({ length: servers }, () => 0);
  const order = visits.map((_, at) => at).sort((a, b) => (visits[a]?.at ?? 0) - (visits[b]?.at ?? 0));
  const ends = visits.map(() => 0);
  for (const index of order) {
    const { at, service } = visits[index] ?? { at: 0, service: 0 };
    let next = 0;
    for (let server = 1; server < servers; server += 1)
      if ((free[server] ?? 0) < (free[next] ?? 0)) next = server;
    const end = Math.max(at, free[next] ?? 0) + service;
    free[next] = end;
    ends[index] = end;
  }
  return ends;
}

/** A kind of request: its frequency, and its cost at each stage in milliseconds. */
interface RequestKind {
  readonly perSecond: number;
  readonly loop: number;
  readonly database: number;
}

/** The machines of a simulation. */
interface Machines {
  readonly processes: number;
  readonly databaseCores: number;
}

/**
 * The 95th percentile of the response time in milliseconds. Requests arrive at random (Poisson), go to one of
 * the processes, whose event loop handles one at a time, and then to PostgreSQL's cores. Service times vary
 * at random (exponential), which is more than in reality.
 */
export function simulateP95(
  kinds: readonly RequestKind[],
  { processes, databaseCores }: Machines,
  { seed, requests }: { readonly seed: number; readonly requests: number },
): number {
  const random = seededRandom(seed);
  const exponential = (mean: number): number => -Math.log(1 - random()) * mean;
  const perSecond = kinds.reduce((sum, kind) => sum + kind.perSecond, 0);
  const pick = (): RequestKind | undefined => {
    let left = random() * perSecond;
    for (const kind of kinds) {
      left -= kind.perSecond;
      if (left < 0) return kind;
    }
    return kinds.at(-1);
  };
  let now = 0;
  const arrivals = Array.from({ length: requests }, () => {
    now += exponential(1000 / perSecond);
    const kind = pick();
    return {
      at: now,
      process: Math.floor(random() * processes),
      loop: exponential(kind?.loop ?? 0),
      database: exponential(kind?.database ?? 0),
    };
  });
  const leftLoop = arrivals.map(() => 0);
  for (let process = 0; process < processes; process += 1) {
    const own = arrivals.flatMap((arrival, at) => (arrival.process === process ? [at] : []));
    const ends = passStage(
      own.map((at) => ({ at: arrivals[at]?.at ?? 0, service: arrivals[at]?.loop ?? 0 })),
      1,
    );
    own.forEach((at, index) => {
      leftLoop[at] = ends[index] ?? 0;
    });
  }
  const ends = passStage(
    arrivals.map(({ database }, at) => ({ at: leftLoop[at] ?? 0, service: database })),
    databaseCores,
  );
  const times = ends.map((end, at) => end - (arrivals[at]?.at ?? 0)).sort((a, b) => a - b);
  return times[Math.floor(times.length * 0.95)] ?? Number.NaN;
}
