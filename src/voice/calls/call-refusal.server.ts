import { ServiceError } from '../../kernel/contract/service-error.ts';

/** A 429 whose `retry-after` says that the request may be repeated in `seconds`. */
export function refusal(code: string, message: string, seconds: number): ServiceError {
  return new ServiceError(429, code, message, { headers: { 'retry-after': String(seconds) } });
}
