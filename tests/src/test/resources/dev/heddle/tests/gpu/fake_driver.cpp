/* A driver that has no device: the entry points that the runtime calls, over kernels that the host's compiler made, so that module
 * loading, launches, streams, events, graphs and every error path run without a GPU.
 *   g++ -std=c++17 -O2 -fPIC -shared -o libfakedriver.so fake_driver.cpp -ldl         (-DHIP: the other vendor's names)
 * A module is a shared library with NAME(grid x, grid y, threads, arguments) and NAME_params for each kernel (prelude_host.h).
 * Streams are lazy: nothing runs before somebody waits for it, so a missing wait shows as stale bytes. Device memory is memory of the
 * host, filled with 0xDB, with 64 known bytes behind each allocation that are looked at in every wait and every free.
 * Tests steer it with the fake_ functions at the end. */
#ifdef HIP
#define cuInit hipInit
#define cuDriverGetVersion hipDriverGetVersion
#define cuDeviceGetCount hipGetDeviceCount
#define cuDeviceGetName hipDeviceGetName
#define cuDeviceTotalMem_v2 hipDeviceTotalMem
#define cuGetErrorName hipDrvGetErrorName
#define cuGetErrorString hipDrvGetErrorString
#define cuMemGetInfo_v2 hipMemGetInfo
#define cuMemAlloc_v2 hipMalloc
#define cuMemFree_v2 hipFree
#define cuMemHostAlloc hipHostMalloc
#define cuMemFreeHost hipHostFree
#define cuMemcpyHtoDAsync_v2 hipMemcpyHtoDAsync
#define cuMemcpyDtoHAsync_v2 hipMemcpyDtoHAsync
#define cuMemcpyDtoDAsync_v2 hipMemcpyDtoDAsync
#define cuMemsetD8Async hipMemsetD8Async
#define cuStreamCreate hipStreamCreateWithFlags
#define cuStreamDestroy_v2 hipStreamDestroy
#define cuStreamSynchronize hipStreamSynchronize
#define cuEventCreate hipEventCreateWithFlags
#define cuEventDestroy_v2 hipEventDestroy
#define cuEventRecord hipEventRecord
#define cuEventSynchronize hipEventSynchronize
#define cuEventElapsedTime hipEventElapsedTime
#define cuModuleLoadData hipModuleLoadData
#define cuModuleUnload hipModuleUnload
#define cuModuleGetFunction hipModuleGetFunction
#define cuLaunchKernel hipModuleLaunchKernel
#define cuStreamBeginCapture_v2 hipStreamBeginCapture
#define cuStreamEndCapture hipStreamEndCapture
#define cuGraphGetNodes hipGraphGetNodes
#define cuGraphDestroy hipGraphDestroy
#define cuGraphInstantiateWithFlags hipGraphInstantiateWithFlags
#define cuGraphLaunch hipGraphLaunch
#define cuGraphExecDestroy hipGraphExecDestroy
#define ERROR_PREFIX "hipError"
#else
#define ERROR_PREFIX "CUDA_ERROR_"
#endif
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <dlfcn.h>
#include <elf.h>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

