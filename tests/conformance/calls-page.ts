import type { RecordedCall } from './record-calls.ts';

const HEAD = `# Calls of the platform

\`tests/conformance/platform-calls.test.ts\` writes this page. The unmodified client makes every call. The test fails if an outcome
is not the one written here. It runs on the embedded PostgreSQL and again on that of the system. \`npm run soak\` checks that the
outcomes are the same inside Chromium, and with three processes on one PostgreSQL: there, each request goes to the next process,
and a listener's socket is at another process than the sender's. \`npm test -- tests/conformance -u\` writes the page again.

An outcome is the HTTP status and, if the call was refused, the code that the client saw. What follows an arrow is the part of the
data that the case shows.
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
