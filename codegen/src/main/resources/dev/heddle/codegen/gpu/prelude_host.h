/* Host dialect: every thread of a block is a fiber on one thread of the machine, so that BARRIER and shuffles work anywhere in a body.
 * C++17, g++ or clang++. NAME(grid x, grid y, threads, args) runs a kernel's grid block by block.
 *   - a fiber runs until it waits; a barrier waits for all threads of the block, a shuffle for the 32 of its wave;
 *   - a shuffle writes its value to a slot chosen by the parity of the wave's step, so one wait per shuffle is enough;
 *   - a wait that can never end (a thread returned or is at another kind of wait) is reported and aborts: it is the
 *     divergent barrier that hangs a GPU;
 *   - shared arrays live in the block's arena, filled with 0xCB for each block: reading what nobody wrote gives nonsense at once;
 *     with AddressSanitizer the bytes around each array are poisoned, and every switch is announced to it;
 *   - heddle_order(1) runs threads from the last to the first: a missing barrier then changes the result. */
#ifndef HEDDLE_PRELUDE_HOST
#define HEDDLE_PRELUDE_HOST
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ucontext.h>
#include <utility>
#if defined(__SANITIZE_ADDRESS__)
#define HEDDLE_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HEDDLE_ASAN 1
#endif
#endif
#ifdef HEDDLE_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