namespace {
typedef int R;
enum { OK = 0, INVALID_VALUE = 1, OUT_OF_MEMORY = 2, NOT_INITIALIZED = 3, INVALID_DEVICE = 101, INVALID_IMAGE = 200, INVALID_CONTEXT = 201,
       INVALID_HANDLE = 400, NOT_FOUND = 500, NOT_READY = 600, ILLEGAL_ADDRESS = 700, CAPTURE_INVALID = 901 };
struct Work { std::string what; std::function<R()> run; };
struct Event;
struct Stream { std::deque<Work> queue; uint64_t put = 0, done = 0; std::vector<Work> *capture = nullptr; };
struct Event { Stream *stream = nullptr; uint64_t at = 0; double when = 0; };
struct Module { void *lib; int fd; };
struct Function { void (*run)(int, int, int, void **); const unsigned *sizes; std::string name; };
struct Graph { std::vector<Work> nodes; };
struct Memory { size_t size; bool host; int device; };
std::recursive_mutex lock;
bool ready;
int current = -1;
std::map<uintptr_t, Memory> memory;
std::map<int, size_t> used;
std::map<std::string, int> calls;
size_t total_memory = (size_t)1 << 30;
int device_count = 1;
std::string fails; /* function whose .. */
int fails_at, fails_with; /* .. call of this number gives this status */
Stream null_stream;
std::vector<Stream *> streams{&null_stream};
R sticky;
int made; /* streams, events, modules and graphs that exist */
int devices() { return device_count; }
size_t total() { return total_memory; }
R enter(const char *name) {
  const int n = ++calls[name];
  if (fails == name && fails_at == n) return fails_with;
  if (!ready && !strstr(name, "Init") && !strstr(name, "GetVersion")) return NOT_INITIALIZED;
  return sticky;
}
Stream *of(Stream *s) { return s ? s : &null_stream; }
R drain(Stream *s, uint64_t upto) {
  while (s->done < upto && !s->queue.empty()) {
    Work w = std::move(s->queue.front());
    s->queue.pop_front();
    s->done++;
    if (R r = w.run()) return sticky = r;
  }
  return OK;
}
R drain_all() { for (Stream *s : streams) if (R r = drain(s, s->put)) return r; return OK; }
R push(Stream *s, Work w) {
  s = of(s);
  if (s->capture) s->capture->push_back(std::move(w));
  else { s->queue.push_back(std::move(w)); s->put++; }
  return OK;
}
bool inside(uintptr_t p, size_t n) {
  auto it = memory.upper_bound(p);
  if (it == memory.begin()) return false;
  --it;
  return p + n <= it->first + it->second.size;
}
R copy(uintptr_t d, uintptr_t s, size_t n, bool dd, bool ds) {
  if ((dd && !inside(d, n)) || (ds && !inside(s, n))) { fprintf(stderr, "fake: copy of %zu bytes outside any allocation\n", n); return ILLEGAL_ADDRESS; }
  memmove((void *)d, (void *)s, n);
  return OK;
}
R canaries() {
  for (auto &m : memory)
    for (int i = 0; i < 64; i++)
      if (((unsigned char *)m.first)[m.second.size + i] != 0xA5) {
        fprintf(stderr, "fake: written %d bytes behind an allocation of %zu bytes\n", i, m.second.size);
        return ILLEGAL_ADDRESS;
      }
  return OK;
}
double now() { timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return t.tv_sec * 1e3 + t.tv_nsec * 1e-6; }
} // namespace
#define API extern "C" __attribute__((visibility("default"))) R
#define ENTER std::lock_guard<std::recursive_mutex> hold(lock); if (R r = enter(__func__)) return r
#define CONTEXT ENTER; if (current < 0) return INVALID_CONTEXT

