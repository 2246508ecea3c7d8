package dev.heddle.codegen.gpu;

import static dev.heddle.codegen.gpu.Literals.number;

import dev.heddle.ir.DType;
import dev.heddle.ir.plan.KernelKind;
import dev.heddle.ir.plan.KernelKind.Count;

/**
 * Shapes of attention over one new token: see the head of its template. All of them are part of the
 * order of sums.
 */
final class Attention {
  private static final int THREADS = 128;

  /** Values of a key in a lane: 16 bytes of f16. */
  private static final int LANE_VALUES = 8;

  /** Registers that queries and weighted values of a block's heads may take. */
  private static final int MOST_HELD = 96;

  /** Blocks that fill a large chip; one split of positions for each, over all groups of heads. */
  private static final int BLOCKS = 256;

  private static final int MOST_SPLITS = 32;

  /** Positions that a stream loads at once: enough to hide memory, few enough for registers. */
  private static final int MOST_STEP = 4;

  private Attention() {}

  static KernelBody body(KernelKind.AttentionKernel k) {
    int lanes = lanes(k.d(), k.dv());
    int held = (k.d() + k.dv()) / lanes;
    int group = group(k.heads() / k.kvHeads(), held);
    int groups = k.heads() / group;
    int streams = THREADS / lanes;
    int perStream = Math.max(1, 32 / streams);
    int step = Math.min(perStream, held > 2 * LANE_VALUES ? 2 : MOST_STEP);
    int splits = Math.clamp(BLOCKS / groups, 1, MOST_SPLITS);
    String name =
        "attention_"
            + k.cacheK().text()
            + (k.cacheV() == k.cacheK() ? "" : "_" + k.cacheV().text())
            + "_"
            + k.heads()
            + "x"
            + k.d();
    return new BodyBuilder("attention", name, Count.TOKENS, groups * splits, THREADS)
        .with("HEADS", k.heads())
        .with("KV_HEADS", k.kvHeads())
        .with("D", k.d())
        .with("DV", k.dv())
        .with("SCALE", number(k.scale()))
        .with("GROUP", group)
        .with("GROUPS", groups)
        .with("LANES", lanes)
        .with("STREAMS", streams)
        .with("STEP", step)
        .with("SPLITS", splits)
        .say("kType", type(k.cacheK()))
        .say("vType", type(k.cacheV()))
        .say("kTypeName", k.cacheK().text())
        .say("vTypeName", k.cacheV().text())
        .say("kHalf", k.cacheK() == DType.F16)
        .say("vHalf", k.cacheV() == DType.F16)
        .say("kWide", k.d() / lanes % (k.cacheK() == DType.F16 ? 8 : 4) == 0)
        .say("vWide", k.dv() / lanes % (k.cacheV() == DType.F16 ? 8 : 4) == 0)
        .build();
  }

  /**
   * The most lanes, a power of two up to 32, that divide both widths and leave each at least {@link
   * #LANE_VALUES} values; narrow heads are shared by up to 4 lanes, so that no more streams are
   * made than a block of positions has work for.
   */
  private static int lanes(int d, int dv) {
    int lanes = 1;
    while (lanes < 32
        && d % (2 * lanes) == 0
        && dv % (2 * lanes) == 0
        && (lanes < 4 || Math.min(d, dv) / (2 * lanes) >= LANE_VALUES)) {
      lanes *= 2;
    }
    return lanes;
  }

  /** The most heads of a key head that fit into a block's registers and divide their number. */
  private static int group(int heads, int held) {
    int group = heads;
    while (group > 1 && (heads % group != 0 || group * held > MOST_HELD)) {
      group--;
    }
    return group;
  }

  private static String type(DType cache) {
    return cache == DType.F16 ? "u16" : "f32";
  }
}
