/** Every error of a server as one tree, by the codes that its answers have. */

export type Details = Record<string, unknown>;

/** An error that says what went wrong: a stable code, a plain message, details without content. */
export class CairnError extends Error {
  readonly code: string = "INTERNAL_ERROR";
  /** Whether the same call may work if it is made again. */
  readonly retryable: boolean = false;
  readonly details: Details;

  constructor(message: string, details: Details = {}) {
    super(message);
    this.name = new.target.name;
    this.details = details;
  }
}

/** The input breaks the tool's contract; `details.fields` maps each field to what is wrong. */
export class InvalidArgument extends CairnError {
  override readonly code = "INVALID_ARGUMENT";

  static of(field: string, problem: string): InvalidArgument {
    return new InvalidArgument(`Invalid input: ${field} ${problem}`, { fields: { [field]: problem } });
  }
}

/** The caller showed no credentials, or unknown ones. */
export class Unauthenticated extends CairnError {
  override readonly code = "UNAUTHENTICATED";
}

/** The caller is known and may not do this. */
export class PermissionDenied extends CairnError {
  override readonly code = "PERMISSION_DENIED";
}

/** Nothing is there for this caller; another tenant's data looks the same. */
export class NotFound extends CairnError {
  override readonly code = "NOT_FOUND";
}

/** The stored state differs from what the caller assumed. */
export class Conflict extends CairnError {
  override readonly code = "CONFLICT";
}

/** The input is over a limit of the settings; details name the limit. */
export class PayloadTooLarge extends CairnError {
  override readonly code = "PAYLOAD_TOO_LARGE";
}

/** What was to be archived holds secrets or personal data; `details.rules` names the rules, never what they found. */
export class SecretDetected extends CairnError {
  override readonly code = "SECRET_DETECTED";
}

/** As much is stored as may be; details name what is full. */
export class QuotaExceeded extends CairnError {
  override readonly code = "QUOTA_EXCEEDED";
}

/** A value holds personal data or a secret; `details.redacted_fields` names where, never what. */
export class PersonalDataDetected extends CairnError {
  override readonly code = "PII_DETECTED";
}

/** More calls than a rate allows; `details.retry_after_ms` says when to come again. */
export class RateLimited extends CairnError {
  override readonly code = "RATE_LIMITED";
  override readonly retryable = true;
}

/** Someone else holds the turn or the session; try again with the same turn id. */
export class ResourceBusy extends CairnError {
  override readonly code = "RESOURCE_BUSY";
  override readonly retryable = true;
}

/** The tool is switched off, or does not exist. */
export class Disabled extends CairnError {
  override readonly code = "DISABLED";
}

/** No usable answer came; the call may have been done all the same. */
export class Unavailable extends CairnError {
  override readonly code = "UNAVAILABLE";
  override readonly retryable: boolean = true;
}

/** The key of the data keys or of the store cannot be used until someone acts; `details.reason` is a code. */
export class KeyUnusable extends Unavailable {
  override readonly retryable = false;
}

/** Something failed that the caller cannot mend; the server's log has the request id. */
export class InternalError extends CairnError {
  override readonly retryable: boolean = true;
}

/** Stored bytes are not what was written. No second try helps. */
export class CorruptData extends InternalError {
  override readonly retryable = false;
}

type Kind = new (message: string, details?: Details) => CairnError;

const OF_CODE: Readonly<Record<string, Kind>> = {
  INVALID_ARGUMENT: InvalidArgument,
  UNAUTHENTICATED: Unauthenticated,
  PERMISSION_DENIED: PermissionDenied,
  NOT_FOUND: NotFound,
  CONFLICT: Conflict,
  PAYLOAD_TOO_LARGE: PayloadTooLarge,
  SECRET_DETECTED: SecretDetected,
  QUOTA_EXCEEDED: QuotaExceeded,
  PII_DETECTED: PersonalDataDetected,
  RATE_LIMITED: RateLimited,
  RESOURCE_BUSY: ResourceBusy,
  DISABLED: Disabled,
  UNAVAILABLE: Unavailable,
  INTERNAL_ERROR: InternalError,
};

/** What gateways and proxies mean that answer in a server's place. */
const OF_STATUS: Readonly<Record<number, Kind>> = { 403: PermissionDenied, 413: PayloadTooLarge, 429: RateLimited };

/**
 * Return the error of an answer that is none: the server's own, or what its status means.
 *
 * `details.retry_after_ms` is also what a Retry-After header in seconds says.
 */
export function errorOf(status: number, headers: Headers, body: string): CairnError {
  const error = ownError(body) ?? errorOfStatus(status);
  const seconds = headers.get("retry-after")?.trim() ?? "";
  if (/^[0-9]+$/.test(seconds) && error.details.retry_after_ms === undefined) {
    error.details.retry_after_ms = Number(seconds) * 1000;
  }
  return error;
}

/** Return the error of Cairn's envelope, undefined where the body is something else. */
function ownError(body: string): CairnError | undefined {
  try {
    const { code, message, details } = JSON.parse(body).error;
    if (typeof code !== "string" || typeof message !== "string" || typeof details !== "object") return undefined;
    return new (kindOf(code, details ?? {}))(message, details ?? {});
  } catch {
    return undefined;
  }
}

function kindOf(code: string, details: Details): Kind {
  if (code === "UNAVAILABLE" && details.reason !== undefined) return KeyUnusable;
  if (code === "INTERNAL_ERROR" && details.reason === "damaged") return CorruptData;
  return OF_CODE[code] ?? InternalError;
}

function errorOfStatus(status: number): CairnError {
  if (status >= 500) return new Unavailable(`The server answered ${status}; the call may have been done all the same`);
  if (status === 401) return new Unauthenticated("The server does not accept this key");
  return new (OF_STATUS[status] ?? NotFound)(`What answered ${status} is no Cairn; check the URL`);
}
