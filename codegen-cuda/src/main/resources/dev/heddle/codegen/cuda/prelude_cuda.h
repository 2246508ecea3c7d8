/* CUDA dialect: for nvcc, or for clang --cuda-device-only without any CUDA header (-nocudainc -nocudalib). */
#ifndef HEDDLE_PRELUDE_CUDA
#define HEDDLE_PRELUDE_CUDA
#if defined(__NVCC__)
#define THREAD ((int)threadIdx.x)
#define BLOCK_X ((int)blockIdx.x)
#define BLOCK_Y ((int)blockIdx.y)
#else
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
#define __launch_bounds__(n) __attribute__((launch_bounds(n)))
#define THREAD ((int)__nvvm_read_ptx_sreg_tid_x())
#define BLOCK_X ((int)__nvvm_read_ptx_sreg_ctaid_x())
#define BLOCK_Y ((int)__nvvm_read_ptx_sreg_ctaid_y())
#endif
#define DEV static __device__ inline __attribute__((always_inline, unused))
#define KERNEL(name, threads) extern "C" __global__ void __launch_bounds__(threads) name
#define EXPORT(name)
#define GLOBAL(type, name, count) static __device__ type name[count]
#define SHARED(type, name, count) __shared__ type name[count]
#define UNROLL _Pragma("unroll")
#define LANE (THREAD & 31)
#define WAVE (THREAD >> 5)
#define BARRIER() __syncthreads()
DEV void FENCE() { asm volatile("membar.gl;" : : : "memory"); }
DEV float rint_(float x) { return __builtin_rintf(x); }
DEV float fabs_(float x) { return __builtin_fabsf(x); }
DEV float fma_(float a, float b, float c) {
  float d;
  asm("fma.rn.f32 %0, %1, %2, %3;" : "=f"(d) : "f"(a), "f"(b), "f"(c));
  return d;
}
DEV float sqrt_(float x) {
  float r;
  asm("sqrt.rn.f32 %0, %1;" : "=f"(r) : "f"(x));
  return r;
}
#define HEDDLE_SHUFFLE(name, type, letter, ptx)                                                                             \
  DEV type name(type v, int m) {                                                                                            \
    type r;                                                                                                                 \
    asm volatile("shfl.sync." ptx ".b32 %0, %1, %2, 31, 0xffffffff;" : "=" letter(r) : letter(v), "r"(m));                   \
    return r;                                                                                                               \
  }
HEDDLE_SHUFFLE(shfl_i, int, "r", "idx")
HEDDLE_SHUFFLE(shfl_f, float, "f", "idx")
HEDDLE_SHUFFLE(shfl_xor_i, int, "r", "bfly")
HEDDLE_SHUFFLE(shfl_xor_f, float, "f", "bfly")
#include "prelude_common.h"
DEV i32 dot4(i32 a, i32 b, i32 c) { /* sm_61 and later */
  i32 d;
  asm("dp4a.s32.s32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c));
  return d;
}
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 700
#define HEDDLE_STREAMED "ld.global.nc.L1::no_allocate"
#else
#define HEDDLE_STREAMED "ld.global.nc"
#endif
DEV i32 ld32(const void *p) {
  i32 v;
  asm volatile(HEDDLE_STREAMED ".s32 %0, [%1];" : "=r"(v) : "l"(p));
  return v;
}
DEV i32x4 ld128(const void *p) {
  i32x4 v;
  asm volatile(HEDDLE_STREAMED ".v4.s32 {%0,%1,%2,%3}, [%4];" : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "l"(p));
  return v;
}
DEV i32x2 ld64_keep(const void *p) {
  i32x2 v;
  asm volatile("ld.global.nc.v2.s32 {%0,%1}, [%2];" : "=r"(v.x), "=r"(v.y) : "l"(p));
  return v;
}
DEV i32x4 ld128_keep(const void *p) {
  i32x4 v;
  asm volatile("ld.global.nc.v4.s32 {%0,%1,%2,%3}, [%4];" : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "l"(p));
  return v;
}
DEV f32 f16_to_f32(u16 h) {
  f32 f;
  asm("cvt.f32.f16 %0, %1;" : "=f"(f) : "h"(h));
  return f;
}
DEV u16 f32_to_f16(f32 f) {
  u16 h;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(h) : "f"(f));
  return h;
}
DEV u32 atomic_add_u(u32 *p, u32 v) {
  u32 r;
  asm volatile("atom.global.add.u32 %0, [%1], %2;" : "=r"(r) : "l"(p), "r"(v) : "memory");
  return r;
}
#endif