API cuInit(unsigned flags) { ENTER; if (flags) return INVALID_VALUE; ready = true; return OK; }
API cuDriverGetVersion(int *v) { ENTER; *v = 13000; return OK; }
API cuDeviceGetCount(int *n) { ENTER; *n = devices(); return OK; }
API cuDeviceGetName(char *s, int n, int d) { ENTER; snprintf(s, n, "fake device %d", d); return OK; }
API cuDeviceTotalMem_v2(size_t *n, int) { ENTER; *n = total(); return OK; }
#ifdef HIP
API hipGetDevicePropertiesR0600(char *p, int d) {
  ENTER;
  memset(p, 0, 1472);
  snprintf(p, 256, "fake device %d", d);
  strcpy(p + 1160, "gfx1201:sramecc-");
  return OK;
}
API hipSetDevice(int d) { ENTER; if (d < 0 || d >= devices()) return INVALID_DEVICE; current = d; return OK; }
#else
API cuDeviceGetAttribute(int *v, int a, int) {
  ENTER;
  *v = a == 75 ? 9 : 0; /* compute capability 9.0 */
  return OK;
}
API cuDevicePrimaryCtxRetain(void **c, int d) { ENTER; if (d < 0 || d >= devices()) return INVALID_DEVICE; *c = (void *)(intptr_t)(d + 1); return OK; }
API cuDevicePrimaryCtxRelease_v2(int) { ENTER; return OK; }
API cuCtxSetCurrent(void *c) { ENTER; current = (int)(intptr_t)c - 1; return OK; }
#endif
static R alloc(void **p, size_t n, bool host) {
  if (!n) return INVALID_VALUE;
  if (!host && used[current] + n > total()) return OUT_OF_MEMORY;
  char *m = (char *)aligned_alloc(256, (n + 64 + 255) & ~(size_t)255);
  if (!m) return OUT_OF_MEMORY;
  memset(m, 0xDB, n);
  memset(m + n, 0xA5, 64);
  memory[(uintptr_t)m] = {n, host, current};
  if (!host) used[current] += n;
  *p = m;
  return OK;
}
static R release(void *p, bool host) {
  if (!p) return OK;
  auto it = memory.find((uintptr_t)p);
  if (it == memory.end() || it->second.host != host) return INVALID_VALUE;
  if (R r = drain_all()) return r;
  if (R r = canaries()) return r;
  if (!host) used[it->second.device] -= it->second.size;
  memory.erase(it);
  free(p);
  return OK;
}
API cuMemAlloc_v2(void **p, size_t n) { CONTEXT; return alloc(p, n, false); }
API cuMemFree_v2(void *p) { CONTEXT; return release(p, false); }
API cuMemHostAlloc(void **p, size_t n, unsigned) { CONTEXT; return alloc(p, n, true); }
API cuMemFreeHost(void *p) { CONTEXT; return release(p, true); }
API cuMemGetInfo_v2(size_t *f, size_t *t) { CONTEXT; *t = total(); *f = *t - used[current]; return OK; }
API cuMemcpyHtoDAsync_v2(uintptr_t d, uintptr_t s, size_t n, Stream *q) { CONTEXT; return push(q, {"copy", [=] { return copy(d, s, n, true, false); }}); }
API cuMemcpyDtoHAsync_v2(uintptr_t d, uintptr_t s, size_t n, Stream *q) { CONTEXT; return push(q, {"copy", [=] { return copy(d, s, n, false, true); }}); }
API cuMemcpyDtoDAsync_v2(uintptr_t d, uintptr_t s, size_t n, Stream *q) { CONTEXT; return push(q, {"copy", [=] { return copy(d, s, n, true, true); }}); }
API cuMemsetD8Async(uintptr_t d, unsigned char v, size_t n, Stream *q) {
  CONTEXT;
  return push(q, {"set", [=] { if (!inside(d, n)) return (R)ILLEGAL_ADDRESS; memset((void *)d, v, n); return (R)OK; }});
}
API cuStreamCreate(Stream **s, unsigned) { CONTEXT; streams.push_back(*s = new Stream); made++; return OK; }
API cuStreamDestroy_v2(Stream *s) {
  CONTEXT;
  R r = drain(s, s->put);
  for (size_t i = 0; i < streams.size(); i++) if (streams[i] == s) streams.erase(streams.begin() + i);
  delete s;
  made--;
  return r;
}
API cuStreamSynchronize(Stream *s) { CONTEXT; s = of(s); if (s->capture) return CAPTURE_INVALID; if (R r = drain(s, s->put)) return r; return canaries(); }
API cuEventCreate(Event **e, unsigned) { CONTEXT; *e = new Event; made++; return OK; }
API cuEventDestroy_v2(Event *e) { CONTEXT; delete e; made--; return OK; }
API cuEventRecord(Event *e, Stream *s) {
  CONTEXT;
  R r = push(s, {"event", [=] { e->when = now(); return (R)OK; }});
  e->stream = of(s);
  e->at = of(s)->put;
  return r;
}
API cuEventSynchronize(Event *e) { CONTEXT; return e->stream ? drain(e->stream, e->at) : (R)OK; }
API cuEventElapsedTime(float *ms, Event *a, Event *b) { CONTEXT; if (!a->when || !b->when) return NOT_READY; *ms = (float)(b->when - a->when); return OK; }
API cuModuleLoadData(Module **m, const unsigned char *image) {
  CONTEXT;
  if (memcmp(image, ELFMAG, SELFMAG)) return INVALID_IMAGE;
  const Elf64_Ehdr *h = (const Elf64_Ehdr *)image;
  const size_t n = h->e_shoff + (size_t)h->e_shnum * h->e_shentsize;
  int fd = memfd_create("kernels", 0);
  if (fd < 0 || write(fd, image, n) != (ssize_t)n) return OUT_OF_MEMORY;
  std::string path = "/proc/self/fd/" + std::to_string(fd);
  void *lib = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!lib) { fprintf(stderr, "fake: %s\n", dlerror()); close(fd); return INVALID_IMAGE; }
  *m = new Module{lib, fd};
  made++;
  return OK;
}
API cuModuleUnload(Module *m) { CONTEXT; dlclose(m->lib); close(m->fd); delete m; made--; return OK; }
API cuModuleGetFunction(Function **f, Module *m, const char *name) {
  CONTEXT;
  void *run = dlsym(m->lib, name), *sizes = dlsym(m->lib, (std::string(name) + "_params").c_str());
  if (!run || !sizes) return NOT_FOUND;
  *f = new Function{(void (*)(int, int, int, void **))run, (const unsigned *)sizes, name}; /* lives as long as the process */
  return OK;
}
API cuLaunchKernel(Function *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned shared, Stream *s, void **args, void **extra) {
  CONTEXT;
  if (!gx || !gy || gz != 1 || !bx || bx > 1024 || by != 1 || bz != 1 || shared > 228u << 10 || extra) return INVALID_VALUE;
  std::vector<uint64_t> values;
  for (const unsigned *n = f->sizes; *n; n++) { uint64_t v = 0; if (*n > 8) return INVALID_VALUE; memcpy(&v, args[n - f->sizes], *n); values.push_back(v); }
  return push(s, {f->name, [=]() mutable {
    std::vector<void *> p;
    for (uint64_t &v : values) p.push_back(&v);
    f->run(gx, gy, bx, p.data());
    return (R)OK;
  }});
}
API cuStreamBeginCapture_v2(Stream *s, int) { CONTEXT; s = of(s); if (s == &null_stream || s->capture) return CAPTURE_INVALID; s->capture = new std::vector<Work>; return OK; }
API cuStreamEndCapture(Stream *s, Graph **g) {
  CONTEXT;
  s = of(s);
  if (!s->capture) return CAPTURE_INVALID;
  *g = new Graph{std::move(*s->capture)};
  made++;
  delete s->capture;
  s->capture = nullptr;
  return OK;
}
API cuGraphGetNodes(Graph *g, void **, size_t *n) { CONTEXT; *n = g->nodes.size(); return OK; }
API cuGraphInstantiateWithFlags(Graph **x, Graph *g, unsigned long long) { CONTEXT; *x = new Graph(*g); made++; return OK; }
API cuGraphLaunch(Graph *g, Stream *s) { CONTEXT; for (Work &w : g->nodes) push(s, w); return OK; }
API cuGraphExecDestroy(Graph *g) { CONTEXT; delete g; made--; return OK; }
API cuGraphDestroy(Graph *g) { CONTEXT; delete g; made--; return OK; }
static const char *const names[][3] = {{"0", "CUDA_SUCCESS", "no error"}, {"1", ERROR_PREFIX "INVALID_VALUE", "invalid argument"},
  {"2", ERROR_PREFIX "OUT_OF_MEMORY", "out of memory"}, {"3", ERROR_PREFIX "NOT_INITIALIZED", "initialization error"},
  {"101", ERROR_PREFIX "INVALID_DEVICE", "invalid device ordinal"}, {"200", ERROR_PREFIX "INVALID_IMAGE", "device kernel image is invalid"},
  {"201", ERROR_PREFIX "INVALID_CONTEXT", "invalid device context"}, {"400", ERROR_PREFIX "INVALID_HANDLE", "invalid resource handle"},
  {"500", ERROR_PREFIX "NOT_FOUND", "named symbol not found"}, {"600", ERROR_PREFIX "NOT_READY", "device not ready"},
  {"700", ERROR_PREFIX "ILLEGAL_ADDRESS", "an illegal memory access was encountered"},
  {"901", ERROR_PREFIX "STREAM_CAPTURE_INVALIDATED", "operation failed due to a previous error during capture"}};
