/** Below the ports that Linux gives to those who connect somewhere, and above those that browsers refuse. */
const [FIRST, LAST] = [20_000, 32_767];

/** A port that is free, and that nobody else is given by chance before it is listened on. */
export function freePort(): number {
  while (true) {
    const port = FIRST + Math.floor(Math.random() * (LAST - FIRST + 1));
    try {
      Deno.listen({ hostname: "127.0.0.1", port }).close();
      return port;
    } catch (error) {
      if (!(error instanceof Deno.errors.AddrInUse)) throw error;
    }
  }
}
