/** The body that creates a web call (docs/specification/platform.md §3); undefined members are left out. */
export interface WebCallRequest {
  readonly assistant?: object | undefined;
  readonly assistantId?: string | undefined;
  readonly assistantOverrides?: object | undefined;
  readonly squad?: object | undefined;
  readonly squadId?: string | undefined;
}

/** The created call, with the members that the client reads. */
export interface WebCall {
  readonly webCallUrl: string;
  readonly artifactPlan?: { readonly videoRecordingEnabled?: boolean };
  readonly assistant?: { readonly voice?: { readonly provider?: string } };
  readonly [member: string]: unknown;
}

/** A refusal of the platform: its status and its body, parsed where it is JSON. */
export class WebCallError extends Error {
  override readonly name = 'WebCallError';
  readonly status: number;
  readonly body: unknown;

  constructor(status: number, body: unknown) {
    const told = typeof body === 'object' && body !== null ? Reflect.get(body, 'message') : undefined;
    super(typeof told === 'string' ? told : `The call could not be created (${status}).`);
    this.status = status;
    this.body = body;
  }
}

const ADDRESS = '/call/web';

/**
 * `POST /call/web`. Token and address belong to one client, so that several clients can exist side by side.
 *
 * @throws WebCallError when the platform refuses, or answers without an address to join
 */
export async function createWebCall(
  platform: { readonly baseUrl: string; readonly token: string; readonly fetch: typeof fetch },
  request: WebCallRequest,
): Promise<WebCall> {
  const send = platform.fetch;
  const response = await send(`${platform.baseUrl.replace(/\/+$/, '')}${ADDRESS}`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${platform.token}`, 'Content-Type': 'application/json' },
    body: JSON.stringify(request),
  });
  const body = await bodyOf(response);
  if (!response.ok || !isWebCall(body)) throw new WebCallError(response.status, body);
  return body;
}

async function bodyOf(response: Response): Promise<unknown> {
  const text = await response.text();
  try {
    return JSON.parse(text);
  } catch {
    // A proxy's error page is not JSON; its text is all that can be reported.
    return text;
  }
}

function isWebCall(body: unknown): body is WebCall {
  if (typeof body !== 'object' || body === null) return false;
  const address: unknown = Reflect.get(body, 'webCallUrl');
  return typeof address === 'string' && address !== '';
}
