import type { RecordedCall } from './record-calls.ts';

const HEAD = `# Calls of the platform

Written by the run of \`tests/conformance/platform-calls.test.ts\`: the unmodified client makes every call. The
test fails when an outcome is no longer the one written here, and it runs on the embedded PostgreSQL and again on the
system's. That the outcomes are the same inside Chromium and against three processes on one PostgreSQL (requests go to
them in turn, sockets of listeners to another one than the sender's) is asked by \`npm run soak\`. To write it anew:
\`npm test -- tests/conformance -u\`. An outcome is the HTTP status and, for a refusal, the code that the client
saw; behind an arrow stands what the case shows of its data.
`;

/** The page in docs/: a table for each service, with the outcome of each call in the order of the cases. */
export function callsPage(calls: readonly RecordedCall[], outside: Readonly<Record<string, string>>): string {
  const services = [...new Set(calls.map(({ service }) => service))];
  const sections = services.map((service) => {
    const rows = calls
      .filter((one) => one.service === service)
      .map((one) => `| ${[code(one.call), one.caller, requestsOf(one), cell(one.outcome)].join(' | ')} |`);
    return `## ${service}\n\n| Call | Caller | Request | Outcome |\n|---|---|---|---|\n${rows.join('\n')}\n`;
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
