import type { RecordedCall } from './record-calls.ts';

/** The calls of one environment, in the order of the cases. */
export type CallsByEnvironment = ReadonlyMap<string, readonly RecordedCall[]>;

const HEAD = `# Calls of the platform

Written by the run of \`tests/conformance/platform-calls.contract.test.ts\`: the unmodified client makes every call, in
Node and inside Chromium, against one process and against three on one PostgreSQL (requests go to them in turn, sockets
of listeners to another one than the sender's). The test fails when an outcome is no longer the one written here,
and it runs on the embedded PostgreSQL and again on the system's. To write it anew:
\`npx vitest run tests/conformance -u\`. An outcome is the HTTP status and, for a refusal, the code that the client
saw; behind an arrow stands what the case shows of its data.
`;

/** The page in docs/: a table for each service, with the outcome in each environment. */
export function callsPage(
  environments: CallsByEnvironment,
  outside: Readonly<Record<string, string>>,
): string {
  const [first = []] = environments.values();
  const names = [...environments.keys()];
  const services = [...new Set(first.map(({ service }) => service))];
  const sections = services.map((service) => {
    const rows = first.flatMap((one, index) => {
      if (one.service !== service) return [];
      const outcomes = names.map((name) => environments.get(name)?.[index]?.outcome ?? 'missing');
      return [`| ${[code(one.call), one.caller, requestsOf(one), ...outcomes.map(cell)].join(' | ')} |`];
    });
    const head = `| Call | Caller | Request | ${names.join(' | ')} |\n|${'---|'.repeat(3 + names.length)}`;
    return `## ${service}\n\n${head}\n${rows.join('\n')}\n`;
  });
  const rest = Object.entries(outside).map(([part, why]) => `| ${code(part)} | ${why} |`);
  const leftOut = `## Outside of the contract\n\n| Part of the client | Why |\n|---|---|\n${rest.join('\n')}\n`;
  return [HEAD, ...sections, leftOut].join('\n');
}

const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('\n', ' ');
const code = (text: string) => `\`${cell(text)}\``;

function requestsOf({ service, requests }: RecordedCall): string {
  if (requests.length > 0) return requests.map((line) => `\`${line}\``).join('<br>');
  return service === 'Realtime' ? 'by socket' : 'none';
}