namespace heddle {
enum { MAX_THREADS = 1024, STACK = 96 << 10, ARENA = 228 << 10 };
enum Wait { RUNS, AT_BARRIER, AT_SHUFFLE, DONE };
struct Fiber {
  void *sp;
  ucontext_t context;
  Wait wait;
  uint32_t step; /* shuffles done */
  void *fake;
  char *stack;
};
struct Block {
  Fiber fibers[MAX_THREADS], main;
  const void *bottom;
  size_t size;
  int threads, current, bx, by;
  size_t used;
  uint32_t slots[2][MAX_THREADS];
  alignas(16) char arena[ARENA + 64];
  void (*entry)(void **);
  void **args;
  const char *name;
};
inline Block *&block() { static thread_local Block *b; return b; }

#if defined(__x86_64__)
/* saves the callee-saved registers on the old stack, restores them from the new one: about 3 ns (swapcontext makes a system call) */
asm(R"(
.text
.weak heddle_switch
.type heddle_switch, @function
heddle_switch:
  pushq %rbp; pushq %rbx; pushq %r12; pushq %r13; pushq %r14; pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15; popq %r14; popq %r13; popq %r12; popq %rbx; popq %rbp
  ret
.size heddle_switch, .-heddle_switch
)");
extern "C" void heddle_switch(void **save, void *load);
#endif

inline void move(Fiber &from, Fiber &to, bool last, const void *bottom, size_t size) {
#ifdef HEDDLE_ASAN
  __sanitizer_start_switch_fiber(last ? nullptr : &from.fake, bottom, size);
#endif
#if defined(__x86_64__)
  heddle_switch(&from.sp, to.sp);
#else
  swapcontext(&from.context, &to.context);
#endif
#ifdef HEDDLE_ASAN
  __sanitizer_finish_switch_fiber(from.fake, nullptr, nullptr);
#endif
}
inline void yield(Wait w) {
  Block &b = *block();
  Fiber &f = b.fibers[b.current];
  f.wait = w;
  move(f, b.main, w == DONE, b.bottom, b.size);
}
inline void start() {
  Block &b = *block();
#ifdef HEDDLE_ASAN
  __sanitizer_finish_switch_fiber(nullptr, &b.bottom, &b.size);
#endif
  b.entry(b.args);
  yield(DONE);
  abort();
}
inline void fail(const char *what, int t) {
  Block &b = *block();
  fprintf(stderr, "kernel %s, block (%d,%d), thread %d: %s\n", b.name, b.bx, b.by, t, what);
  abort();
}
inline uint32_t exchange(uint32_t v, int source) {
  Block &b = *block();
  const int t = b.current;
  Fiber &f = b.fibers[t];
  uint32_t *s = b.slots[f.step & 1];
  s[t] = v;
  yield(AT_SHUFFLE);
  f.step++;
  const int from = (t & ~31) + source;
  return from < b.threads ? s[from] : v;
}
/* a shared array is the same memory for every thread: the n-th SHARED of the body, found by its address in the source */
inline void *shared(size_t bytes, size_t align, size_t &offset, unsigned &epoch, unsigned now) {
  Block &b = *block();
  if (epoch != now) {
    offset = (b.used + align - 1) / align * align;
    b.used = offset + bytes;
    if (b.used > ARENA) fail("shared memory exceeds the arena", b.current);
#ifdef HEDDLE_ASAN
    ASAN_UNPOISON_MEMORY_REGION(b.arena + offset, bytes);
    b.used += 32;
#endif
    memset(b.arena + offset, 0xCB, bytes);
    epoch = now;
  }
  return b.arena + offset;
}
inline unsigned &epoch() { static thread_local unsigned e; return e; }

inline bool &order() { static bool reverse; return reverse; }

inline void run_block() {
  Block &b = *block();
  const bool reverse = order();
  epoch()++;
  b.used = 0;
#ifdef HEDDLE_ASAN
  ASAN_POISON_MEMORY_REGION(b.arena, sizeof b.arena);
#endif
  for (int t = 0; t < b.threads; t++) {
    Fiber &f = b.fibers[t];
    if (!f.stack) f.stack = (char *)aligned_alloc(64, STACK);
    f.wait = RUNS;
    f.step = 0;
    f.fake = nullptr;
#if defined(__x86_64__)
    void **sp = (void **)(f.stack + STACK - 64);
    *--sp = nullptr; /* a return address for start(), keeps the stack aligned as after a call */
    *--sp = (void *)start;
    for (int i = 0; i < 6; i++) *--sp = nullptr;
    f.sp = sp;
#else
    getcontext(&f.context);
    f.context.uc_stack.ss_sp = f.stack;
    f.context.uc_stack.ss_size = STACK;
    f.context.uc_link = nullptr;
    makecontext(&f.context, start, 0);
#endif
  }
  for (int left = b.threads; left > 0;) {
    bool moved = false;
    for (int wave = 0; wave < b.threads; wave += 32) {
      const int w0 = reverse ? (b.threads - 1) / 32 * 32 - wave : wave, w1 = w0 + 32 < b.threads ? w0 + 32 : b.threads;
      for (bool again = true; again;) { /* one wave as far as it gets */
        again = false;
        for (int i = w0; i < w1; i++) {
          const int t = reverse ? w1 - 1 - (i - w0) : i;
          Fiber &f = b.fibers[t];
          if (f.wait != RUNS) continue;
          b.current = t;
          move(b.main, f, false, f.stack, STACK);
          moved = true;
          if (f.wait == DONE) left--;
        }
        int at = 0;
        for (int t = w0; t < w1; t++) at += b.fibers[t].wait == AT_SHUFFLE;
        if (at == w1 - w0) {
          for (int t = w0; t < w1; t++) b.fibers[t].wait = RUNS;
          again = true;
        } else if (at > 0)
          for (int t = w0; t < w1; t++)
            if (b.fibers[t].wait != AT_SHUFFLE) fail("is not at the shuffle where other lanes of its wave wait", t);
      }
    }
    int at = 0;
    for (int t = 0; t < b.threads; t++) at += b.fibers[t].wait == AT_BARRIER;
    if (at == b.threads)
      for (int t = 0; t < b.threads; t++) b.fibers[t].wait = RUNS;
    else if (at > 0)
      for (int t = 0; t < b.threads; t++)
        if (b.fibers[t].wait == DONE) fail("returned while others wait at a barrier", t);
    if (!moved && at != b.threads && left > 0) fail("no thread can go on", 0);
  }
}
inline void launch(const char *name, void (*entry)(void **), int gx, int gy, int threads, void **args) {
  Block *&b = block();
  if (!b) b = new Block();
  if (threads < 1 || threads > MAX_THREADS) { fprintf(stderr, "kernel %s: %d threads\n", name, threads); abort(); }
  b->name = name; b->entry = entry; b->args = args; b->threads = threads;
  for (b->by = 0; b->by < gy; b->by++)
    for (b->bx = 0; b->bx < gx; b->bx++) run_block();
}
/* unpacks void *args[] (as cuLaunchKernel takes them) into the kernel's parameters */
template <class... A, size_t... I> inline void call(void (*f)(A...), void **a, std::index_sequence<I...>) { f(*(A *)a[I]...); }
template <class... A> inline void call(void (*f)(A...), void **a) { call(f, a, std::index_sequence_for<A...>()); }
/* parameter sizes, 0 at the end: a driver must copy the arguments when a launch is queued */
template <class... A> constexpr auto sizes(void (*)(A...)) {
  struct { unsigned of[sizeof...(A) + 1]; } r = {{(unsigned)sizeof(A)..., 0}};
  return r;
}
} // namespace heddle

#define DEV static inline __attribute__((unused))
/* 0: threads run from the first to the last; 1: from the last to the first */
extern "C" __attribute__((used, visibility("default"))) inline void heddle_order(int reverse) { heddle::order() = reverse != 0; }

