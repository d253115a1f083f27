/** Whose memory a call is about: what the call names, or else what was named when the client was made. */

/** Whose memory a call is about; what it leaves out is as the client was made. */
export interface Names {
  /** Who speaks. */
  readonly user?: string | undefined;
  /** The conversation. */
  readonly session?: string | undefined;
  /** What it is all kept under. */
  readonly project?: string | undefined;
}

const OWN_BYTES = 8;
const DIGITS = 16;

/** A project, a user and a session, as far as they are named. */
export class Place implements Names {
  readonly user: string | undefined;
  readonly session: string | undefined;
  readonly project: string | undefined;
  readonly #own: string;

  /** `own` is a random text of the client whose place it is: its sessions are nobody else's. */
  constructor(names: Names = {}, own = hex(crypto.getRandomValues(new Uint8Array(OWN_BYTES)))) {
    this.user = names.user;
    this.session = names.session;
    this.project = names.project;
    this.#own = own;
  }

  /** Return the place that a call names, and this one where it names nothing. */
  named({ user = this.user, session = this.session, project = this.project }: Names): Place {
    return new Place({ user, session, project }, this.#own);
  }

  /** Return what a tool is given of it. */
  arguments(): { project?: string; user_id?: string; session_id?: string } {
    return {
      ...(this.project !== undefined && { project: this.project }),
      ...(this.user !== undefined && { user_id: this.user }),
      ...(this.session !== undefined && { session_id: this.session }),
    };
  }

  /**
   * Return the place with a session: unless one is named, this client's own with this user.
   *
   * One user's session is never another's, since what was last said in a session is shown to whoever speaks in it.
   */
  async conversation(): Promise<Place & { session: string }> {
    const whose = JSON.stringify([this.#own, this.project ?? "", this.user ?? ""]);
    const session = this.session ?? `${this.#own}-${(await sha256(whose)).slice(0, DIGITS)}`;
    return this.named({ session }) as Place & { session: string };
  }
}

/** How tools name whose memory a call is about. */
export type Subject = keyof ReturnType<Place["arguments"]>;

const SUBJECT = new Set<string>(["project", "user_id", "session_id"] satisfies Subject[]);

/** Return fields without those that say whose memory it is about, which is not a model's to say. */
export function withoutSubject(fields: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !SUBJECT.has(name)));
}

/** Return the SHA-256 of a text, in hexadecimal digits. */
export async function sha256(text: string): Promise<string> {
  return hex(new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text))));
}

function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
