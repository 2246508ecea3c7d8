/* The neutral vocabulary: what a kernel body may use beside plain C arithmetic, and nothing else. The dialect's prelude defines the
 * words of the first list and then includes this file, which defines the second.
 *
 *   KERNEL(name, threads)            entry point; its parameters follow in parentheses
 *   EXPORT(name)                     after the body; the host dialect makes the kernel callable by name
 *   GLOBAL(type, name, count)        device memory of the module, zero when it is loaded; outside kernels
 *   SHARED(type, name, count)        memory of the block; at the top of the body
 *   THREAD BLOCK_X BLOCK_Y           ids (blocks are one-dimensional)         LANE WAVE   THREAD % 32, THREAD / 32
 *   UNROLL                           before a loop whose trip count is a constant
 *   BARRIER()                        all threads of the block
 *   FENCE()                          what this thread wrote is seen by the device before what it writes next, and so for its reads
 *   shfl_i shfl_f(v, lane)           value of one lane; all 32 lanes must take part
 *   shfl_xor_i shfl_xor_f(v, m)      value of lane (LANE ^ m)
 *   dot4(a, b, c)                    c + sum of 4 signed byte products
 *   ld32 ld128(p)                    4, 16 aligned bytes, read once: weights
 *   ld64_keep ld128_keep(p)          8, 16 aligned bytes that other blocks read too: activations, caches. No block may have written
 *                                    them in this launch
 *   f16_to_f32(u16) f32_to_f16(f)    IEEE half, round to nearest even
 *   fma_(a, b, c) sqrt_(x) rint_(x) fabs_(x)   each rounded once
 *   atomic_add_u(p, v)               old value, device scope, relaxed
 *
 * Sources are compiled without contraction (nvcc -fmad=false, clang and g++ -ffp-contract=off), with IEEE division and with
 * denormals, and call no mathematics library: so all dialects compute the same bits, up to the payload of a NaN. */
#ifndef HEDDLE_PRELUDE_COMMON
#define HEDDLE_PRELUDE_COMMON
typedef signed char i8;
typedef unsigned char u8;
typedef unsigned short u16;
typedef int i32;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef float f32;
struct alignas(8) i32x2 { i32 x, y; };
struct alignas(16) i32x4 { i32 x, y, z, w; };

DEV f32 bits_to_f32(u32 u) { return __builtin_bit_cast(f32, u); }
DEV u32 f32_to_bits(f32 f) { return __builtin_bit_cast(u32, f); }
#define INF bits_to_f32(0x7f800000u)
#define NOT_A_NUMBER bits_to_f32(0x7fc00000u)
/* The least finite number: a running maximum starts here, so that differences of maxima are never inf - inf. */
#define LEAST bits_to_f32(0xff7fffffu)

DEV i32 min_i(i32 a, i32 b) { return a < b ? a : b; }
/* The larger one; a NaN never wins against a number. */
DEV f32 max_(f32 a, f32 b) { return b > a || a != a ? b : a; }
/* Byte i of v, signed. */
DEV f32 byte_f32(i32 v, i32 i) { return (f32)((i32)((u32)v << (24 - 8 * i)) >> 24); }

/* e^x of exact operations only. Worst error 1 ulp where the result is normal; below that it is 0. */
DEV f32 exp_(f32 x) {
  if (!(x == x)) return x;
  if (x > 88.72283f) return INF;
  if (x < -87.33654f) return 0.0f;
  f32 n = rint_(x * 1.44269504f);
  f32 r = fma_(n, -0.693145752f, x);
  r = fma_(n, -1.42860677e-6f, r);
  f32 p = 1.9875691500e-4f;
  p = fma_(p, r, 1.3981999507e-3f);
  p = fma_(p, r, 8.3334519073e-3f);
  p = fma_(p, r, 4.1665795894e-2f);
  p = fma_(p, r, 1.6666665459e-1f);
  p = fma_(p, r, 5.0000001201e-1f);
  p = fma_(p, r * r, r) + 1.0f;
  i32 k = (i32)n, h = k / 2;
  return p * bits_to_f32((u32)(h + 127) << 23) * bits_to_f32((u32)(k - h + 127) << 23);
}
/* log x of a normal x > 0: x = 2^k m with m in [sqrt(1/2), sqrt(2)), log m = 2 atanh((m - 1) / (m + 1)) by its series. */
DEV f32 log_(f32 x) {
  if (!(x < INF)) return x;
  u32 u = f32_to_bits(x) - 0x3f3504f3u;
  f32 k = (f32)((i32)u >> 23);
  f32 m = bits_to_f32((u & 0x7fffffu) + 0x3f3504f3u);
  f32 s = (m - 1.0f) / (m + 1.0f), z = s * s;
  f32 p = 0.111111111f;
  p = fma_(p, z, 0.142857143f);
  p = fma_(p, z, 0.2f);
  p = fma_(p, z, 0.333333333f);
  p = fma_(p * z, 2.0f * s, 2.0f * s);
  return fma_(k, 0.693145752f, fma_(k, 1.42860677e-6f, p));
}
/* log(1 + x) for x >= 0: the error of 1 + x is made good by the quotient (Kahan). */
DEV f32 log1p_(f32 x) {
  f32 u = 1.0f + x;
  return u == 1.0f || !(u < INF) ? x : log_(u) * (x / (u - 1.0f));
}
DEV f32 tanh_(f32 x) {
  f32 a = fabs_(x);
  if (a < 0.25f) {
    f32 z = x * x, p = 0.0218694885f;
    p = fma_(p, z, -0.0539682540f);
    p = fma_(p, z, 0.133333333f);
    p = fma_(p, z, -0.333333333f);
    return fma_(p * z, x, x);
  }
  f32 t = 1.0f - 2.0f / (exp_(2.0f * a) + 1.0f);
  return x < 0.0f ? -t : t;
}
/* Abramowitz and Stegun 7.1.26: absolute error 1.5e-7. */
DEV f32 erf_(f32 x) {
  f32 a = fabs_(x), t = 1.0f / fma_(0.3275911f, a, 1.0f);
  f32 p = 1.061405429f;
  p = fma_(p, t, -1.453152027f);
  p = fma_(p, t, 1.421413741f);
  p = fma_(p, t, -0.284496736f);
  p = fma_(p, t, 0.254829592f);
  f32 e = 1.0f - p * t * exp_(-a * a);
  return x < 0.0f ? -e : e;
}
DEV f32 sigmoid_(f32 x) {
  f32 e = exp_(-fabs_(x));
  return (x < 0.0f ? e : 1.0f) / (1.0f + e);
}
DEV f32 silu_(f32 x) { return x / (1.0f + exp_(-x)); }
DEV f32 relu_(f32 x) { return x < 0.0f ? 0.0f : x; }
DEV f32 gelu_tanh_(f32 x) { return 0.5f * x * (1.0f + tanh_(0.797884561f * fma_(0.044715f * x * x, x, x))); }
DEV f32 gelu_erf_(f32 x) { return 0.5f * x * (1.0f + erf_(x * 0.707106781f)); }
DEV f32 softplus_(f32 x) { return x > 20.0f ? x : log1p_(exp_(x)); }
DEV f32 clamp_(f32 x, f32 least, f32 most) { return x < least ? least : x > most ? most : x; }