#define THREAD ((int)heddle::block()->current)
#define BLOCK_X (heddle::block()->bx)
#define BLOCK_Y (heddle::block()->by)
#define LANE (THREAD & 31)
#define WAVE (THREAD >> 5)
#define UNROLL
#define BARRIER() heddle::yield(heddle::AT_BARRIER)
#define FENCE() ((void)0) /* blocks run one after the other */
#define GLOBAL(type, name, count) static type name[count]
#define SHARED(type, name, count)                                                    \
  static thread_local size_t name##_at; static thread_local unsigned name##_epoch;   \
  type *const name = (type *)heddle::shared(sizeof(type) * (count), 16, name##_at, name##_epoch, heddle::epoch())
/* The body becomes NAME_body; EXPORT(NAME) after it exports NAME(grid x, grid y, threads, args), which runs the grid, and the sizes
 * of its parameters as NAME_params, ended by 0. */
#define KERNEL(name, max) static void name##_body
#define EXPORT(name)                                                                                       \
  static void name##_entry(void **a) { heddle::call(name##_body, a); }                                            \
  extern "C" __attribute__((visibility("default"))) constexpr auto name##_params = heddle::sizes(name##_body);    \
  extern "C" __attribute__((visibility("default"))) void name(int gx, int gy, int threads, void **args) {         \
    heddle::launch(#name, name##_entry, gx, gy, threads, args);                                                   \
  }
DEV float rint_(float x) { return __builtin_rintf(x); }
DEV float fabs_(float x) { return __builtin_fabsf(x); }
DEV float sqrt_(float x) { return __builtin_sqrtf(x); }
DEV float fma_(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
DEV int shfl_i(int v, int lane) { return (int)heddle::exchange((unsigned)v, lane & 31); }
DEV int shfl_xor_i(int v, int m) { return (int)heddle::exchange((unsigned)v, LANE ^ m); }
DEV float shfl_f(float v, int lane) { return __builtin_bit_cast(float, shfl_i(__builtin_bit_cast(int, v), lane)); }
DEV float shfl_xor_f(float v, int m) { return __builtin_bit_cast(float, shfl_xor_i(__builtin_bit_cast(int, v), m)); }
#include "prelude_common.h"
DEV i32 dot4(i32 a, i32 b, i32 c) {
  u32 s = (u32)c;
  for (i32 i = 0; i < 32; i += 8) s += (u32)((i32)(i8)((u32)a >> i) * (i32)(i8)((u32)b >> i));
  return (i32)s;
}
template <class V> static inline V heddle_load(const void *p) {
  if ((uintptr_t)p % alignof(V)) heddle::fail("a wide load is not aligned", THREAD);
  V v;
  memcpy(&v, p, sizeof v);
  return v;
}
DEV i32 ld32(const void *p) { return heddle_load<i32>(p); }
DEV i32x4 ld128(const void *p) { return heddle_load<i32x4>(p); }
DEV i32x2 ld64_keep(const void *p) { return heddle_load<i32x2>(p); }
DEV i32x4 ld128_keep(const void *p) { return heddle_load<i32x4>(p); }
DEV f32 f16_to_f32(u16 h) { /* no _Float16: works on every C++17 compiler */
  const u32 s = (u32)(h & 0x8000) << 16, e = h >> 10 & 31, m = h & 1023;
  if (e == 31) return bits_to_f32(s | 0x7f800000u | m << 13 | (m ? 0x400000u : 0));
  if (e) return bits_to_f32(s | (e + 112) << 23 | m << 13);
  const f32 v = (f32)m * 5.9604644775390625e-8f;
  return s ? -v : v;
}
DEV u16 f32_to_f16(f32 f) {
  const u32 u = f32_to_bits(f), s = u >> 16 & 0x8000, a = u & 0x7fffffff;
  if (a > 0x7f800000u) return (u16)(s | 0x7e00); /* NaN payloads differ between dialects: never compare them */
  if (a >= 0x477ff000u) return (u16)(s | 0x7c00);
  if (a < 0x38800000u) return (u16)(s | (f32_to_bits(bits_to_f32(a) + 0.5f) - 0x3f000000u)); /* subnormal: the adder rounds */
  const u32 odd = a >> 13 & 1;
  return (u16)(s | ((a + 0xc8000fffu + odd) >> 13));
}
DEV u32 atomic_add_u(u32 *p, u32 v) { return __atomic_fetch_add(p, v, __ATOMIC_RELAXED); }
#endif