static R text(R code, const char **s, int which) {
  for (auto &n : names) if (atoi(n[0]) == code) { *s = n[which]; return OK; }
  *s = nullptr;
  return INVALID_VALUE;
}
API cuGetErrorName(R code, const char **s) { return text(code, s, 1); }
API cuGetErrorString(R code, const char **s) { return text(code, s, 2); }
/* Steering. A fresh state: one device of 1 GiB, no failure planned; memory that exists stays. */
extern "C" __attribute__((visibility("default"))) void fake_reset() {
  std::lock_guard<std::recursive_mutex> hold(lock);
  calls.clear();
  fails.clear();
  sticky = OK;
  total_memory = (size_t)1 << 30;
  device_count = 1;
}
extern "C" __attribute__((visibility("default"))) void fake_fail(const char *function, int call, int status) { fails = function; fails_at = call; fails_with = status; }
extern "C" __attribute__((visibility("default"))) void fake_memory(size_t bytes) { total_memory = bytes; }
extern "C" __attribute__((visibility("default"))) void fake_devices(int count) { device_count = count; }
/* Allocations, streams, events, modules and graphs that exist. */
extern "C" __attribute__((visibility("default"))) int fake_held() { return (int)memory.size() + made; }
/* Calls of a function since fake_reset. */
extern "C" __attribute__((visibility("default"))) int fake_calls(const char *function) { return calls[function]; }