/* The fixed tree over 32 lanes: 16, 8, 4, 2, 1. x + y == y + x, so all lanes hold the same bits. */
DEV f32 wave_sum(f32 v) {
  v += shfl_xor_f(v, 16);
  v += shfl_xor_f(v, 8);
  v += shfl_xor_f(v, 4);
  v += shfl_xor_f(v, 2);
  return v + shfl_xor_f(v, 1);
}
/* The lower part of that tree: sums over aligned groups of lanes, a power of two of them. */
DEV f32 group_sum(f32 v, i32 lanes) {
  if (lanes > 16) v += shfl_xor_f(v, 16);
  if (lanes > 8) v += shfl_xor_f(v, 8);
  if (lanes > 4) v += shfl_xor_f(v, 4);
  if (lanes > 2) v += shfl_xor_f(v, 2);
  if (lanes > 1) v += shfl_xor_f(v, 1);
  return v;
}
DEV i32 wave_sum_i(i32 v) {
  v += shfl_xor_i(v, 16);
  v += shfl_xor_i(v, 8);
  v += shfl_xor_i(v, 4);
  v += shfl_xor_i(v, 2);
  return v + shfl_xor_i(v, 1);
}
DEV f32 wave_max(f32 v) {
  v = max_(v, shfl_xor_f(v, 16));
  v = max_(v, shfl_xor_f(v, 8));
  v = max_(v, shfl_xor_f(v, 4));
  v = max_(v, shfl_xor_f(v, 2));
  return max_(v, shfl_xor_f(v, 1));
}
DEV i32 max_i(i32 a, i32 b) { return a > b ? a : b; }
DEV i32 wave_max_i(i32 v) {
  v = max_i(v, shfl_xor_i(v, 16));
  v = max_i(v, shfl_xor_i(v, 8));
  v = max_i(v, shfl_xor_i(v, 4));
  v = max_i(v, shfl_xor_i(v, 2));
  return max_i(v, shfl_xor_i(v, 1));
}
/* Over the block: each wave's tree, then the tree over the waves. part: SHARED, one value a wave, written by nothing else. */
DEV f32 block_sum(f32 v, f32 *part, i32 waves) {
  const f32 s = wave_sum(v);
  if (waves == 1) return s;
  if (LANE == 0) part[WAVE] = s;
  BARRIER();
  return wave_sum(LANE < waves ? part[LANE] : 0.0f);
}
DEV f32 block_max(f32 v, f32 *part, i32 waves) {
  const f32 s = wave_max(v);
  if (waves == 1) return s;
  if (LANE == 0) part[WAVE] = s;
  BARRIER();
  return wave_max(LANE < waves ? part[LANE] : NOT_A_NUMBER);
}
/* Orders (value descending, index ascending) as descending integers; NaN comes after every number, NaNs by index. Never 0. */
DEV u64 rank_key(f32 value, i32 index) {
  const u32 u = f32_to_bits(value + 0.0f);
  const u32 order = value != value ? 0u : u >> 31 ? ~u : u | 0x80000000u;
  return (u64)order << 32 | (u32)~index;
}
DEV i32 rank_index(u64 key) { return (i32)~(u32)key; }
DEV u64 max_key(u64 v, i32 m) {
  const u64 o = (u64)(u32)shfl_xor_i((i32)(v >> 32), m) << 32 | (u32)shfl_xor_i((i32)v, m);
  return o > v ? o : v;
}
DEV u64 wave_max_key(u64 v) { return max_key(max_key(max_key(max_key(max_key(v, 16), 8), 4), 2), 1); }
/* As block_max; part may be used again after another BARRIER. */
DEV u64 block_max_key(u64 v, u64 *part, i32 waves) {
  v = wave_max_key(v);
  if (waves == 1) return v;
  if (LANE == 0) part[WAVE] = v;
  BARRIER();
  return wave_max_key(LANE < waves ? part[LANE] : 0u);
}
#endif
