/* HIP dialect: clang -x hip --cuda-device-only -nogpuinc -nogpulib; no header, no device library. Waves of 32 (gfx10 and later). */
#ifndef HEDDLE_PRELUDE_HIP
#define HEDDLE_PRELUDE_HIP
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
#define DEV static __device__ inline __attribute__((always_inline, unused))
#define KERNEL(name, threads) extern "C" __global__ __attribute__((amdgpu_flat_work_group_size(threads, threads))) void name
#define EXPORT(name)
#define GLOBAL(type, name, count) static __device__ type name[count]
#define SHARED(type, name, count) __shared__ type name[count]
#define UNROLL _Pragma("unroll")
#define THREAD ((int)__builtin_amdgcn_workitem_id_x())
#define BLOCK_X ((int)__builtin_amdgcn_workgroup_id_x())
#define BLOCK_Y ((int)__builtin_amdgcn_workgroup_id_y())
#define LANE (THREAD & 31)
#define WAVE __builtin_amdgcn_readfirstlane(THREAD >> 5) /* the same in all lanes: what depends on it stays in scalar registers */
#define BARRIER()                                          \
  (__builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup"),  \
   __builtin_amdgcn_s_barrier(),                           \
   __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup"))
#define FENCE() __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "agent")
DEV float rint_(float x) { return __builtin_rintf(x); }
DEV float fabs_(float x) { return __builtin_fabsf(x); }
DEV float fma_(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
DEV float sqrt_(float x) { return __builtin_sqrtf(x); }
/* ds_bpermute takes the byte address of the source lane; it goes through the LDS crossbar without using LDS memory */
DEV int shfl_i(int v, int lane) { return __builtin_amdgcn_ds_bpermute((lane & 31) << 2, v); }
/* constant masks become DPP or permlanex16: one vector instruction instead of a trip through the crossbar */
DEV int shfl_xor_i(int v, int m) {
  switch (m) {
    case 1: return __builtin_amdgcn_mov_dpp(v, 0xB1, 0xf, 0xf, true);  /* quad_perm 1,0,3,2 */
    case 2: return __builtin_amdgcn_mov_dpp(v, 0x4E, 0xf, 0xf, true);  /* quad_perm 2,3,0,1 */
    case 4: return __builtin_amdgcn_mov_dpp(v, 0x164, 0xf, 0xf, true); /* row_xmask:4 */
    case 8: return __builtin_amdgcn_mov_dpp(v, 0x168, 0xf, 0xf, true); /* row_xmask:8 */
    case 16: return (int)__builtin_amdgcn_permlanex16((unsigned)v, (unsigned)v, 0x76543210u, 0xfedcba98u, false, false);
    default: return shfl_i(v, (int)__builtin_amdgcn_mbcnt_lo(~0u, 0u) ^ m);
  }
}
DEV float shfl_f(float v, int lane) { return __builtin_bit_cast(float, shfl_i(__builtin_bit_cast(int, v), lane)); }
DEV float shfl_xor_f(float v, int m) { return __builtin_bit_cast(float, shfl_xor_i(__builtin_bit_cast(int, v), m)); }
#include "prelude_common.h"
DEV i32 dot4(i32 a, i32 b, i32 c) {
#if defined(__gfx1010__) /* has no dot product: four multiply-adds */
  for (int i = 0; i < 32; i += 8) c += (i32)(i8)(a >> i) * (i32)(i8)(b >> i);
  return c;
#elif defined(__GFX11__) || defined(__GFX12__)
  return __builtin_amdgcn_sudot4(true, a, true, b, c, false); /* v_dot4_i32_iu8 */
#else
  return __builtin_amdgcn_sdot4(a, b, c, false); /* v_dot4_i32_i8 */
#endif
}
/* pointers of the global address space give global_load, others flat_load */
#define HEDDLE_AT(type, p) ((const __attribute__((address_space(1))) type *)(p))
typedef i32 heddle_v2 __attribute__((ext_vector_type(2)));
typedef i32 heddle_v4 __attribute__((ext_vector_type(4)));
DEV i32 ld32(const void *p) { return __builtin_nontemporal_load(HEDDLE_AT(i32, p)); }
DEV i32x4 ld128(const void *p) {
  heddle_v4 v = __builtin_nontemporal_load(HEDDLE_AT(heddle_v4, p));
  return i32x4{v.x, v.y, v.z, v.w};
}
DEV i32x2 ld64_keep(const void *p) {
  heddle_v2 v = *HEDDLE_AT(heddle_v2, p);
  return i32x2{v.x, v.y};
}
DEV i32x4 ld128_keep(const void *p) {
  heddle_v4 v = *HEDDLE_AT(heddle_v4, p);
  return i32x4{v.x, v.y, v.z, v.w};
}
DEV f32 f16_to_f32(u16 h) { return (f32)__builtin_bit_cast(_Float16, h); }
DEV u16 f32_to_f16(f32 f) { return __builtin_bit_cast(u16, (_Float16)f); }
DEV u32 atomic_add_u(u32 *p, u32 v) { return __hip_atomic_fetch_add(p, v, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT); }
#endif
