package dev.heddle.cli;

/**
 * A progress line on a terminal, for work that takes over a second: {@code loading
 * [########------------] 40 %}. Prints nothing elsewhere, so that scripts and logs stay clean.
 */
final class Progress implements AutoCloseable {
  private static final long PATIENCE_NANOS = 1_000_000_000L;
  private static final long REDRAW_NANOS = 100_000_000L;
  private static final int WIDTH = 24;

  private final Terminal terminal;
  private final String what;
  private final boolean isShown;
  private final long start = System.nanoTime();
  private long lastDraw;
  private boolean isDrawn;

  Progress(Terminal terminal, String what, boolean isWanted) {
    this.terminal = terminal;
    this.what = what;
    this.isShown = isWanted && terminal.errIsTerminal();
  }

  /** Work done so far, out of {@code total} (any unit). */
  synchronized void update(long done, long total) {
    long now = System.nanoTime();
    if (!isShown || now - start < PATIENCE_NANOS || now - lastDraw < REDRAW_NANOS || total <= 0) {
      return;
    }
    lastDraw = now;
    isDrawn = true;
    int filled = (int) (Math.min(done, total) * WIDTH / total);
    terminal
        .err()
        .printf(
            "\r\u001b[K%s [%s%s] %d %%  %d s",
            what,
            "#".repeat(filled),
            "-".repeat(WIDTH - filled),
            Math.min(done, total) * 100 / total,
            (now - start) / 1_000_000_000L);
    terminal.err().flush();
  }

  @Override
  public void close() {
    if (isDrawn) {
      terminal.err().print("\r\u001b[K");
      terminal.err().flush();
    }
  }
}
