/** Draw what is random the same each time. */

/** Return a function that draws numbers from 0 to 1, by mulberry32. */
export function chance(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Return a function that draws one of several. */
export function drawing(random: () => number) {
  return <T>(...choices: readonly T[]): T => choices[Math.floor(random() * choices.length)] as T;
}

/** How many random commands a test plays: 500, or as many as the environment says. */
export const COMMANDS = Number(process.env.COMMANDS ?? 500);
